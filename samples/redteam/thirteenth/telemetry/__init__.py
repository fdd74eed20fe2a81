"""What operators of clusters send in of an incident, SIMULATED, half of the time with stores missing."""
