"""Published I/O measurements, and the runs of `headrace bench` that make them again (docs/bench/papers.md).

A paper is a file in published/: tables of cases, each with the words of its run and the figures that were
published.
`matrix` says which runs there are, `running` does them, `kept` keeps what each gave, `comparison` puts it
beside what was published.
"""
