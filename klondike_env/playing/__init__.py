"""Games that a person plays: the session without drawing, saved games, and the terminal and window on top."""
