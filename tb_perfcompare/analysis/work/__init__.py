"""Work of operators: the FLOPs and least bytes of one call, from what the trace recorded of its arguments."""
