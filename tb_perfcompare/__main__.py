"""`python -m tb_perfcompare`."""

import sys

from tb_perfcompare.search_path import without_here

if __name__ == "__main__":
    sys.path[:] = without_here()  # Python puts the working directory first
    from tb_perfcompare.cli.main import process

    process()
