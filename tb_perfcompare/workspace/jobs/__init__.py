"""What a worker is asked to do: top-level functions of picklable values."""
