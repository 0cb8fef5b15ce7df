"""Launches of listings and exports, paired one by one."""
