"""Readers for launches with utilisation: exports of ncu --csv, and kernel listings."""
