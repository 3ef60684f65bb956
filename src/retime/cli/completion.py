"""Completion of commands in shells: print its script, or install it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    add_completion_class,
    get_completion_class,
    shell_complete,
    split_arg_string,
)

from retime.errors import InputError

VARIABLE = "_RETIME_COMPLETE"
# The file of each shell that is read at its start, and the line that loads the completion.
_STARTS = {
    "bash": (".bashrc", f'eval "$({VARIABLE}=bash_source retime)"'),
    "zsh": (".zshrc", f'eval "$({VARIABLE}=zsh_source retime)"'),
    "fish": (".config/fish/completions/retime.fish", f"{VARIABLE}=fish_source retime | source"),
}


@add_completion_class
class _PowerShell(ShellComplete):
    name = "powershell"
    source_template = """\
Register-ArgumentCompleter -Native -CommandName %(prog_name)s -ScriptBlock {
    param($word, $line, $cursor)
    $env:%(complete_var)s, $env:COMP_WORDS, $env:COMP_CWORD = "powershell_complete", "$line", $word
    %(prog_name)s | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
    Remove-Item Env:%(complete_var)s, Env:COMP_WORDS, Env:COMP_CWORD -ErrorAction Ignore
}
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is completed, and that one."""
        words, last = split_arg_string(os.environ["COMP_WORDS"]), os.environ.get("COMP_CWORD", "")
        return words[1:-1] if last else words[1:], last

    def format_completion(self, item: CompletionItem) -> str:
        """Return a line; without lines PowerShell completes the names of files."""
        return "" if item.type == "file" else item.value


def complete(program: click.Command) -> None:
    """Answer a shell that asks for the script or for completions, and exit; or do nothing."""
    asked = os.environ.get(VARIABLE)
    if asked:
        raise SystemExit(shell_complete(program, {}, "retime", VARIABLE, asked))


def show(program: click.Command) -> str:
    """Return the script for the shell of the user."""
    kind = get_completion_class(_shell())
    assert kind is not None
    return kind(program, {}, "retime", VARIABLE).source()


def install() -> str:
    """Add completion to the shell of the user, once; return what was done."""
    shell = _shell()
    if shell not in _STARTS:
        raise InputError("put the output of retime --show-completion into your PowerShell profile")
    name, line = _STARTS[shell]
    file = Path.home() / name
    present = file.read_text(encoding="utf-8") if file.is_file() else ""
    if line not in present:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.write(f"{'' if present.endswith(chr(10)) or not present else chr(10)}{line}\n")
    return f"{shell} completes retime from its next start ({file})"


def _shell() -> str:
    """Return the shell of the user, by the environment."""
    name = Path(os.environ.get("SHELL", "")).stem
    if name in _STARTS:
        return name
    if sys.platform == "win32" or name in ("pwsh", "powershell"):
        return "powershell"
    raise InputError(
        f"the shell is not known; set SHELL to one of {', '.join(_STARTS)}, powershell"
    )
