"""The command line: `tradespace COMMAND`."""

from tradespace.cli.commands import main

__all__ = ["main"]
