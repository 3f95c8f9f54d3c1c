"""What helps a player: answers to questions, and agents that play on in a session."""

from pathlib import Path

import numpy as np
import pytest
from walks import random_game

from klondike_env import Game, PlayerView, solve
from klondike_env.commands.play import DEFAULT_AGENT
from klondike_env.errors import PolicyError
from klondike_env.evaluation.thoughts import Thoughts
from klondike_env.playing import playing_agent
from klondike_env.playing.saved_games import SavedGames
from klondike_env.playing.session import PlaySession, Reply
from klondike_env.records import read_record


def refused(session: PlaySession, reply: Reply, words: str) -> None:
    """Check that a reply refuses and says why in one line."""
    assert not reply.changed
    assert reply.reason is not None
    assert words in reply.reason
    assert "\n" not in reply.reason


def test_can_it_still_be_won() -> None:
    assert PlaySession(Game.from_code("KL1-D1N-AAAAAAG")).ask_winnable().result() == "yes"
    dead = PlaySession.open(deck="greenfelt:2095819838")
    assert dead.ask_winnable().result() == "no"
    hard = dead.ask_winnable(time_limit=1e-9)
    assert hard.result() in ("unknown", "no")
    work = dead.ask_winnable()
    work.cancel()
    assert work.result() in ("unknown", "no")


def test_useful_moves_are_told_from_what_the_player_knows() -> None:
    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"))
    answer = session.ask_useful_move().result()
    assert "there is a way on, beginning with" in answer
    others = [session.view.sample(np.random.default_rng(seed)) for seed in range(5)]
    assert {PlaySession(game).ask_useful_move().result() for game in others} == {answer}
    assert session.action_count == 0

    # Nothing but a king that goes from one empty column to the other.
    stuck = PlaySession(Game.from_code("KL1-D1V-AAAAAAG"))
    for _ in range(24):
        stuck.tap("stock")
    while stuck.hints():
        useful = stuck.ask_useful_move().result()
        if "no useful move" in useful:
            break
        stuck.choose_agent("greedy")
        assert stuck.agent_step().changed
    assert "no useful move" in useful

    blocked = random_game("aces-first", 3, 600)
    assert not blocked.legal_actions()
    assert PlaySession(blocked).ask_useful_move().result() == "no useful move is left: no move at all is legal"


# Agents


class ToldError(Exception):
    """Raised by an agent of these tests."""


def agent_of(monkeypatch: pytest.MonkeyPatch, policy: object) -> str:
    """Let an agent of a test be loaded by a name."""
    monkeypatch.setattr(playing_agent, "load_policy", lambda name: policy)
    return "mine"


class Recorder:
    """Plays the first legal action and keeps what it was given."""

    name = "recorder"

    def __init__(self) -> None:
        self.seeds: list[int] = []
        self.seen: list[object] = []
        self.thoughts: Thoughts | None = None

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)

    def act(self, view: PlayerView) -> int:
        self.seen.append(view)
        action = view.legal_actions()[0]
        self.thoughts = Thoughts({action: 0.75}, value=0.5)
        return action


def test_greedy_plays_on_as_it_is_evaluated() -> None:
    from klondike_agents import GreedyPolicy

    game = Game.from_code("KL1-D1N-AAAAAAG")
    session = PlaySession(game.copy(), agent="greedy")
    policy = GreedyPolicy()
    policy.reset(0)
    for _ in range(30):
        game.play(policy.act(game.view()))
        assert session.agent_step().changed
    assert session.game_copy().notation == game.notation


def test_the_agent_that_play_brings_along_tells_what_it_expects() -> None:
    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"), agent=DEFAULT_AGENT)
    told = []
    for _ in range(40):
        thoughts = session.agent_begin().result().thoughts
        if thoughts is not None:
            told.append(thoughts)
        assert session.agent_step().changed
    assert told
    assert all(thoughts.action_values and thoughts.value is not None for thoughts in told)


def test_an_agent_is_reset_when_somebody_else_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Recorder()
    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"), agent=agent_of(monkeypatch, policy))
    session.agent_step()
    session.agent_step()
    assert len(policy.seeds) == 1
    session.act(11)
    session.agent_step()
    session.agent_step()
    assert len(policy.seeds) == 2
    session.undo()
    session.agent_step()
    assert len(policy.seeds) == 3
    session.new_game(code="KL1-D1N-AAAAAAG")
    session.agent_step()
    assert policy.seeds[3] == policy.seeds[0] != policy.seeds[1]
    assert all(type(view) is PlayerView for view in policy.seen)


def test_a_choice_is_made_once_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Recorder()
    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"), agent=agent_of(monkeypatch, policy))
    assert session.agent_choice is None
    work = session.agent_begin()
    assert session.agent_begin() is work
    choice = work.result()
    assert session.agent_choice == choice
    assert choice.thoughts == Thoughts({0: 0.75}, value=0.5)
    assert session.action_count == 0
    assert session.agent_step().action == choice.action
    assert len(policy.seen) == 1
    assert session.agent_choice is None


def test_thoughts_of_an_agent_are_kept_in_the_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = agent_of(monkeypatch, Recorder())
    with PlaySession(Game.from_code("KL1-D1N-AAAAAAG"), SavedGames(tmp_path), agent=name) as session:
        session.act(11)
        session.agent_step()
        path = session.saved_path
    assert path is not None
    entries = read_record(path).entries
    assert [entry.thoughts for entry in entries] == [None, Thoughts({0: 0.75}, value=0.5)]


def test_a_batch_agent_plays_from_observations(monkeypatch: pytest.MonkeyPatch) -> None:
    class Batch:
        name = "batch"

        def act_batch(self, observations: object, masks: np.ndarray, generators: list[object]) -> np.ndarray:
            assert np.asarray(observations).shape == (1, 37, 4, 13)
            assert len(generators) == 1
            return masks.argmax(axis=1)

    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"), agent=agent_of(monkeypatch, Batch()))
    assert session.agent_step().action == 0


def test_only_a_thoughtful_agent_gets_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    class Knowing:
        name = "knowing"
        thoughtful = True

        def reset(self, seed: int) -> None: ...

        def act_on_game(self, game: Game) -> int:
            action = solve(game).actions[0]
            game.play(action)  # It is a copy.
            return action

    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"), agent=agent_of(monkeypatch, Knowing()))
    while not session.is_won:
        assert session.agent_step().changed
    assert session.agent_is_done
    refused(session, session.agent_step(), "the game is won")


@pytest.mark.parametrize("answer", [1, 86, -1, None, "0", 0.5, True])
def test_a_wrong_answer_of_an_agent_changes_nothing(monkeypatch: pytest.MonkeyPatch, answer: object) -> None:
    class Wrong(Recorder):
        def act(self, view: PlayerView) -> int:
            return answer  # type: ignore[return-value]

    session = PlaySession(Game.from_code("KL1-D1N-AAAAAAG"), agent=agent_of(monkeypatch, Wrong()))
    refused(session, session.agent_step(), "'mine'")
    assert session.action_count == 0


def test_an_agent_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Recorder):
        def act(self, view: PlayerView) -> int:
            raise ToldError("no idea")

    session = PlaySession(agent=agent_of(monkeypatch, Failing()))
    refused(session, session.agent_step(), "no idea")
    assert session.agent_choice is None
    assert session.tap("stock").changed


def test_agents_are_chosen_by_name() -> None:
    session = PlaySession()
    refused(session, session.agent_step(), "no agent is chosen")
    session.choose_agent("random")
    assert session.agent_name == "random"
    with pytest.raises(PolicyError):
        session.choose_agent("nobody")
    assert session.agent_name == "random"
    assert session.agent_step().changed
    with pytest.raises(PolicyError):
        PlaySession.open(agent="nobody")
