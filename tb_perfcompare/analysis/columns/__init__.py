"""Passes over columns of events: numbering, grouping, nesting, intervals. They know nothing of profilers."""
