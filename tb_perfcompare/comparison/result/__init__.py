"""What a comparison is made of. Nothing here computes."""
