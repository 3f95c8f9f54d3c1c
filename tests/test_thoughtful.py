"""The thoughtful agent: wins what can be won under every rule set, and plays on sensibly where nothing can."""

import pytest
from klondike_agents import GreedyPolicy, SolverPolicy

from klondike_env import RULE_SETS, Game
from klondike_env.errors import OptionError
from klondike_env.evaluation import evaluate, load_policy
from klondike_env.suites import Suite, get_suite

FEW = 12


@pytest.mark.parametrize("rules", RULE_SETS)
def test_wins_every_game_that_can_be_won(rules: str) -> None:
    suite = get_suite(f"{rules}-dev")
    assert suite.labels is not None
    winnable = [verdict == "winnable" for verdict in suite.labels.verdicts[:FEW]]
    evaluation = evaluate("thoughtful", Suite("few", suite.games[:FEW]))
    assert [result.won for result in evaluation.results] == winnable
    assert evaluation.thoughtful
    assert {(result.agent, result.sees) for result in evaluation.results} == {("thoughtful", "everything")}


def test_plays_on_as_greedy_where_no_win_is_known() -> None:
    few = Suite("few", get_suite("D3V-dev").games[:FEW])
    blind = evaluate("thoughtful", few, options={"node_limit": 1}).results
    greedy = evaluate("greedy", few).results
    assert {result.agent for result in blind} == {"thoughtful node_limit=1"}
    assert [(result.paid, result.founded, result.steps) for result in blind] == [
        (result.paid, result.founded, result.steps) for result in greedy
    ]
    thoughtful = evaluate("thoughtful", few).results
    for knowing, unknowing in zip(thoughtful, greedy, strict=True):
        assert knowing.won or knowing.paid == unknowing.paid


def test_tells_what_it_knows() -> None:
    agent = SolverPolicy()
    verdicts = {"D3N": ("winnable", 1.0), "D1V": ("unwinnable", 0.0)}
    for rules, (verdict, value) in verdicts.items():
        agent.reset(0)
        assert agent.verdict is None
        assert agent.thoughts is None
        action = agent.act_on_game(Game.from_number(6, rules))
        assert agent.verdict == verdict
        assert agent.thoughts is not None
        assert (agent.thoughts.value, agent.thoughts.probabilities) == (value, {action: 1.0})
    unsure = SolverPolicy(node_limit=1)
    unsure.reset(0)
    action = unsure.act_on_game(Game.from_number(6, "D3N"))
    assert unsure.verdict == "unknown"
    assert unsure.thoughts is not None
    assert unsure.thoughts.value is None
    assert action in Game.from_number(6, "D3N").legal_actions()


def test_finds_another_way_after_a_move_or_undo_of_somebody_else() -> None:
    agent = SolverPolicy()
    agent.reset(0)
    game = Game.from_number(6, "D3N")
    steps = 0
    while not game.is_won:
        game.play(agent.act_on_game(game.copy()))
        steps += 1
        if steps in (5, 20, 40):
            game.undo()
        if steps in (10, 30):
            game.play(0)
        assert steps < 500


def test_leaves_the_game_as_it_is() -> None:
    agent = SolverPolicy()
    agent.reset(0)
    game = Game.from_number(6, "D3N")
    before = game.notation
    agent.act_on_game(game)
    assert game.notation == before
    assert game.undo_count == 0


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "many"])
def test_a_wrong_limit_is_told(limit: object) -> None:
    with pytest.raises(OptionError, match=r"node_limit is .*; it must be a positive whole number"):
        SolverPolicy(node_limit=limit)  # type: ignore[arg-type]


def test_is_an_agent_by_name() -> None:
    assert isinstance(load_policy("thoughtful"), SolverPolicy)
    assert not isinstance(load_policy("greedy"), SolverPolicy)
    assert GreedyPolicy().name == "greedy"
