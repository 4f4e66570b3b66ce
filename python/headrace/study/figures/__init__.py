"""The figures of a study: a module a subject, a function a figure, each of a connection, settings and"
" scope."""
