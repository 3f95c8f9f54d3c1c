"""Other vector envs that users know, as yardsticks where they are installed: EnvPool's CartPole, pgx's 2048."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.measuring import Clock, Contestant

ROWS = 1024


def peer_contestants() -> tuple[list[Contestant], list[str]]:
    """Return the peers that are installed, and the names of those that are not."""
    makers: dict[str, Callable[[], Contestant]] = {
        f"EnvPool CartPole-v1, {ROWS} rows": _envpool_cartpole,
        f"pgx 2048, {ROWS} rows": _pgx_2048,
    }
    contestants = []
    missing = []
    for name, make in makers.items():
        try:
            contestant = make()
        except ImportError:
            missing.append(name)
        else:
            contestant.name = name
            contestants.append(contestant)
    return contestants, missing


def _envpool_cartpole() -> Contestant:
    """Return EnvPool's CartPole, which steps its rows in C++ threads."""
    import envpool

    envs = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=ROWS)
    envs.reset()
    actions = np.random.default_rng(0).integers(0, 2, (64, ROWS)).astype(np.int32)

    def play(seconds: float, clock: Clock) -> tuple[int, int, float]:
        steps = games = 0
        start = clock()
        elapsed = 0.0
        while not steps or elapsed < seconds:
            _, _, terminations, truncations, _ = envs.step(actions[steps // ROWS % len(actions)])
            steps += ROWS
            games += int((terminations | truncations).sum())
            elapsed = clock() - start
        return steps, games, elapsed

    return Contestant("", play)


def _pgx_2048() -> Contestant:
    """Return pgx's 2048, compiled by JAX for the processor, with random legal play inside the compiled step."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("2048")
    keys = jax.random.split(jax.random.PRNGKey(0), ROWS)
    state = jax.jit(jax.vmap(env.init))(keys)
    step_row = auto_reset(env.step, env.init)

    @jax.jit
    def step(state, key):  # type: ignore[no-untyped-def]
        key, choice, chance = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(choice, logits, axis=1)
        return jax.vmap(step_row)(state, actions, jax.random.split(chance, ROWS)), key

    held = [state, jax.random.PRNGKey(1)]

    def play(seconds: float, clock: Clock) -> tuple[int, int, float]:
        steps = games = 0
        start = clock()
        elapsed = 0.0
        while not steps or elapsed < seconds:
            held[:] = step(*held)
            jax.block_until_ready(held[0].observation)
            steps += ROWS
            games += int(held[0].terminated.sum())
            elapsed = clock() - start
        return steps, games, elapsed

    return Contestant("", play)
