"""Jobs as a site keeps them, SIMULATED, by someone who had not seen the engine."""
