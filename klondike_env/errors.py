"""Every error that bad input can raise, each a ``ValueError`` that says what is wrong, where, and what is right."""


class KlondikeError(ValueError):
    """Base of all errors that this package raises for bad input."""


class CardError(KlondikeError):
    """A text that names no card."""


class DealError(KlondikeError):
    """Cards that are no deal: one is missing, doubled or unknown, or the text has another form."""


class GameCodeError(KlondikeError):
    """A game code or game number that names no game."""


class RulesError(KlondikeError):
    """A rule set that does not exist, or a rule field with a value that it cannot take."""


class NotationError(KlondikeError):
    """A position text that cannot be read, or that describes a position which breaks an invariant."""


class ActionError(KlondikeError):
    """An action index outside the action space, or a move that has no index."""


class IllegalActionError(ActionError):
    """An action of the space that the rules do not allow in this position."""


class PileError(KlondikeError):
    """A pile name that names no pile."""


class UndoError(KlondikeError):
    """Nothing is left to undo."""


class OptionError(KlondikeError):
    """An argument of the env, or an option of ``reset``, that does not exist or has a wrong value."""


class EpisodeError(KlondikeError):
    """A ``step`` before the first ``reset``, or after the game has ended."""


class SuiteError(KlondikeError):
    """A suite of games that does not exist."""


class PolicyError(KlondikeError):
    """An agent that cannot be loaded, or that answered with something that is no legal action."""


class CodesFileError(KlondikeError):
    """A file of game codes that cannot be read, or a line in it that is no code."""


class ResultsFileError(KlondikeError):
    """A results file that cannot be read or written, or does not fit what is to be written to it."""


class MoveTextError(KlondikeError):
    """A move text of another program that cannot be read, or moves that such a text cannot say."""
