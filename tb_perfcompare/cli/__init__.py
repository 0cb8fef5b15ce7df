"""The command line, `tb-perfcompare` and `python -m tb_perfcompare`: one module per command (docs/guide/cli.md)."""
