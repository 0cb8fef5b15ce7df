"""What a trace says once it is interpreted: host and device timeline, vendor, steps, clock, environment."""
