"""Jobs as a site keeps them: metrics of GPUs, accounting, kernel logs, logs of ranks."""
