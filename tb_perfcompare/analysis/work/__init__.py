"""Work of operators: the FLOPs and least bytes of one call, from its recorded arguments."""
