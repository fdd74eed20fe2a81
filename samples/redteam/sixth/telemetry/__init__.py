"""Jobs as a site keeps them, metrics, accounting, kernel logs and logs of ranks: SIMULATED."""
