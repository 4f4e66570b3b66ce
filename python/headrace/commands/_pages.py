"""Where the pages are that help names, as docs/show.md."""

from __future__ import annotations

import click


def tell_where_pages_are(command: click.Command) -> None:
    """At the end of the help of a command, or of those below it, that names one."""
    for below in getattr(command, "commands", {}).values():
        tell_where_pages_are(below)
    texts = [command.help or "", *(getattr(option, "help", None) or "" for option in command.params)]
    if any("docs/" in text for text in texts):
        command.epilog = "docs/ is in the directory that `headrace config --documents` prints."
