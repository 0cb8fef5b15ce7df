"""`python -m tb_perfcompare`."""

import sys

from tb_perfcompare.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
