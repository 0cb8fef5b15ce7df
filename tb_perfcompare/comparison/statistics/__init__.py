"""Tests, intervals and corrections. They know numbers, not profilers."""
