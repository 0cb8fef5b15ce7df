"""Kinds of iterations: the change of the mean by time and by mix."""
