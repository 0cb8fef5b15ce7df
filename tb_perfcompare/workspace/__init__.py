"""Finding, reading and comparing runs, shared by the tab, the command line and the Python API.

workspace.py   Workspace: names in, comparisons out
index.py       what is below a log directory; from names and paths to files
loading.py     files to summaries, read here or by workers, or kept
jobs.py        what a worker does with a file or two sides
step_*.py      pictures of single steps, and their parts of traces
strict_*.py    the strict report of two sides, and the comparison beside it
workers.py     worker processes, no more than limits.py says; worker.py is one of them, worker_process.py its own side
memory_need.py what memory tasks need together; reading_size.py expects it, own_memory.py measures it
flights.py     one computation for everybody who asks the same
cache.py       bounded memory of results
"""
