"""What goes through the events of a trace: the compiled scanner and its twin in Python."""
