"""Records of games, and the pages that show them."""
