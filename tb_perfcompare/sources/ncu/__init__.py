"""Readers for launches with utilization: exports of ncu --csv, and kernel listings."""
