"""What folders of runs keep of a training, SIMULATED, in the forms and with the mess of an ordinary month."""
