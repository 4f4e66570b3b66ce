"""Reports: a job log, or several compared, as one HTML file that needs nothing else.

`payload` has the bytes that a page carries (docs/formats/report-payload.md), `html` puts them into the page
that scripts/build makes of web/.
"""
