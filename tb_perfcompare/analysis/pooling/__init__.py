"""Several captures as one summary, parts of a summary, and which steps are compared."""
