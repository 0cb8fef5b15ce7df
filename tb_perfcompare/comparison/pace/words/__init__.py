"""The headline in words: its sentence, and the labelled lines below it."""
