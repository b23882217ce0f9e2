"""Compares what was stored of a session with what happened.

One constant latency per session, which nothing can know, is taken out of the beat times: the median of their errors.
"""

import numpy as np

import strap
from heart import AFTER_PAUSE, SINUS

# A run of fewer beats is short: there is little to place it by.
SHORT_RUN = 120
# A gap counts as found when it is this near, in seconds: a silent one shows in the packets around it only.
NEAR = 4.0
# Silent losses are promised to be found with so many packets on both sides.
PACKETS_AROUND = 60


class Received:
    """What a host received, beat by beat: true index, origin, packet (of those with intervals), link."""

    def __init__(self, events):
        rows, ticks, packet, link = [], [], -1, 0
        for event in events:
            if event.kind == "disconnected":
                link += 1
            if event.origins:
                packet += 1
                for position, (index, origin) in enumerate(event.origins):
                    low = 2 + 2 * position
                    ticks.append(int.from_bytes(event.payload[low : low + 2], "little"))
                    rows.append((index, origin, packet, link))
        self.ticks = np.array(ticks)
        self.index, self.origin, self.packet, self.link = np.array(rows).T
        self.packets = packet + 1


def losses(received, tells_contact):
    """True gaps as (row before, row after, lost beats, cause); cause is long, link, contact, filler or silent."""
    rows = np.flatnonzero(received.index >= 0)
    found = []
    for before, after in zip(rows[:-1], rows[1:]):
        lost = received.index[after] - received.index[before] - 1
        if lost < 1:
            continue
        if received.link[after] != received.link[before]:
            cause = "link"
        elif received.origin[after] == strap.COVERS_MISSED:
            cause = "long"
        elif np.any(received.origin[before:after] == strap.FILLER):
            cause = "filler"
        elif received.origin[after] == strap.FIRST and tells_contact:
            cause = "contact"
        else:
            cause = "silent"
        found.append((before, after, int(lost), cause))
    return found


def _gap_scores(received, kinds, stored, tells_contact):
    true_gaps = losses(received, tells_contact)
    rows = np.flatnonzero(stored.gap)[1:]  # the session's first beat is no gap
    times = stored.time[rows]
    explained = received.origin[rows] == strap.FILLER  # invented beats are none
    # Where the sensor's time broke, as packets; a long interval accounts for its time.
    breaks = [-1] + [received.packet[after] for _, after, _, cause in true_gaps if cause != "long"] + [received.packets]
    recall, missed = {}, []
    for before, after, lost, cause in true_gaps:
        near = (times >= stored.time[before] - NEAR) & (times <= stored.time[after] + NEAR)
        explained |= near
        if lost < 2:
            cause = f"{cause}, one beat"
        elif cause == "silent":
            packet = received.packet[after]
            place = breaks.index(packet)
            around = min(received.packet[before] + 1 - max(breaks[place - 1], 0), breaks[place + 1] - packet)
            if around < PACKETS_AROUND:
                cause = "silent, few packets"
        total, hits = recall.get(cause, (0, 0))
        recall[cause] = (total + 1, hits + bool(near.any()))
        if lost >= 2 and not near.any():
            missed.append((cause, float(stored.time[before]), lost))
    index = received.index[rows]
    pause = (index >= 0) & (kinds[np.clip(index, 0, None)] == AFTER_PAUSE)
    false = ~explained & ~pause
    return {
        "recall": recall,
        "missed": missed,
        "false": [(stored.reasons[place], float(times[place])) for place in np.flatnonzero(false)],
        "pauses": int(np.sum(kinds[received.index[received.index >= 0]] == AFTER_PAUSE)),
        "pausesMarked": int(pause.sum()),
    }


def variability(times, kinds, begin=-np.inf, end=np.inf):
    """SDNN (n - 1) and RMSSD of the true sinus intervals that end from `begin` to `end`, in milliseconds."""
    intervals = np.diff(times, prepend=times[0]) * 1000
    normal = (kinds == SINUS) & np.r_[False, kinds[:-1] == SINUS]
    normal[:2] = False
    inside = (times >= begin) & (times < end)
    intervals, normal = intervals[inside], normal[inside]
    pairs = normal[1:] & normal[:-1]
    if normal.sum() <= 30 or pairs.sum() <= 30:
        return None
    differences = np.diff(intervals)[pairs]
    return float(np.std(intervals[normal], ddof=1)), float(np.sqrt(np.mean(differences**2)))


def score(times, kinds, events, stored, tells_contact):
    """All figures of one session; `times` and `kinds` are the true beats."""
    received = Received(events)
    if len(received.ticks) != len(stored.ticks) or np.any(received.ticks != stored.ticks):
        raise ValueError(f"{len(received.ticks)} intervals were sent, {len(stored.ticks)} stored, or others")
    real = received.index >= 0
    error = stored.time[real] - times[received.index[real]]
    latency = float(np.median(error))
    runs, lengths = np.unique(stored.run, return_counts=True)
    result = {
        "error": np.abs(error - latency),
        "uncertainty": stored.uncertainty[real],
        "short": (lengths < SHORT_RUN)[np.searchsorted(runs, stored.run)][real],
        "run": stored.run[real],
        "seconds": float(times[-1]),
        "beats": len(stored.ticks),
    }
    result.update(_gap_scores(received, kinds, stored, tells_contact))
    for place, (begin, end, sdnn, rmssd) in enumerate(stored.variability):
        truth = variability(times, kinds, begin - latency, end - latency)
        if truth and sdnn is not None and rmssd is not None:
            errors = (sdnn / truth[0] - 1, rmssd / truth[1] - 1)
            result.setdefault("windows" if place else "whole", []).append(errors)
    return result
