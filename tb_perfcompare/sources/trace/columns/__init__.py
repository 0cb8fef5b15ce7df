"""Builds columns of events while a trace is read: numbers, texts, arguments, counters."""
