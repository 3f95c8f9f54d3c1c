"""Pictures and coloured text of a position, drawn from what the player knows.

- ``table_layout``: where everything lies on a table of a given size, in plain arithmetic, and what lies at a point.
- ``texts``, ``shapes``, ``courts``, ``card_sprites``: the cards as vector drawings, and as cached pictures of one size.
- ``painter``: draws a ``PlayerView``.
- ``env_renderer``: what ``KlondikeEnv.render`` uses for ``rgb_array`` and ``human``.
- ``ansi``: the board as text with colours and suit symbols.

All but ``table_layout`` and ``ansi`` need pygame-ce, the extra ``render``; importing this package loads none of them.
"""
