"""The tab's other requests: table pages, rows, callers, steps and candidates."""
