"""Detectors of what is not the program: the machine's pace, contention, the cost of recording."""
