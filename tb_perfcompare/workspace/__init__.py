"""Finding, reading and comparing runs, shared by the tab, the command line and the Python API.

workspace.py  Workspace: names in, comparisons out
loading.py    files to summaries: read here, by workers, or from the cache
inputs/       the files of a side, and the comparison asked for
listing/      what is below a log directory
jobs/         what a worker does with a file or two sides
workers/      worker processes and their memory
sharing/      one computation for equal requests; bounded memory of results
disk_cache/   summaries and comparisons on disk
queries/      pages of tables, rows, callers, steps, candidates
"""
