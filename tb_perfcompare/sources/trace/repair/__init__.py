"""Reading damaged JSON: boundaries of elements, repairs, salvage."""
