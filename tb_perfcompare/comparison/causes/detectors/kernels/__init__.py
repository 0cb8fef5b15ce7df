"""Detectors of kernels: other ones, slower ones, compiled code, kernels that only move data."""
