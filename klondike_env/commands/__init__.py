"""The commands of the command line, a module each; ``klondike_env.cli`` puts them together."""
