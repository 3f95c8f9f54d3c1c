"""Agents that play Klondike."""
