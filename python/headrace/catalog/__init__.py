"""The catalog of a facility: job logs, scheduler records, samples and scans, as partitioned Parquet."""
