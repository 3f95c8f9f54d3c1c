"""Which game an env plays: codes, numbers, decks, draws at random, and wrong options and arguments."""

from typing import Any

import numpy as np
import pytest

from klondike_env import RULE_SETS, Deal, make_rules
from klondike_env.env import KlondikeEnv
from klondike_env.episode_options import EVALUATION_NUMBERS, EpisodeOptions, draw_game_number
from klondike_env.errors import (
    DealError,
    GameCodeError,
    OptionError,
    RulesError,
)

CODE = "KL1-D3N-AAAAAAG"
DECK = str(Deal.from_number(6))


def test_a_code_is_played_under_its_own_draw_and_scoring() -> None:
    env = KlondikeEnv("D1N", take_back=False)
    env.reset(options={"code": "kl1-d3v-aaaaaag "})
    assert env.game.rules == make_rules("D3V", take_back=False)
    assert env.game.game_number == 6
    env.reset(options={"code": "KL1-D1N-AAAAAAG"})
    assert env.game.rules == env.rules == make_rules("D1N", take_back=False)
    env.reset()
    assert env.game.rules == env.rules


def test_a_code_of_the_envs_own_mode_keeps_its_rules() -> None:
    env = KlondikeEnv("three-pass")
    env.reset(options={"code": CODE})
    assert env.game.rules == RULE_SETS["three-pass"]
    env.reset(options={"code": "KL1-D1N-AAAAAAG"})
    assert env.game.rules == RULE_SETS["D1N"]


def test_number_and_deck_are_played_under_the_envs_rules() -> None:
    env = KlondikeEnv("three-pass")
    for options, number in [({"number": 6}, 6), ({"deck": DECK}, -1), ({"deck": Deal.from_number(6)}, 6)]:
        _, info = env.reset(options=options)
        assert (env.game.deck, env.game.rules, info["game_number"]) == (DECK, RULE_SETS["three-pass"], number)


def test_the_constructors_code_is_played_at_every_reset() -> None:
    env = KlondikeEnv(code=CODE)
    assert [env.reset()[1]["game_number"] for _ in range(3)] == [6, 6, 6]
    assert env.game.rules == RULE_SETS["D3N"]
    assert env.reset(options={"code": "KL1-D1V-AAAAAAB"})[1]["game_number"] == 1
    assert env.reset(options={"deck": DECK})[1]["game_number"] == -1
    assert env.game.rules == env.rules == RULE_SETS["D1N"]
    assert env.reset()[1]["game_number"] == 6


BAD_OPTIONS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"seed": 1}, OptionError, "reset option 'seed' does not exist; options are code, number, deck"),
    ({"code": CODE, "deck": DECK}, OptionError, "reset options code and deck both name a deal; give one of them"),
    ({"code": CODE, "number": 6}, OptionError, "reset options code and number both name a deal"),
    ({"code": "KL1-D2N-AAAAAAG"}, GameCodeError, "mode 'D2N' is unknown; it must be one of D1N, D3N, D1V, D3V"),
    ({"code": 6}, GameCodeError, "6 is no game code"),
    ({"number": -1}, GameCodeError, "game number -1 is none"),
    ({"number": True}, GameCodeError, "game number True is none"),
    ({"deck": "AS"}, DealError, "1"),
    ({"deck": 5}, DealError, "5 is no deal"),
]


@pytest.mark.parametrize(("options", "error", "message"), BAD_OPTIONS, ids=[str(list(bad[0])) for bad in BAD_OPTIONS])
def test_wrong_reset_options_are_named_and_change_nothing(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    env = KlondikeEnv()
    env.reset(seed=0)
    notation, state, given = env.game.notation, env.np_random.bit_generator.state, dict(options)
    with pytest.raises(error, match=message):
        env.reset(seed=5, options=options)
    assert options == given
    assert env.game.notation == notation
    assert env.np_random.bit_generator.state == state


@pytest.mark.parametrize("options", ["code", 6, [CODE], ["code"]])
def test_options_that_are_no_dict_are_refused(options: Any) -> None:
    with pytest.raises(OptionError, match="it must be None or a dict such as"):
        KlondikeEnv().reset(options=options)


def test_options_are_left_as_they_were_given() -> None:
    options: dict[str, Any] = {"code": CODE, "deck": None}
    KlondikeEnv().reset(options=options)
    assert options == {"code": CODE, "deck": None}
    assert KlondikeEnv().reset(seed=0, options={})[1]["game_number"] == KlondikeEnv().reset(seed=0)[1]["game_number"]


def test_no_game_kept_for_evaluation_is_ever_drawn() -> None:
    rng = np.random.default_rng(0)
    numbers = np.array([draw_game_number(rng) for _ in range(100_000)])
    assert EVALUATION_NUMBERS == 2_000_000
    assert numbers.min() >= 2_000_000
    assert numbers.max() <= 2**32 - 1
    assert numbers.max() > 4.29e9
    assert abs(numbers.mean() / ((2**32 + 2_000_000) / 2) - 1) < 0.01

    class Lowest:
        """A generator that always draws the lowest number it is asked for."""

        def integers(self, low: int, high: int) -> int:
            return low

    assert EpisodeOptions("D1N", {}, None).draw(Lowest())[0].number == 2_000_000  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"rules": "D4N"}, RulesError, "'D4N' is no rule set"),
        ({"passes": 0}, RulesError, "passes is 0; it must be a whole number from 1 to 1000000, or 'unlimited'"),
        ({"reward": "points"}, OptionError, "reward is 'points'; it must be one of 'score', 'table', 'win'"),
        ({"reward": None}, OptionError, "reward is None; it must be one of"),
        ({"squared": 1}, OptionError, "squared is 1; it must be True or False"),
        ({"illegal_action": "punish"}, OptionError, "illegal_action is 'punish'; it must be one of 'ignore', 'raise'"),
        (
            {"render_mode": "braille"},
            OptionError,
            "render_mode is 'braille'; it must be None or one of 'human', 'rgb_array', 'ansi'",
        ),
        ({"code": "KL1"}, GameCodeError, "game code 'KL1' has 1 parts"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        KlondikeEnv(**arguments)
