"""The command line: `tb-perfcompare` and `python -m tb_perfcompare`. One module per command; docs/cli.md describes them."""
