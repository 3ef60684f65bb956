"""``python -m retime``."""

from retime.cli import main

main()
