"""What forwarding costs and gains: ``python -m benchmarks.forwarding``."""
