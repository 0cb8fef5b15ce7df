"""Tests of tb_perfcompare/analysis/work."""
