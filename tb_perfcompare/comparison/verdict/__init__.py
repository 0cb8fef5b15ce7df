"""The headline: slower, faster, the same or inconclusive, with its reasons."""
