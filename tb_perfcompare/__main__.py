"""`python -m tb_perfcompare`."""

import sys

from tb_perfcompare.search_path import without_working_directory

if __name__ == "__main__":
    sys.path[:] = without_working_directory()  # Python puts the working directory first
    from tb_perfcompare.cli.main import process

    process()
