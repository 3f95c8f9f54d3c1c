"""The play session without drawing: taps, drags, undo, help and agents, each reply checked against the game."""

from pathlib import Path

import numpy as np
import pytest
from oracle.positions import CASE_DECKS
from walks import lay_out

from klondike_env import Game, KlondikeError, PlayerView, parse_card, parse_code, solve
from klondike_env.actions import Move, encode_move
from klondike_env.episode_options import EVALUATION_NUMBERS
from klondike_env.errors import ActionError, PileError
from klondike_env.playing.places import cards_at
from klondike_env.playing.saved_games import SavedGames
from klondike_env.playing.session import DOUBLE_TAP_SECONDS, PLACES, PlaySession, Reply
from klondike_env.records import read_record

SIXES = "6,6,6,6"
QUICK, SLOW = DOUBLE_TAP_SECONDS / 4, DOUBLE_TAP_SECONDS * 2


class Clock:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def start(deck: str, rules: str = "D1N", actions: list[int] | None = None, clock: Clock | None = None) -> PlaySession:
    """Begin a session with a deck of the cases and play some actions."""
    session = PlaySession(Game.from_deck(CASE_DECKS[deck], rules), clock=clock or Clock())
    for action in actions or []:
        assert session.act(action).action == action
    return session


def legal(session: PlaySession) -> set[int]:
    return set(session.hints())


def place_of(session: PlaySession, card: str) -> str:
    """Return where a card lies face up."""
    return next(place for place in PLACES if parse_card(card) in cards_at(session.view, place))


def replayed(session: PlaySession, first: Game) -> Game:
    """Return the game that the session's history leads to."""
    first.restart()
    for action in session.actions:
        first.play(action)
    return first


def refused(session: PlaySession, reply: Reply, words: str) -> None:
    """Check that a reply refuses and says why in one line."""
    assert not reply.changed
    assert reply.reason is not None
    assert words in reply.reason
    assert "\n" not in reply.reason


def test_a_new_game_is_random_and_not_one_kept_for_evaluation() -> None:
    numbers = {PlaySession().game_copy().game_number for _ in range(5)}
    assert len(numbers) == 5
    assert all(number is not None and number >= EVALUATION_NUMBERS for number in numbers)


def test_case_3_no_run_goes_to_a_foundation() -> None:
    session = start("A", actions=[9, 10, 11, 71])
    serial = session.serial
    refused(session, session.drag("column 4", parse_card("4H"), "hearts"), "one card at a time")
    refused(session, session.act(12), "3S does not go up")
    refused(session, session.drag("column 4", parse_card("3S"), "hearts"), "this is the hearts foundation")
    assert session.serial == serial
    assert legal(session) == {0, 10, 80}
    assert session.score_text == "45"


def test_case_4_an_empty_column_takes_only_a_king() -> None:
    session = start("F", actions=[9, 0])
    assert legal(session) == {0, 8, 19, 63, 68}
    attempts = [("waste", "9H"), *[(f"column {n}", c) for n, c in enumerate(["3S", "4S", "2H", "QH", "TC"], start=2)]]
    for source, card in attempts:
        place = (
            source if source == "waste" else next(p for p in PLACES if parse_card(card) in cards_at(session.view, p))
        )
        refused(session, session.drag(place, parse_card(card), "column 1"), "only a king")
        assert "column 1" not in session.drop_targets(place, parse_card(card))
    assert session.drag(place_of(session, "KD"), parse_card("KD"), "column 1").action == 68


def test_case_5_foundations_take_the_next_card_of_their_suit() -> None:
    session = start("F", actions=[9])
    for card in ("3S", "4S", "2H"):
        place = place_of(session, card)
        for suit in ("spades", "hearts", "diamonds", "clubs"):
            assert not session.drag(place, parse_card(card), suit).changed
            assert not session.move(place, suit).changed
    assert {action for action in session.hints() if action == 1 or 9 <= action < 44} == {19}


@pytest.mark.parametrize(
    ("source", "card", "target", "action"),
    [("clubs", "AC", "column 7", 43), ("waste", "AS", "column 7", 8), ("column 7", "2D", "column 6", 85)],
)
def test_case_6_last_foundation_and_last_column_are_addressed(source: str, card: str, target: str, action: int) -> None:
    assert start("D", actions=[15, 0]).drag(source, parse_card(card), target).action == action
    session = start("D", actions=[15, 0])
    assert legal(session) == {0, 1, 8, 12, 43, 50, 75, 85}
    assert session.move(source, target).action == action
    assert session.last_move is not None
    assert (session.last_move.cards, session.last_move.source, session.last_move.target) == (
        (parse_card(card),),
        source,
        target,
    )


def test_case_7_part_of_a_run_moves() -> None:
    session = start("P", actions=[50, 56, 62, 74])
    assert legal(session) == {0, 14, 47, 81}
    refused(session, session.drag("column 1", parse_card("9H"), "column 5"), "9H does not go on 8C")
    refused(session, session.drag("column 1", parse_card("6S"), "column 5"), "6S does not go on 8C")
    assert session.drop_targets("column 1", parse_card("7D")) == {"column 5": 47}
    assert session.picked_up_cards("column 1", parse_card("7D")) == [parse_card(card) for card in ("7D", "6S", "5H")]
    assert session.move_text(47) == "7D and 2 cards on it to column 5"
    assert session.drag("column 1", parse_card("7D"), "column 5").action == 47
    assert cards_at(session.view, "column 1") == [parse_card("9H"), parse_card("8S")]


def test_case_8_undo_and_play_again() -> None:
    session = start("C")
    first = session.game_copy().notation
    played = [77, 64, 65, 59]
    assert [session.act(action).points for action in played] == [5, 5, 5, 5]
    notation = session.game_copy().notation
    for action in reversed(played):
        reply = session.undo()
        assert (reply.action, reply.points) == (action, -5)
    assert session.game_copy().notation == first
    assert session.last_move is None
    assert legal(session) == {0, 50, 64, 73, 77, 81}
    for action in played:
        session.act(action)
    assert session.game_copy().notation == notation


def test_case_10_no_foundation_card_goes_to_another_foundation() -> None:
    session = start("B", "D3V")
    texts = [session.score_text]
    for action in (0, 1, 1):
        session.act(action)
        texts.append(session.score_text)
    assert texts == ["-$52", "-$52", "-$47", "-$42"]
    for suit in ("hearts", "diamonds", "clubs"):
        refused(session, session.drag("spades", parse_card("2S"), suit), "does not go there")
    session.undo()
    assert session.score_text == "-$47"
    session.undo()
    assert session.score_text == "-$52"
    assert [parse_card(card) for card in ("5D", "2S", "AS")] == session.view.waste_in_sight
    session.act(1)
    session.act(1)
    assert session.score_text == "-$42"


def test_case_12_a_finished_stock_is_told_from_a_redeal() -> None:
    session = PlaySession(Game.from_code("KL1-D1V-AAAAAAG"))
    for _ in range(24):
        assert session.tap("stock").changed
    assert legal(session) == {11, 67, 68}
    refused(session, session.tap("stock"), "no pass is left")
    assert session.stock_sign == "empty, no redeal"

    session = PlaySession(Game.from_number(6, "D3N", passes=3))
    left = [session.passes_left]
    for _ in range(2):
        for _ in range(8):
            assert session.tap("stock").changed
        assert session.stock_sign == "empty, tap to redeal"
        assert session.move_text(0) == "redeal"
        assert session.tap("stock").changed
        left.append(session.passes_left)
    for _ in range(8):
        session.tap("stock")
    refused(session, session.tap("stock"), "no pass is left")
    assert left == [2, 1, 0]
    for _ in range(9):
        session.undo()
    assert session.passes_left == 1
    assert session.code_text == "KL1-D3N-AAAAAAG, D3N,passes=3"


def test_case_15_a_win_is_a_win(tmp_path: Path) -> None:
    game = Game.from_code("KL1-D1N-AAAAAAG")
    session = PlaySession(game, SavedGames(tmp_path))
    actions = solve(game).actions
    for action in actions:
        assert not session.is_won
        assert session.act(action).reason is None
    assert session.is_won
    assert session.hints() == []
    refused(session, session.tap("stock"), "the game is won")
    path = session.saved_path
    assert path is not None
    session.undo()
    assert not session.is_won
    assert session.act(actions[-1]).changed
    session.close()
    text = path.read_text()
    assert [line for line in text.splitlines() if line.startswith("end")] == [f"end won {session.score_text}"]
    assert read_record(path).final_game().is_won


def test_case_16_a_card_taken_back_stays() -> None:
    session = start("J", actions=[0, 1, 23])
    clock = session.serial
    session.view.legal_actions()
    session.hints()
    assert session.serial == clock
    assert cards_at(session.view, "column 1")[-1] == parse_card("AH")


@pytest.mark.parametrize("taps", [3, 5])
def test_case_17_extra_taps_do_nothing(taps: int) -> None:
    clock = Clock()
    session = start("F", clock=clock)
    replies = []
    for _ in range(taps):
        replies.append(session.tap("column 1"))
        clock.now += QUICK
    assert [reply.action for reply in replies] == [9] + [None] * (taps - 1)
    assert [reply.reason for reply in replies] == [None] * taps
    assert session.score_text == "10"
    clock.now += SLOW
    refused(session, session.tap("column 1"), "column 1 is empty")
    clock.now += QUICK
    refused(session, session.tap("column 1"), "column 1 is empty")
    assert session.drag("spades", parse_card("AS"), None).reason is None
    assert session.action_count == 1
    assert session.undo().action == 9


def test_a_second_tap_looks_for_the_longest_column() -> None:
    clock = Clock()
    session = PlaySession(lay_out("TH/TS9D/9H/JC/-/KS/QD", waste="KC8C", foundations=SIXES), clock=clock)
    refused(session, session.tap("waste"), "8C does not go up")
    clock.now += SLOW
    refused(session, session.tap("waste"), "8C does not go up")
    clock.now += QUICK
    assert session.tap("waste").action == 3
    clock.now += QUICK
    assert session.tap("waste").action is None
    clock.now += SLOW
    session.tap("waste")
    clock.now += QUICK
    assert session.tap("waste").action == 6
    assert session.view.column(5) == [parse_card("KC")]


def test_taps_on_different_places_do_not_belong_together() -> None:
    session = PlaySession(lay_out("TH/9D/8S/JC/-/KS/QD", foundations=SIXES), clock=Clock())
    assert not session.tap("column 3").changed
    assert not session.tap("column 4").changed
    assert not session.tap("column 3").changed
    session.undo()
    assert not session.tap("column 3").changed
    assert session.tap("column 3").action is not None


def test_every_tap_on_the_stock_counts() -> None:
    session = PlaySession(clock=Clock())
    assert all(session.tap("stock").changed for _ in range(24))
    assert session.action_count == 24
    refused(session, session.tap("hearts"), "a tap does nothing")


def test_look_for_column() -> None:
    session = PlaySession(lay_out("9D/8S/JC/-/KS/QH/-", foundations=SIXES))
    assert session.look_for_column("column 2").action == 50
    refused(session, session.look_for_column("column 1"), "no column takes 8S")
    assert session.look_for_column("column 3").action == encode_move(
        Move("column", "column", source_column=3, target_column=6)
    )
    refused(session, session.look_for_column("stock"), "only a top card")
    refused(session, session.look_for_column("column 4"), "column 4 is empty")


def test_what_can_be_picked_up() -> None:
    session = start("F")
    hidden = session.pick_up("column 2", -1)
    assert hidden is not None
    assert "face down" in hidden
    assert session.pick_up("stock", 0) is not None
    assert session.pick_up("waste", 0) == "the waste is empty"
    assert session.pick_up("hearts", 0) == "the hearts foundation is empty"
    assert "does not lie" in str(session.pick_up("column 1", parse_card("KD")))
    assert session.picked_up_cards("column 2", -1) == []
    assert not session.drag("column 2", -1, "column 1").changed
    no_take_back = PlaySession(Game.from_deck(CASE_DECKS["F"], "D1N", take_back=False))
    no_take_back.act(9)
    assert "no take-back" in str(no_take_back.pick_up("spades", parse_card("AS")))


def test_wrong_names_raise() -> None:
    session = PlaySession()
    for call in (
        lambda: session.tap("column 8"),
        lambda: session.tap("pocket"),
        lambda: session.drag("column 1", 0, "table"),
        lambda: session.drag("column 0", 0, None),
        lambda: session.move("waste", "foundation"),
    ):
        with pytest.raises(PileError):
            call()
    for action in (86, -1, True, 1.5):
        with pytest.raises(ActionError):
            session.act(action)  # type: ignore[arg-type]
    assert session.action_count == 0


def test_a_hundred_actions_can_be_undone() -> None:
    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"))
    for _ in range(107):
        assert session.tap("stock").changed
    scores = session.score_text
    assert session.undo_count == 100
    for _ in range(100):
        assert session.undo().changed
    refused(session, session.undo(), "last 100")
    assert session.action_count == 7
    assert session.last_move is not None
    assert scores == session.score_text == "0"


def test_points_come_back_with_an_undo() -> None:
    session = start("A", actions=[9, 10, 11, 71])
    assert [session.undo().points for _ in range(4)] == [-5, -15, -15, -10]
    assert session.score_text == "0"


def test_restart() -> None:
    session = start("A")
    refused(session, session.restart(), "beginning")
    first = session.game_copy().notation
    for action in (9, 10, 11):
        session.act(action)
    assert session.restart().points == -40
    assert session.score_text == "0"
    assert session.game_copy().notation == first
    assert session.last_move is None
    refused(session, session.undo(), "nothing is left to undo")
    without_deal = PlaySession(lay_out("9D/8S/JC/-/KS/QD/-", foundations=SIXES))
    without_deal.tap("stock")
    refused(without_deal, without_deal.restart(), "its deal is not known")


def test_new_games() -> None:
    session = PlaySession(Game.from_code("KL1-D3V-AAAAAAG"))
    assert session.new_game().changed
    assert session.rules.name == "D3V"
    session.new_game("D1N")
    assert session.rules.name == "D1N"
    session.new_game(code=" kl1-d3n-aaaaaah ")
    assert (session.code_text, session.copy_text) == ("KL1-D3N-AAAAAAH", "KL1-D3N-AAAAAAH")
    session.new_game(deck=CASE_DECKS["F"], rules="D3N")
    assert session.code_text == "own deck, D3N"
    assert session.copy_text == CASE_DECKS["F"]
    session.act(0)
    before, serial = session.game_copy().notation, session.serial
    for wrong in (
        {"code": "KL1-D4N-AAAAAAG"},
        {"deck": "4S"},
        {"rules": "D9"},
        {"code": "KL1-D1N-AAAAAAG", "deck": "x"},
    ):
        with pytest.raises(KlondikeError):
            session.new_game(**wrong)
    assert (session.game_copy().notation, session.serial) == (before, serial)


def test_serial_and_view_follow_changes() -> None:
    session = PlaySession()
    serials = [session.serial]
    assert isinstance(session.view, PlayerView)
    assert session.view is session.view
    for change in (lambda: session.tap("stock"), session.undo, lambda: session.tap("stock"), session.restart):
        view = session.view
        change()
        serials.append(session.serial)
        assert session.view is not view
    session.new_game()
    serials.append(session.serial)
    assert serials == sorted(set(serials))


def test_fifty_mixed_taps_drags_and_undos_keep_game_and_history_together() -> None:
    rng = np.random.default_rng(16)
    for round_ in range(40):
        rules = ("D1N", "D3N", "D1V", "D3V", "three-pass", "aces-first")[round_ % 6]
        first = Game.from_number(int(rng.integers(2**32)), rules)
        clock = Clock()
        session = PlaySession(first.copy(), clock=clock)
        for _ in range(50):
            clock.now += 0.02
            source, target = (PLACES[int(index)] for index in rng.integers(len(PLACES), size=2))
            cards = cards_at(session.view, source)
            card = cards[int(rng.integers(len(cards)))] if cards else -1
            serial = session.serial
            kind = rng.integers(8)
            if kind < 3:
                reply = session.tap(source)
            elif kind == 3:
                reply = session.drag(source, card, target)
            elif kind == 4:
                reply = session.move(source, target)
            elif kind == 5:
                reply = session.undo()
            elif kind == 6:
                reply = session.act(int(rng.choice(session.hints() or [0])))
            else:
                reply = session.look_for_column(source)
            assert (session.serial != serial) == reply.changed
            assert not (reply.changed and reply.reason)
            game = session.game_copy()
            assert game.validate() == []
            assert game.notation == replayed(session, first).notation


def test_a_picture_never_shows_hidden_cards() -> None:
    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"))
    for place in PLACES:
        known = [card for card in cards_at(session.view, place) if card >= 0]
        assert len(known) <= 1
    assert cards_at(session.view, "column 7")[:-1] == [-1] * 6
    assert cards_at(session.view, "stock") == [-1] * 24


def test_codes_and_rules_of_open() -> None:
    session = PlaySession.open(code="KL1-D1N-AAAAAAG", rules="three-pass")
    assert session.code_text == "KL1-D3N-AAAAAAG, three-pass"
    assert session.game_copy().game_number == parse_code("KL1-D1N-AAAAAAG").number
    for wrong in ({"code": "KL1"}, {"deck": "1S"}, {"rules": "no"}, {"code": "KL1-D1N-AAAAAAG", "deck": "AS"}):
        with pytest.raises(KlondikeError):
            PlaySession.open(**wrong)  # type: ignore[arg-type]
