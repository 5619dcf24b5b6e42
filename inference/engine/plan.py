"""How a model is run: the flags of its caches, its pools and their windows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from inference.contracts import PoolName
from inference.engine.budget import SERVICE_WINDOW, TIGHT, Share
from inference.engine.llama import ContextSpec


@dataclass(frozen=True)
class Flags:
    """Types of the keys and values in the cache, and whether flash attention is used (None: llama.cpp decides)."""

    type_k: str = "f16"
    type_v: str = "f16"
    flash_attention: bool | None = False

    def __str__(self) -> str:
        attention = {True: "on", False: "off", None: "left to llama.cpp"}[self.flash_attention]
        return f"{self.type_k} keys and {self.type_v} values, flash attention {attention}"

    @property
    def kv(self) -> str:
        """The type of the cache: one name where keys and values have the same."""
        return self.type_k if self.type_k == self.type_v else f"{self.type_k}/{self.type_v}"

    def applied(self, spec: ContextSpec) -> ContextSpec:
        """Return a context under these flags."""
        return replace(spec, type_k=self.type_k, type_v=self.type_v, flash_attention=self.flash_attention)

    @property
    def instead(self) -> tuple[Flags, ...]:
        """Return what is tried in turn when these cannot be had: the keys alone in their type, then `EXACT`.

        Quantized values need flash attention, which a model or a backend may lack; the keys do not.
        """
        return tuple(dict.fromkeys((Flags(self.type_k, "f16", flash_attention=False), EXACT)))


EXACT = Flags()
"""Under these a restored, resumed or reused prefix gives to the last bit what reading it gives (see `GRAIN`)."""


ALL_LAYERS = -1
"""llama.cpp's number for as many layers as there are; without a graphics card it computes none there."""


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
    gpu_layers: int = ALL_LAYERS
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


def plan_of(share: Share, flags: Flags, threads: int, *, swa_full: bool = True, notes: tuple[str, ...] = ()) -> Plan:
    """Return the plan for a share of the machine's memory."""
    plan = simple_plan(share.window, threads, conversations=share.conversations)
    return replace(
        plan,
        type_k=flags.type_k,
        type_v=flags.type_v,
        flash_attention=flags.flash_attention,
        swa_full=swa_full,
        notes=(*notes, *share.notes, *((TIGHT,) if share.tight else ())),
    )


def simple_plan(window: int, threads: int, *, conversations: int = 2, service_window: int = SERVICE_WINDOW) -> Plan:
    """Return a plan with the same window for conversations and study, and a smaller one for service calls."""
    return Plan(
        pools={
            PoolName.CONVERSATION: PoolPlan(conversations, window),
            PoolName.SERVICE: PoolPlan(1, min(window, service_window)),
            PoolName.STUDY: PoolPlan(1, window, line=64),
        },
        threads=threads,
    )
