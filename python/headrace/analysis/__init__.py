"""What a job log says about a job: facts computed once, shown by commands and reports."""
