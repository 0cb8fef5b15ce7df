"""Hostile input for every reader and every route: targets, mutators, a corpus, and who drives them.

A target takes bytes and keeps one law (law.py): what it reads is returned or refused with an error of the product that
names the file, in bounded time and memory. `python -m tests.fuzz.readers` drives the targets, guided by coverage where
atheris is installed; the ordinary test suite runs the corpus and some seconds of mutations. The bounds on each reader
are in docs/internals/reliability.md.
"""
