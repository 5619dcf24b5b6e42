"""From the command line, the machine and what was measured before to the plan that a model is run by."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

from inference.engine.budget import Costs, Wish, share
from inference.engine.llama import ContextSpec
from inference.engine.machine import Machine, this_machine
from inference.engine.plan import EXACT, Flags, Plan, plan_of
from inference.engine.simulation import costs_of
from inference.errors import ModelFailed
from inference.fetch import stamp
from inference.probe import store
from inference.probe.rows import choose

logger = logging.getLogger(__name__)

FLASH_ATTENTION: dict[str, bool | None] = {"on": True, "off": False, "auto": None}


def plan_for(path: Path, options: argparse.Namespace) -> Plan:
    """Return the plan for a model file, before it is loaded.

    Flags named on the command line win; else those that a probe found best; else the exact ones, at once: a start
    does not wait for a probe. Raises ModelFailed for a file that llama.cpp refuses or that this machine cannot run.
    """
    machine = this_machine()
    threads = options.threads or machine.cores
    wish = Wish(options.window, options.conversations)
    plan = None
    if not (options.type_k or options.type_v or options.flash_attention):
        plan = _by_probe(path, options, machine, wish, threads)
    if plan is None:
        spec = ContextSpec(wish.window, threads=threads, swa_full=options.swa_full)
        flags, costs, notes = settle(path, named_flags(options), spec)
        plan = plan_of(share(costs, machine, wish), flags, threads, swa_full=options.swa_full, notes=notes)
    for note in plan.notes:
        logger.warning("%s", note)
    return plan


def named_flags(options: argparse.Namespace) -> Flags:
    """Return the flags that the command line asks for; what it leaves open is as exact as it can be.

    Keys and values have one type unless both are named, and quantized values bring flash attention with them.
    """
    type_k = options.type_k or options.type_v or EXACT.type_k
    type_v = options.type_v or type_k
    named = options.flash_attention or ("off" if type_v == EXACT.type_v else "on")
    return Flags(type_k, type_v, FLASH_ATTENTION[named])


def settle(path: Path, wished: Flags, spec: ContextSpec) -> tuple[Flags, Costs, tuple[str, ...]]:
    """Return the flags nearest to the wished ones that llama.cpp takes for this model, their costs, and a note if they
    are others. Raises ModelFailed when it takes none.
    """
    causes: list[ModelFailed] = []
    for flags in dict.fromkeys((wished, *wished.instead)):
        try:
            costs = costs_of(path, flags.applied(spec))
        except ModelFailed as error:
            causes.append(error)
            continue
        notes = (f"This model does not run with {wished}; it runs with {flags}.",) if causes else ()
        return flags, costs, notes
    raise causes[-1]


def _by_probe(path: Path, options: argparse.Namespace, machine: Machine, wish: Wish, threads: int) -> Plan | None:
    """Return the plan that a probe on this machine leads to, None when there was no probe."""
    if options.probes is None:
        return None
    key = store.probe_key(stamp.checksum(path), threads, swa_full=options.swa_full)
    rows = store.load(options.probes, key)
    if not rows:
        return None
    choice = choose(rows, machine, wish)
    logger.info("By the probe: %s", choice.reason)
    if choice.chosen.share is None:
        raise AssertionError("only what can run is chosen")
    return plan_of(choice.chosen.share, choice.chosen.row.flags, threads, swa_full=options.swa_full)
