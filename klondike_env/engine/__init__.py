"""The one rules engine: a state record, legal moves, play, ends. Everything else calls it."""

from klondike_env.engine.moves import is_lost, is_won, play, stock_action_is_legal, write_legal_mask
from klondike_env.engine.state import STATE_DTYPE, deal_cards, new_states, set_rules

__all__ = [
    "STATE_DTYPE",
    "deal_cards",
    "is_lost",
    "is_won",
    "new_states",
    "play",
    "set_rules",
    "stock_action_is_legal",
    "write_legal_mask",
]
