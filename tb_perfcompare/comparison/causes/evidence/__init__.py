"""Rules, and the evidence for them: the context of a comparison, and helpers that turn it into findings."""
