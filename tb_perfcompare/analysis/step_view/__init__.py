"""The events of one step as a picture of it needs them."""
