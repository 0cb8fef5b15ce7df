"""The launcher: runs a user's script under torch.profiler (docs/guide/ab.md). Imports the standard library only."""
