"""How the machine's memory is divided: the window, the pools and the flags a model runs under."""

from __future__ import annotations

from dataclasses import dataclass, field

from inference.contracts import PoolName
from inference.engine.llama import ContextSpec


@dataclass(frozen=True)
class PoolPlan:
    """Sequences of a pool, tokens of window for each, and how many requests may wait in line."""

    sequences: int
    window: int
    line: int = 32


@dataclass(frozen=True)
class Plan:
    """Everything that decides how a model is run."""

    pools: dict[PoolName, PoolPlan]
    threads: int = 2
    batch: int = 512
    ubatch: int = 256
    type_k: str = "f16"
    type_v: str = "f16"
    flash_attention: bool | None = False
    swa_full: bool = True
    gpu_layers: int = -1
    notes: tuple[str, ...] = field(default=())

    def context(self, pool: PoolName) -> ContextSpec:
        """Return the context of a pool."""
        share = self.pools[pool]
        return ContextSpec(
            window=share.window,
            sequences=share.sequences,
            batch=self.batch,
            ubatch=self.ubatch,
            threads=self.threads,
            type_k=self.type_k,
            type_v=self.type_v,
            flash_attention=self.flash_attention,
            swa_full=self.swa_full,
        )


def simple_plan(window: int, threads: int, *, conversations: int = 2, service_window: int = 4096) -> Plan:
    """Return a plan with the same window for conversations and study, and a smaller one for service calls."""
    return Plan(
        pools={
            PoolName.CONVERSATION: PoolPlan(conversations, window),
            PoolName.SERVICE: PoolPlan(1, min(window, service_window)),
            PoolName.STUDY: PoolPlan(1, window, line=64),
        },
        threads=threads,
    )
