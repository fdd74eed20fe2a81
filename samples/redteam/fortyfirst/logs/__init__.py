"""Programs whose logs alone are left."""
