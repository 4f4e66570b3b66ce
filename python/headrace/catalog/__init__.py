"""The catalog of a facility: job logs, scheduler records, device samples and scans, as partitioned Parquet."""
