"""The classes of sensor that the bench knows.

New ones come last: seeds are given out in this order, so the old ones stay comparable.
"""

from collections import namedtuple
from functools import partial

import numpy as np

import h10
import habits
import heart
import optical
import strap
from strap import PER_HOUR

# `watch(times, seed)` is what a host receives. An hour of the plan is `sessions` sessions; `length(seed)` is the seconds of one
# where that is not the whole hour. `promise` is what is promised of a sensor without true beats: "told" or "links"; `habit` is
# what has to be told of one that does something to its intervals.
SensorClass = namedtuple(
    "SensorClass", "watch regular irregular sessions length tells_contact promise habit",
    defaults=(heart.REGULAR, heart.IRREGULAR, 1, None, True, None, None))


def _strap(tells_contact=True, **habits):
    watch = partial(strap.watch, habits={**habits, "contact_supported": tells_contact})
    return SensorClass(watch, tells_contact=tells_contact)


def _part_of_hour(seed):
    """Length of a session in seconds: from five minutes to half an hour."""
    return np.random.default_rng(seed + 6666).uniform(300, 1800)


# Seconds of a session, and how many of them the host did not run.
_BRIEF = ((75, 61), (100, 60), (100, 40), (600, 60))


def _brief(seed):
    """Length of a short session in seconds, and the share of it whose values came at once: every second one is of the table."""
    if seed % 2:
        seconds, stopped = _BRIEF[seed // 2 % len(_BRIEF)]
        return seconds, stopped / seconds
    random = np.random.default_rng(seed + 5555)
    return random.uniform(75, 600), random.uniform(0.4, 0.8)


def _brief_length(seed):
    return _brief(seed)[0]


def _watch_brief(times, seed):
    return strap.watch(times, seed, dict(stop_share=_brief(seed)[1]))


CLASSES = {
    "clean": _strap(),
    "indep-round": _strap(independent_rounding=True),
    "h10": _strap(
        depth=2, stall=12 * PER_HOUR, stall_length=(1, 3.5), missed=6 * PER_HOUR, missed_beats=(1, 9), tells_contact=False,
    ),
    "art2": _strap(missed=42 * PER_HOUR, extra=42 * PER_HOUR),
    "contact": _strap(contact=6 * PER_HOUR),
    "contact-nobit": _strap(contact=6 * PER_HOUR, tells_contact=False),
    "link": _strap(link=6 * PER_HOUR),
    "filler": _strap(fillers=6 * PER_HOUR, depth=1),
    "mixed": _strap(
        depth=2, stall=6 * PER_HOUR, stall_length=(1, 4), missed=4 * PER_HOUR, missed_beats=(1, 6), contact=2 * PER_HOUR,
        link=2 * PER_HOUR, extra=10 * PER_HOUR, resends=1,
    ),
    "batch4": _strap(batch=4.0),
    "batch4-hold": _strap(batch=4.0, hold=6 * PER_HOUR),
    "link-flap": _strap(link=60 * PER_HOUR, link_length=(1, 20)),
    "overflow": _strap(stall=6 * PER_HOUR, stall_length=(8, 30), capacity=16),
    "mixed-bad": _strap(
        batch=4.0, stall=3 * PER_HOUR, stall_length=(8, 25), capacity=16, contact=2 * PER_HOUR, link=2 * PER_HOUR,
        fillers=2 * PER_HOUR, missed=6 * PER_HOUR, missed_beats=(1, 4), resends=1,
    ),
    "h10-real": SensorClass(partial(h10.watch, **h10.DESKTOP), tells_contact=False),
    "h10-phone": SensorClass(partial(h10.watch, **h10.PHONE), tells_contact=False),
    "short-tail": _strap(tail=6 * PER_HOUR),
    "surplus": _strap(repeats=3 * PER_HOUR, absurd=1 * PER_HOUR),
    "host-stop": _strap(stop=2 * PER_HOUR),
    "host-stop-told": _strap(stop=2 * PER_HOUR, stop_told=True),
    "host-stop-short": SensorClass(_watch_brief, sessions=12, length=_brief_length),
    "constant": _strap(own_pace=True)._replace(regular=heart.PACED, irregular=()),
    "optical": SensorClass(partial(optical.watch, invents=True, lost_links=0), promise="told", habit="invented"),
    "no-rr": SensorClass(partial(optical.watch, invents=False, lost_links=6), promise="links"),
    "h10-link": SensorClass(partial(h10.watch, **h10.DESKTOP, lost_links=6 * PER_HOUR), tells_contact=False),
    "early-after-loss": SensorClass(partial(h10.watch, **h10.PHONE, slips=12 * PER_HOUR), tells_contact=False),
    "early-at-start": SensorClass(
        partial(h10.watch, **h10.PHONE, early_start=True), sessions=4, length=_part_of_hour, tells_contact=False),
    "bursts": _strap(bursts=True, tells_contact=False),
    "sum-of-time": SensorClass(habits.sum_of_time, promise="told", habit="unfit"),
    "repeats": SensorClass(habits.repeats, habit="repeated"),
    "doubled": SensorClass(habits.doubled, habit="doubled"),
    "newest-only": SensorClass(habits.newest_only, promise="told", habit="newestOnly"),
    "two-hearts": SensorClass(habits.two_hearts, promise="told", habit="twoHearts"),
    "milliseconds": SensorClass(habits.milliseconds, habit="milliseconds"),
    "paced": _strap(own_pace=True)._replace(regular=heart.TWICE_A_SECOND, irregular=()),
}
