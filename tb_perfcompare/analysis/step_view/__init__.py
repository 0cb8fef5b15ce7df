"""The events of one step, laid out for drawing."""
