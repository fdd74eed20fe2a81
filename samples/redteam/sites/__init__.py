"""Folders as the machinery around a job leaves them: containers, clouds, batch systems other than Slurm. SIMULATED."""
