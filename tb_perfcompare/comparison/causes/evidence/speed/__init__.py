"""How fast the same work is done: rates, bandwidth, the fastest calls, the pace of all."""
