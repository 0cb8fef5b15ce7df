"""`python -m tb_perfcompare.capture [options] train.py args`, or the path of this file instead of `-m ...`."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    if __package__:
        from tb_perfcompare.capture.launch import main
    else:
        # run by path, by an interpreter that may not have this package installed
        _ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        sys.path.insert(0, _ROOT)
        from tb_perfcompare.capture.launch import main

        sys.path.remove(_ROOT)
    main(sys.argv[1:])
