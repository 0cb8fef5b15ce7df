"""The headline in words: its sentence, and the labeled lines below it."""
