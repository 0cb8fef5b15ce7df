"""Work of operators: rates, shares of the peak, the split of a change."""
