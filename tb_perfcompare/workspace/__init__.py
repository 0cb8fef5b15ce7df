"""Finding, reading and comparing runs, shared by the tab, the command line and the Python API.

workspace.py  Workspace: run names in, comparisons out
loading.py    turns files into summaries: in this process, in a worker, or from the cache
inputs/       the files of a side, and comparison requests
listing/      runs, pairs and history points below a log directory
jobs/         functions that worker processes run on a file or on two sides
workers/      worker processes and their memory
sharing/      one computation for equal requests; in-memory caches bounded in bytes
disk_cache/   summaries and comparisons on disk
queries/      table pages, rows, callers, steps, candidates
"""
