"""Launches with utilisation: exports of ncu --csv, and kernel listings."""
