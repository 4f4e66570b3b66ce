"""Prices the preload library beside the bare program and beside any other preload library.

Run it from the root of the tree: ``python -m benchmarks --help``.
"""
