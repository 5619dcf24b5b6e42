"""One plan carried out in a process of its own (`python -m bench.taking`), and what that takes of the memory.

Two witnesses are heard for the cost of a token. llama.cpp's log names the cells of each cache to the byte, as it
allocates them. The resident memory of the process is the system's own count: llama.cpp clears its cells when it makes
them, so all of them are resident at once, which no buffer for computing is; the growth from one window to one twice
as long is therefore cells and nothing else. The plan is held to both.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import psutil

from inference.contracts import PoolName
from inference.engine.budget import Wish, share
from inference.engine.llama import Context, ContextSpec, Model, Piece, log_tap
from inference.engine.machine import this_machine
from inference.engine.plan import Plan, plan_of
from inference.engine.simulation import MIB, measured
from inference.service.__main__ import options_parser
from inference.service.planning import named_flags, settle

SEQUENCES = 4
_REPACKED = re.compile(r"REPACK model buffer size =\s*([\d.]+) MiB")


@dataclass(frozen=True)
class Taking:
    """Bytes by the plan and as they turned out; `window` and `conversations` are the planned ones.

    `per_token` are planned, by llama.cpp's log, and by resident memory. `taken` is what the process cannot give back
    after it has read `filled` tokens in each pool: its own memory, and the weights of which it has no rearranged copy.
    `resident` counts the file's pages twice where there is one.
    """

    window: int
    conversations: int
    planned: int
    taken: int
    resident: int
    filled: int
    per_token: float
    per_token_log: float
    per_token_resident: float

    @property
    def worst(self) -> float:
        """The larger deviation of the planned cost of a token from the two witnesses, as a share of theirs."""
        seen = (self.per_token_log, self.per_token_resident)
        return max(abs(self.per_token - real) / real for real in seen)


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan as the service does under the same command line, carry it out, and print a `Taking` as JSON."""
    parser = options_parser()
    parser.add_argument("--fill", type=int, default=0, help="tokens that are read in each pool")
    options = parser.parse_args(arguments)
    threads = options.threads or this_machine().cores
    wish = Wish(options.window, options.conversations)
    spec = ContextSpec(wish.window, threads=threads, swa_full=options.swa_full)
    flags, costs, _ = settle(options.model, named_flags(options), spec)
    part = share(costs, this_machine(), wish)
    plan = plan_of(part, flags, threads, swa_full=options.swa_full)
    model = Model(options.model)
    repacked = sum(round(float(found[1]) * MIB) for line in log_tap().take() if (found := _REPACKED.search(line)))
    by_resident = _per_token(model, plan.context(PoolName.STUDY))
    made = carry_out(model, plan, options.fill)
    own, resident = _memory()
    taking = Taking(
        window=part.window,
        conversations=part.conversations,
        planned=part.bytes,
        taken=own + max(0, model.size - repacked),
        resident=resident,
        filled=min(options.fill, part.window),
        per_token=costs.cache.per_token,
        per_token_log=sum(cache for cache, _ in made) / sum(cells for _, cells in made),
        per_token_resident=by_resident,
    )
    sys.stdout.write(json.dumps(asdict(taking)))


def carry_out(model: Model, plan: Plan, fill: int) -> list[tuple[int, int]]:
    """Make every pool's context and read `fill` tokens in each; return each one's bytes of cache and its cells."""
    contexts = [measured(model, plan.context(name)) for name in PoolName]
    for context, _ in contexts:
        _read(context, min(fill, context.spec.window - 1))
    return [(footprint.cache, footprint.cells) for _, footprint in contexts]


def _read(context: Context, count: int) -> None:
    """Read tokens, whichever they are, in batches as the engine makes them."""
    step = context.spec.ubatch
    for at in range(0, count, step):
        tokens = [token % context.model.n_vocab for token in range(at, min(at + step, count))]
        context.decode([Piece(0, at, tokens, want_logits=at + step >= count)])


def _per_token(model: Model, spec: ContextSpec) -> float:
    """Return the bytes by which the process grows for each token between half of a window and the whole.

    For several sequences at once, since the system hands memory out in pieces of two megabytes.
    """
    whole = replace(spec, sequences=SEQUENCES)
    half = replace(whole, window=spec.window // 2)
    _growth(model, half)  # what the library makes once, it makes here
    grown = _growth(model, whole) - _growth(model, half)
    return grown / (SEQUENCES * (whole.window - half.window))


def _growth(model: Model, spec: ContextSpec) -> int:
    before, _ = _memory()
    context = Context(model, spec)
    after, _ = _memory()
    context.free()
    return after - before


def _memory() -> tuple[int, int]:
    """Return the bytes that belong to this process alone, and all that are resident."""
    info: Any = psutil.Process().memory_info()
    return info.rss - getattr(info, "shared", 0), info.rss


if __name__ == "__main__":
    main()
