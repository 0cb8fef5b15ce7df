"""Processes that read files, and the memory they may take."""
