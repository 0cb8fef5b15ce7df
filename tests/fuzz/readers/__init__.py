"""Hostile input for every reader and route: targets, mutations, a corpus and drivers.

A target takes bytes and keeps one law (law.py): it returns, or refuses with an error that names the file, in bounded
time and memory. `python -m tests.fuzz.readers` drives the targets, guided by coverage where atheris is installed; the
test suite runs the corpus and short mutations. docs/internals/reliability.md lists the bounds of each reader.
"""
