"""The curves c08 to c14 of the twenty-fourth set. SIMULATED: nothing here was taken from a real job."""
