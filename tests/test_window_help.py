"""The window: keys, hints, questions to the solver, agents, ends of games, and drawing at any size."""

import pytest
from golden import read_json_lines
from oracle.positions import CASE_DECKS
from walks import lay_out
from window_driver import Player, check_cards, legal, pygame, seen, start

from klondike_env import Game, card_name, parse_card
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.playing.window_keys import KEY_HELP
from klondike_env.playing.window_scene import Shown
from klondike_env.playing.window_table import place_of_spot


def test_case_6_the_last_places_can_be_reached_by_keys() -> None:
    def begin() -> Player:
        player = start("D")
        player.keys("7", "c")
        player.key("0")
        assert legal(player) == {0, 1, 8, 12, 43, 50, 75, 85}
        return player

    player = begin()
    player.keys("c", "7")
    assert [card_name(c) for c in player.game.column(7)[-2:]] == ["2D", "AC"]
    player = begin()
    player.keys("w", "7")
    assert [card_name(c) for c in player.game.column(7)[-2:]] == ["2D", "AS"]
    player = begin()
    player.keys("7", "6")
    assert [card_name(c) for c in player.game.column(6)[-2:]] == ["3S", "2D"]
    assert card_name(player.game.column(7)[-1]) == "8H"
    # The same by cursor: right to clubs, pick up; down to column 7, drop.
    player = begin()
    player.keys("c", "escape")
    player.key("space")
    player.keys("down", "right", "left", "enter")
    assert player.session.action_count == 3
    check_cards(player)


def test_keys_choose_a_card_within_a_run() -> None:
    player = start("P", actions=(50, 56, 62, 74))
    player.keys("1", "escape")
    player.keys("up", "up")
    player.key("space")
    marks = player.window._keys_hand.marks()
    assert [card_name(card) for card in marks.hand] == ["7D", "6S", "5H"]
    player.keys("right", "right", "right", "right", "space")
    assert card_name(player.game.column(5)[-3]) == "7D"
    # Taps by key.
    other = start("F")
    other.keys("1", "escape", "enter")
    assert other.game.foundation_height(0) == 1
    other.keys("0", "w", "escape", "o")
    assert card_name(other.game.column(7)[-1]) == "9H"
    other.key("z", pygame.KMOD_CTRL)
    assert other.game.undo_count == 2


def test_help_lists_all_keys_and_any_key_closes_it() -> None:
    player = start("F")
    listed = {part for keys, _ in KEY_HELP for part in keys.replace(",", " ").split()}
    for key in player.window._commands:
        assert key in listed or key.capitalize() in listed
    for size in ((900, 700), (320, 240), (400, 900)):
        player.send(pygame.VIDEORESIZE, size=size, w=size[0], h=size[1])
        player.surface = pygame.Surface(size, 0, 32)
        without = seen(player)
        player.key("?")
        assert (seen(player) != without).mean() > 0.3
        player.key("u")
        assert player.window.dialog is None
    player.key("%")
    assert "? shows the keys" in player.window.message


def test_quitting() -> None:
    for quit_by in (
        lambda p: p.key("q"),
        lambda p: p.send(pygame.QUIT),
        lambda p: p.send(pygame.WINDOWCLOSE),
        lambda p: p.key("w", pygame.KMOD_CTRL),
    ):
        player = start("F")
        quit_by(player)
        assert not player.window.is_open


# Help and ends


def test_hints_are_the_legal_moves() -> None:
    player = start("P", actions=(50, 56, 62, 74))
    before = seen(player)
    player.press_button("l")
    assert player.window.panel == "hints"
    assert (seen(player) != before).any()
    outlined = player.window._scene._outlines(player.session, shown(player))
    # 7D of column 1, AS of column 6, the card of column 6 or 7 that moves, and the stock; and their targets.
    sources = {player.session.places_of(action)[0] for action in player.session.hints()}
    targets = {player.session.places_of(action)[1] for action in player.session.hints()} - {"waste"}
    assert {place_of_spot(spot) for spot in outlined} == sources | targets
    player.key("l")
    assert player.window.panel is None


def shown(player: Player):  # type: ignore[no-untyped-def]
    """Return what the window gives its scene to show."""
    window = player.window
    return Shown("", False, window._keys_hand.marks(), False, [], False, False, None, "")


def test_case_15_a_win_is_shown_and_a_loss_never() -> None:
    line = next(line for line in read_json_lines("oracle_d1.jsonl") if line.get("actions"))
    player = Player(Game.from_deck(line["deck"]))
    *actions, last = line["actions"]
    for action in actions:
        player.session.act(action)
    assert not player.session.is_won
    assert "Won" not in player.window.message
    source = player.session.places_of(last)[0]
    player.tap(source)
    assert player.session.is_won
    assert player.window.message.startswith(f"Won with {player.session.score_text}")
    for word in ("lose", "lost", "no more moves"):
        assert word not in player.window.message.lower()
    player.draw()
    player.key("u")
    assert not player.session.is_won
    # A lost game says nothing of it.
    lost = Player(Game.from_deck(CASE_DECKS["B"], "D1V"))
    while lost.game.is_legal(0):
        lost.tap("stock")
    for text in (lost.window.message,):
        assert "lost" not in text


def test_the_solver_is_asked_while_the_window_lives() -> None:
    player = start("F")
    player.press_button("v")
    assert player.window.is_waiting
    player.tap("stock")
    player.key("u")
    player.key("v")
    player.wait_until(lambda: not player.window.is_waiting)
    assert player.window.message.startswith(("yes", "no", "unknown"))
    player.key("x")
    player.wait_until(lambda: not player.window.is_waiting)
    assert "useful" in player.window.message or "way on" in player.window.message
    # An answer to a question about another position is dropped.
    player.key("v")
    player.key("0")
    assert not player.window.is_waiting


class Teller:
    """An agent that always plays the first legal action and tells why."""

    observations = None

    def reset(self, seed: int) -> None:
        self.thoughts: Thoughts | None = None

    def act(self, view) -> int:  # type: ignore[no-untyped-def]
        legal = view.legal_actions()
        self.thoughts = Thoughts({a: 1 / len(legal) for a in legal}, 0.25, {legal[0]: 0.5})
        return int(legal[0])


def test_an_agent_plays_a_step_tells_and_runs_until_a_key() -> None:
    player = Player(Game.from_deck(CASE_DECKS["F"]), agent=f"{__name__}:Teller")
    plain = seen(player)
    player.press_button("p")
    player.wait_until(lambda: not player.window.is_waiting)
    assert player.game.undo_count == 0
    assert player.window.panel == "agent"
    choice = player.session.agent_choice
    assert choice is not None
    assert choice.thoughts is not None
    assert (seen(player) != plain).mean() > 0.1
    player.press_button("a")
    player.wait_until(lambda: not player.window.is_waiting)
    assert player.session.actions == [0]
    player.key("A")
    player.wait_until(lambda: player.session.action_count >= 4)
    assert player.window.is_waiting
    player.draw()
    player.key("u")
    assert not player.window.is_waiting
    assert "stopped" in player.window.message
    count = player.session.action_count
    player.wait(2)
    assert player.session.action_count == count
    assert set(player.session.actions) == {0}
    # In a high window the panel lies below.
    player.send(pygame.VIDEORESIZE, size=(400, 800), w=400, h=800)
    player.surface = pygame.Surface((400, 800), 0, 32)
    player.draw()


def test_an_agent_is_chosen_and_a_wrong_one_is_named() -> None:
    player = start("F")
    player.key("a")
    player.window.tick(0.02)
    assert "no agent is chosen" in player.window.message
    player.key("g")
    player.type("nowhere:Nobody")
    player.key("enter")
    player.wait_until(lambda: not player.window.is_waiting)
    assert player.window.is_refusal
    assert "nowhere" in player.window.message
    player.key("g")
    player.draw()
    player.click(player.window.dialog.box_of("agent", "greedy").center)
    player.draw()
    player.click(player.window.dialog.box_of("accept").center)
    player.wait_until(lambda: not player.window.is_waiting)
    assert player.session.agent_name == "greedy"
    player.key("a")
    player.wait_until(lambda: not player.window.is_waiting)
    assert player.session.action_count == 1


@pytest.mark.parametrize(
    ("value", "unit", "is_share"),
    [
        (0.5, "chance to win", True),
        (1.0, "share of sampled games won", True),
        (0.5, "points", False),
        (1.5, "chance to win", False),
        (None, "chance to win", False),
    ],
)
def test_values_that_are_shares_are_told_from_others(value: float | None, unit: str, is_share: bool) -> None:
    assert Thoughts({}, value, unit=unit).value_is_share is is_share


def test_an_agent_that_wins_ends_its_run() -> None:
    game = lay_out("KD/KS/KH/-/-/-/-", foundations="12,12,12,13")
    player = Player(game, agent="greedy")
    player.key("A")
    player.wait_until(lambda: player.session.is_won)
    player.wait_until(lambda: not player.window.is_waiting)
    assert player.window.message.startswith("Won")


# Drawing


@pytest.mark.parametrize("size", [(320, 240), (480, 900), (1600, 900), (200, 100)])
def test_windows_of_any_size_are_drawn_and_played(size: tuple[int, int]) -> None:
    player = Player(Game.from_deck(CASE_DECKS["F"]), size)
    player.draw()
    player.keys("l", "p", "n")
    player.draw()
    player.key("escape")
    player.draw()
    if min(size) >= 240:
        player.quick_taps("column 1", 1)
        player.drag("KD", "column 1")
        assert player.game.undo_count == 2
        for box in player.window.bar.boxes.values():
            assert box.right <= size[0]
            assert box.bottom <= size[1]
            assert box.width > 20
        boxes = list(player.window.bar.boxes.values())
        assert all(not a.colliderect(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_a_still_window_is_not_drawn_again() -> None:
    player = start("F")
    player.draw()
    assert not player.window.needs_drawing
    player.window.tick(0.5)
    assert not player.window.needs_drawing
    player.tap("stock")
    assert player.window.needs_drawing
    player.draw()
    player.window.tick(0.01)
    assert player.window.needs_drawing


def test_cards_in_the_hand_follow_the_mouse() -> None:
    player = start("F")
    home = player.rect("QH")
    x, y = player.take("QH")
    player.move((x + 100, y - 40))
    ((card, left, top),) = player.window._mouse.flying()
    assert (card, left, top) == (parse_card("QH"), home.x + 100, home.y - 40)
    player.draw()
    player.key("escape")
