"""Logs of SIMULATED runs in the words of many programs, by authors who have not read how they will be judged."""
