"""From the command line, the machine and what was measured before to the plan that a model is run by."""

from __future__ import annotations

import argparse
import logging
from dataclasses import replace
from pathlib import Path

from inference.engine.budget import Costs, Wish, share
from inference.engine.llama import ContextSpec
from inference.engine.machine import Machine, this_machine
from inference.engine.plan import EXACT, Flags, Plan, plan_of
from inference.engine.simulation import costs_of
from inference.errors import ModelFailed
from inference.fetch import stamp
from inference.probe import store
from inference.probe.rows import Asked, choose

logger = logging.getLogger(__name__)

FLASH_ATTENTION: dict[str, bool | None] = {"on": True, "off": False, "auto": None}


def plan_for(path: Path, options: argparse.Namespace) -> Plan:
    """Return the plan for a model file, before it is loaded.

    What the command line names is kept to; what it leaves open is as a probe found best, else exact, at once: a start
    does not wait for a probe. Raises ModelFailed for a file that llama.cpp refuses or that this machine cannot run.
    """
    machine = this_machine()
    threads = options.threads or machine.cores
    wish = Wish(options.window, options.conversations)
    plan = _by_probe(path, options, machine, wish, threads)
    if plan is None:
        spec = ContextSpec(wish.window, threads=threads, swa_full=options.swa_full)
        flags, costs, notes = settle(path, named_flags(options), spec)
        plan = plan_of(share(costs, machine, wish), flags, threads, swa_full=options.swa_full, notes=notes)
    plan = replace(plan, gpu_layers=options.gpu_layers)
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


def asked(options: argparse.Namespace) -> Asked | None:
    """Return what the command line asks for, None when it is something that no probe measures."""
    type_k = options.type_k or options.type_v
    if options.flash_attention == "auto" or (options.type_v or type_k) != type_k:
        return None
    return Asked(type_k, FLASH_ATTENTION[options.flash_attention] if options.flash_attention else None)


def settle(path: Path, wished: Flags, spec: ContextSpec) -> tuple[Flags, Costs, tuple[str, ...]]:
    """Return the flags nearest to the wished ones that llama.cpp takes for this model, their costs, and a note if they
    are others. Raises ModelFailed when it takes none.
    """
    causes: list[ModelFailed] = []
    note = ""
    if wished.flash_attention is False and wished.type_v != EXACT.type_v:
        note = Asked(wished.type_k, flash_attention=False).note
        wished = wished.instead[0]
    for flags in dict.fromkeys((wished, *wished.instead)):
        try:
            costs = costs_of(path, flags.applied(spec))
        except ModelFailed as error:
            causes.append(error)
            continue
        if causes:
            note = f"This model does not run with {wished}; it runs with {flags}."
        return flags, costs, (note,) if note else ()
    raise causes[-1]


def _by_probe(path: Path, options: argparse.Namespace, machine: Machine, wish: Wish, threads: int) -> Plan | None:
    """Return the plan that a probe on this machine leads to, None when it says nothing about what is asked for."""
    wanted = asked(options)
    if options.probes is None or wanted is None:
        return None
    key = store.probe_key(stamp.checksum(path), threads, swa_full=options.swa_full, gpu_layers=options.gpu_layers)
    rows = [row for row in store.load(options.probes, key) or () if wanted.admits(row.flags)]
    if not any(row.costs for row in rows):
        return None
    choice = choose(rows, machine, wish)
    logger.info("By the probe: %s", choice.reason)
    if choice.chosen.share is None:
        raise AssertionError("only what can run is chosen")
    notes = (wanted.note,) if wanted.note else ()
    flags = choice.chosen.row.flags
    return plan_of(choice.chosen.share, flags, threads, swa_full=options.swa_full, notes=notes)
