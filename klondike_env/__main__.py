"""``python -m klondike_env`` is the command ``klondike``."""

from klondike_env.cli import main

main()
