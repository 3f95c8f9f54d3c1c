"""Writing a whole plane of the observation, 52 bytes, in a few machine instructions.

For use in ``@compiled`` functions. Loops over the 52 entries, which the compiler unrolls, took four times as long.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from klondike_env.cards import CARD_COUNT
from klondike_env.compiled import JIT_DISABLED

_PLANE: Final = ir.VectorType(ir.IntType(8), CARD_COUNT)


def _store(context: Any, builder: Any, signature: Any, arguments: Any, plane: Any) -> Any:
    """Generate the store of a vector of 52 bytes at the place that the first two arguments name."""
    entries = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    start = builder.mul(arguments[1], ir.Constant(ir.IntType(64), CARD_COUNT))
    pointer = builder.bitcast(builder.gep(entries, [start]), _PLANE.as_pointer())
    builder.store(plane, pointer, align=1)
    return context.get_dummy_value()


if JIT_DISABLED:

    def store_card_set(planes: npt.NDArray[np.int8], plane: int, cards: int) -> None:
        """Write 1 for each card of a set and 0 for the others; see the compiled twin."""
        planes[plane * CARD_COUNT : (plane + 1) * CARD_COUNT] = (int(cards) >> np.arange(CARD_COUNT)) & 1

    def store_value(planes: npt.NDArray[np.int8], plane: int, value: int) -> None:
        """Write one value to all entries; see the compiled twin."""
        planes[plane * CARD_COUNT : (plane + 1) * CARD_COUNT] = value

else:

    @intrinsic
    def store_card_set(typing_context: Any, planes: Any, plane: Any, cards: Any) -> Any:
        """Write 1 for each card of a set and 0 for the others.

        Args:
            typing_context: From numba; callers leave it out.
            planes: C-contiguous int8 array of shape (52 * planes,), written. Bounds are the caller's duty.
            plane: Index of the plane.
            cards: Set of cards, bit ``c`` for card ``c``.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            bits = builder.trunc(arguments[2], ir.IntType(CARD_COUNT))
            flags = builder.bitcast(bits, ir.VectorType(ir.IntType(1), CARD_COUNT))
            return _store(context, builder, signature, arguments, builder.zext(flags, _PLANE))

        return types.void(planes, types.int64, types.int64), generate

    @intrinsic
    def store_value(typing_context: Any, planes: Any, plane: Any, value: Any) -> Any:
        """Write one value to all entries.

        Args:
            typing_context: From numba; callers leave it out.
            planes: C-contiguous int8 array of shape (52 * planes,), written. Bounds are the caller's duty.
            plane: Index of the plane.
            value: The value, -128 to 127.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            entry = builder.insert_element(
                ir.Constant(_PLANE, ir.Undefined), arguments[2], ir.Constant(ir.IntType(32), 0)
            )
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), CARD_COUNT), None)
            splat = builder.shuffle_vector(entry, ir.Constant(_PLANE, ir.Undefined), zeros)
            return _store(context, builder, signature, arguments, splat)

        return types.void(planes, types.int64, types.int8), generate
