"""Tests, intervals and corrections on plain numbers; nothing here depends on profilers."""
