"""Writing many bytes of a mask or of an observation in a few machine instructions.

For use in ``@compiled`` functions: these four generate vector instructions, which the compiler does not find by itself
in loops. With loops a step took twice as long. Bounds are the caller's duty. Under ``NUMBA_DISABLE_JIT=1`` the same is
done by NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from klondike_env.cards import CARD_COUNT
from klondike_env.compiled import JIT_DISABLED
from klondike_env.layout import COLUMN_COUNT

_BYTE: Final = ir.IntType(8)
_WORD: Final = ir.IntType(64)
_PLANE: Final = ir.VectorType(_BYTE, CARD_COUNT)
# A power of two of lanes suits the machine; the eighth is no column and holds no cards.
_COLUMN_SETS: Final = ir.VectorType(_WORD, COLUMN_COUNT + 1)

CardSets = Any
"""A tuple of seven sets of cards, one a column."""


def _constant(vector: ir.VectorType, value: int) -> ir.Constant:
    """Return a vector with one value in all lanes."""
    return ir.Constant(vector, [value] * vector.count)


def _repeat(builder: Any, value: Any, vector: ir.VectorType) -> Any:
    """Generate a vector with one value, known at run time only, in all lanes."""
    nothing = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, _constant(ir.VectorType(ir.IntType(32), vector.count), 0))


def _store(context: Any, builder: Any, array_type: Any, array: Any, start: Any, values: Any) -> None:
    """Generate the store of a vector of bytes from a place of an int8 array on."""
    entries = context.make_array(array_type)(context, builder, array).data
    pointer = builder.bitcast(builder.gep(entries, [start]), values.type.as_pointer())
    builder.store(values, pointer, align=1)


def _pack(builder: Any, sets: Any) -> Any:
    """Generate a vector of a tuple of seven sets."""
    vector = _constant(_COLUMN_SETS, 0)
    for column in range(COLUMN_COUNT):
        lane = ir.Constant(ir.IntType(32), column)
        vector = builder.insert_element(vector, builder.extract_value(sets, column), lane)
    return vector


def _store_flags(
    context: Any, builder: Any, array_type: Any, mask: Any, start: Any, cards: Any, sets: Any, columns: Sequence[int]
) -> Any:
    """Generate the store of one byte a column, whether its set has any of the cards, and the count of ones."""
    common = builder.and_(_repeat(builder, cards, _COLUMN_SETS), sets)
    flags = builder.icmp_unsigned("!=", common, _constant(_COLUMN_SETS, 0))
    lanes = ir.Constant(ir.VectorType(ir.IntType(32), len(columns)), list(columns))
    flags = builder.shuffle_vector(flags, ir.Constant(flags.type, ir.Undefined), lanes)
    _store(context, builder, array_type, mask, start, builder.zext(flags, ir.VectorType(_BYTE, len(columns))))
    return builder.ctpop(builder.zext(builder.bitcast(flags, ir.IntType(len(columns))), _WORD))


if JIT_DISABLED:

    def store_card_set(planes: npt.NDArray[np.int8], plane: int, cards: int) -> None:
        """Write 1 for each card of a set and 0 for the others; see the compiled twin."""
        planes[plane * CARD_COUNT : (plane + 1) * CARD_COUNT] = (int(cards) >> np.arange(CARD_COUNT)) & 1

    def store_value(planes: npt.NDArray[np.int8], plane: int, value: int) -> None:
        """Write one value to all entries of a plane; see the compiled twin."""
        planes[plane * CARD_COUNT : (plane + 1) * CARD_COUNT] = value

    def store_matches(mask: npt.NDArray[np.int8], start: int, cards: int, sets: CardSets) -> int:
        """Write which columns' sets have any of some cards; see the compiled twin."""
        flags = [int(cards) & int(column_set) != 0 for column_set in sets]
        mask[start : start + COLUMN_COUNT] = flags
        return sum(flags)

    def store_column_moves(mask: npt.NDArray[np.int8], start: int, runs: CardSets, takes: CardSets) -> int:
        """Write which runs may move to which columns; see the compiled twin."""
        flags = [int(runs[i]) & int(takes[j]) != 0 for i in range(COLUMN_COUNT) for j in range(COLUMN_COUNT) if i != j]
        mask[start : start + len(flags)] = flags
        return sum(flags)

else:

    @intrinsic
    def store_card_set(typing_context: Any, planes: Any, plane: Any, cards: Any) -> Any:
        """Write 1 for each card of a set and 0 for the others.

        Args:
            typing_context: From numba; callers leave it out, here and below.
            planes: C-contiguous int8 array of shape (52 * planes,), written.
            plane: Index of the plane.
            cards: Set of cards, bit ``c`` for card ``c``.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            bits = builder.trunc(arguments[2], ir.IntType(CARD_COUNT))
            flags = builder.bitcast(bits, ir.VectorType(ir.IntType(1), CARD_COUNT))
            start = builder.mul(arguments[1], ir.Constant(_WORD, CARD_COUNT))
            _store(context, builder, signature.args[0], arguments[0], start, builder.zext(flags, _PLANE))
            return context.get_dummy_value()

        return types.void(planes, types.int64, types.int64), generate

    @intrinsic
    def store_value(typing_context: Any, planes: Any, plane: Any, value: Any) -> Any:
        """Write one value to all entries of a plane.

        Args:
            typing_context: See above.
            planes: C-contiguous int8 array of shape (52 * planes,), written.
            plane: Index of the plane.
            value: The value, -128 to 127.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            start = builder.mul(arguments[1], ir.Constant(_WORD, CARD_COUNT))
            values = _repeat(builder, arguments[2], _PLANE)
            _store(context, builder, signature.args[0], arguments[0], start, values)
            return context.get_dummy_value()

        return types.void(planes, types.int64, types.int8), generate

    @intrinsic
    def store_matches(typing_context: Any, mask: Any, start: Any, cards: Any, sets: Any) -> Any:
        """Write, for each column, whether its set has any of some cards.

        Args:
            typing_context: See above.
            mask: C-contiguous int8 array, of which seven entries are written.
            start: Index of the first.
            cards: Set of cards.
            sets: The columns' sets, a tuple of seven int64.

        Returns:
            The number of ones.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, start, cards, sets = arguments
            columns = range(COLUMN_COUNT)
            vector = _pack(builder, sets)
            return _store_flags(context, builder, signature.args[0], array, start, cards, vector, columns)

        return types.int64(mask, types.int64, types.int64, sets), generate

    @intrinsic
    def store_column_moves(typing_context: Any, mask: Any, start: Any, runs: Any, takes: Any) -> Any:
        """Write, for each column and each other column in order, whether a card of its run may move there.

        Args:
            typing_context: See above.
            mask: C-contiguous int8 array, of which 42 entries are written.
            start: Index of the first.
            runs: The columns' face-up cards, a tuple of seven int64.
            takes: What the columns take, a tuple of seven int64.

        Returns:
            The number of ones.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, start, runs, takes = arguments
            vector = _pack(builder, takes)
            count = ir.Constant(_WORD, 0)
            for source in range(COLUMN_COUNT):
                targets = [column for column in range(COLUMN_COUNT) if column != source]
                place = builder.add(start, ir.Constant(_WORD, source * len(targets)))
                run = builder.extract_value(runs, source)
                flags = _store_flags(context, builder, signature.args[0], array, place, run, vector, targets)
                count = builder.add(count, flags)
            return count

        return types.int64(mask, types.int64, runs, takes), generate
