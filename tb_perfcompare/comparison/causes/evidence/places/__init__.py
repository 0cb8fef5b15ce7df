"""Where in the program, and in which steps, calls and time changed."""
