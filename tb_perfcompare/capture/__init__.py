"""The launcher: runs a user's script under torch.profiler (docs/guide/ab.md). Imports only the standard library."""
