"""What `tradespace` understands, and what becomes of an error."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import NoReturn

from tradespace.cli import demo
from tradespace.errors import TradespaceError

# Exit codes: a failure, a command line that is not understood, and Ctrl-C as shells report it.
FAILED, MISUSED, STOPPED = 1, 2, 130

COMMANDS = {"demo": demo}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name; the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    parser = _parser()
    if not words:
        parser.print_help(sys.stderr)
        return MISUSED
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        parser.error(_unknown(words[0]))
    options = parser.parse_args(words)
    return _guarded(f"tradespace {words[0]}", lambda: COMMANDS[words[0]].run(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tradespace",
        description="Find the best trade-offs between expensive objectives under expensive "
        "constraints, in as few experiments as possible.",
        epilog="`tradespace COMMAND --help` says more about a command.",
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in COMMANDS.items():
        told = command.__doc__ or ""
        command.add_options(commands.add_parser(name, help=command.SUMMARY, description=told))
    return parser


class _Version(argparse.Action):
    """Print the version; finding it out takes longer than everything else, so it waits till now."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"tradespace {version('tradespace')}")
        parser.exit()


def _unknown(word: str) -> str:
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    meant = f"did you mean {near[0]!r}?" if near else f"the commands are: {', '.join(COMMANDS)}"
    return f"unknown command {word!r}; {meant}"


def _guarded(name: str, command: Callable[[], int]) -> int:
    """The command's exit code, with what a user can act on as one line instead of a traceback."""
    try:
        code = _alongside(command)
        sys.stdout.flush()
    except KeyboardInterrupt:
        # A progress bar has hidden the cursor.
        cursor = "\x1b[?25h" if sys.stderr.isatty() else ""
        print(f"{cursor}\n{name}: stopped before the end", file=sys.stderr, flush=True)
        _leave(STOPPED)
    except BrokenPipeError:
        # Whoever read the output has had enough; nothing is left to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (TradespaceError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return FAILED
    return code


def _alongside(command: Callable[[], int]) -> int:
    """The exit code of a command that runs in another thread.

    Python hears Ctrl-C in the main thread, and only between two of its own steps: a compilation
    there would keep it waiting.
    """
    outcome: Future[int] = Future()

    def work() -> None:
        try:
            outcome.set_result(command())
        except BaseException as error:
            outcome.set_exception(error)

    Thread(target=work, daemon=True).start()
    return outcome.result()


def _leave(code: int) -> NoReturn:
    """End the process now, whatever its other threads are doing."""
    os._exit(code)
