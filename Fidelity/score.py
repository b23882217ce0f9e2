"""Compares what was stored of a session with what happened.

A constant latency, which nothing can know, is taken out of the beat times later: told here is the median of a session's errors.
Intervals that the strap made up have no true time: what follows them has, and is scored.
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
# Intervals come again after more than this, in seconds, and do not account for it: that is always seen.
SILENCE = 5.0
# A lost link between two values shows to this, in seconds: a value comes each second.
LINK_NEAR = 1.5


class Received:
    """What a host received, beat by beat: true index, origin, packet (of those with intervals), link."""

    def __init__(self, events):
        rows, ticks, packet, link, arrivals = [], [], -1, 0, []
        for event in events:
            if event.kind == "disconnected":
                link += 1
            if event.origins:
                packet += 1
                arrivals.append(event.time)
                for position, (index, origin) in enumerate(event.origins):
                    low = 2 + 2 * position
                    ticks.append(int.from_bytes(event.payload[low : low + 2], "little"))
                    rows.append((index, origin, packet, link))
        self.ticks = np.array(ticks)
        self.index, self.origin, self.packet, self.link = np.array(rows).T
        self.packets = packet + 1
        self.arrivals = np.array(arrivals)

    def keep(self, rows):
        """Goes on with only these intervals."""
        for name in ("ticks", "index", "origin", "packet", "link"):
            setattr(self, name, getattr(self, name)[rows])


def stored_rows(sent, invented, stored):
    """Which of the intervals that were sent are stored, in order; what the strap invented may be left out. None: another one is."""
    # Before each interval that was sent: how many stored ones it may come after, if no more lack than do.
    places, lacking = [{0}], len(sent) - len(stored)
    for row, (ticks, may_lack) in enumerate(zip(sent, invented)):
        after = {place + 1 for place in places[-1] if place < len(stored) and stored[place] == ticks}
        if may_lack:
            after |= {place for place in places[-1] if place > row - lacking}
        places.append(after)
    place, rows = len(stored), []
    if place not in places[-1]:
        return None
    for row in reversed(range(len(sent))):
        if place - 1 in places[row] and stored[place - 1] == sent[row]:
            place -= 1
            rows.append(row)
    return np.array(rows[::-1], int)


def losses(received, times, tells_contact):
    """True gaps as (row before, row after, lost beats, cause); cause is long, link, contact, filler, silence or silent."""
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
        elif np.any(received.origin[before:after] == strap.SPURIOUS):
            # Peaks that were none stand where beats were: the intervals leave no hole.
            cause = "among spurious peaks"
        elif received.origin[after] == strap.FIRST and tells_contact:
            cause = "contact"
        elif _is_silence(received, times, before, after):
            cause = "silence"
        else:
            cause = "silent"
        found.append((before, after, int(lost), cause))
    return found


def _is_silence(received, times, before, after):
    """Whether no interval came for long, and the next one does not account for it.

    A sensor with look-ahead sends its last beats only after the silence, with the first new ones.
    """
    packets = received.arrivals[max(0, received.packet[before] - 2) : received.packet[after] + 1]
    silent = max(np.diff(packets), default=0)
    lost = times[received.index[after]] - times[received.index[before]] - received.ticks[after] / 1024
    return min(silent, lost) > SILENCE


def _near_surplus(received, stored, times):
    """Which of these times are near intervals for which there was no time: the sensor's time breaks there too."""
    surplus = np.flatnonzero(np.isin(received.origin, strap.SURPLUS))
    real = np.flatnonzero(received.index >= 0)
    near = np.zeros(len(times), bool)
    for row in surplus:
        around = np.searchsorted(real, row)
        begin, end = (stored.time[real[np.clip(one, 0, len(real) - 1)]] for one in (around - 1, around))
        near |= (times >= begin - NEAR) & (times <= end + NEAR)
    return near


def _reason(stored, time):
    """Of the gap that ends with the beat at `time`."""
    return min(stored.gaps, key=lambda gap: abs(gap[2] - time), default=("untold",))[0]


def _gap_scores(received, times, kinds, stored, tells_contact):
    true_gaps = losses(received, times, tells_contact)
    rows = np.flatnonzero(stored.gap)[1:]  # the session's first beat is no gap
    ends = stored.time[rows]
    explained = received.origin[rows] == strap.FILLER  # invented beats are none
    explained |= _near_surplus(received, stored, ends)
    # Where the sensor's time broke, as packets; a long interval accounts for its time.
    breaks = [-1] + [received.packet[after] for _, after, _, cause in true_gaps if cause != "long"] + [received.packets]
    recall, missed = {}, []
    for before, after, lost, cause in true_gaps:
        near = (ends >= stored.time[before] - NEAR) & (ends <= stored.time[after] + NEAR)
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
        "false": [(_reason(stored, ends[place]), float(ends[place])) for place in np.flatnonzero(false)],
        "steps": sum(gap[0] == "step" for gap in stored.gaps),
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


def score(times, kinds, watched, stored, tells_contact, repeats=False):
    """All figures of one session's beats; `times` and `kinds` are the true ones. A sensor that `repeats` sends its last interval again."""
    received = Received(watched.events)
    if len(received.ticks) != len(stored.ticks) or np.any(received.ticks != stored.ticks):
        # Of two equal intervals nobody can tell which one was repeated.
        equal = np.r_[False, received.ticks[1:] == received.ticks[:-1]] & repeats
        rows = stored_rows(received.ticks, (received.index < 0) | equal, stored.ticks)
        if rows is None:
            raise ValueError(f"{len(received.ticks)} intervals were sent, {len(stored.ticks)} stored, or others")
        received.keep(rows)
    real = received.index >= 0
    error = stored.time[real] - times[received.index[real]]
    latency = float(np.median(error))
    runs, lengths = np.unique(stored.run, return_counts=True)
    result = {
        "error": error,
        "latency": latency,
        "uncertainty": stored.uncertainty[real],
        "short": (lengths < SHORT_RUN)[np.searchsorted(runs, stored.run)][real],
        "run": stored.run[real],
        "seconds": float(times[-1]),
        "beats": len(stored.ticks),
        # True, stated and its standard error, in ppm; without one the program says that it took 0 for want of anything better.
        "drift": (
            watched.drift, stored.quality["driftPartsPerMillion"], stored.quality.get("driftErrorPartsPerMillion")),
    }
    result.update(_gap_scores(received, times, kinds, stored, tells_contact))
    for place, (begin, end, sdnn, rmssd) in enumerate(stored.variability):
        truth = variability(times, kinds, begin - latency, end - latency)
        if truth and sdnn is not None and rmssd is not None:
            errors = (sdnn / truth[0] - 1, rmssd / truth[1] - 1)
            result.setdefault("windows" if place else "whole", []).append(errors)
    return result


def score_told(times, watched, stored, habit):
    """Of a sensor whose intervals are no beats: is its habit told, and nothing made of them? `touched` is the share of the beats that
    it sent otherwise, or not at all."""
    received = Received(watched.events)
    return {"told": {
        "touched": max(
            1 - len(np.unique(received.index[received.index >= 0])) / len(times),
            float(np.mean(received.origin == strap.FILLER))),
        "storedBeats": len(stored.ticks),
        "named": stored.quality.get("intervalHabit") == habit,
        "refused": all(value is None for value in stored.hrv.values()),
    }}


def score_habit(times, kinds, watched, stored, habit):
    """Of a sensor whose intervals are beats all the same: what share of them its habit touches, whether it is told, and how far the
    variability of the session is off at most, as shares."""
    received = Received(watched.events)
    touched = 1 if habit == "milliseconds" else float(np.mean(np.isin(received.origin, strap.SURPLUS)))
    truth = variability(times, kinds)
    given = [stored.hrv[key] for key in ("sdnnMilliseconds", "rmssdMilliseconds")]
    off = [abs(own / true - 1) for own, true in zip(given, truth or (None, None)) if own is not None and true]
    return {"habit": {
        "touched": touched, "named": stored.quality.get("intervalHabit") == habit,
        "off": max(off, default=0) if set(kinds) == {SINUS} else 0}}


def score_links(_, watched, stored, __):
    """Of a sensor that sends only rates: is every lost link a gap from the last value before it to the next one?"""
    expected, last, lost = [], None, False
    for event in watched.events:
        if event.kind == "disconnected":
            lost = True
        elif event.kind == "measurement":
            if lost and last is not None:
                expected.append((last, event.time))
            last, lost = event.time, False
    left = list(stored.gaps)
    found = 0
    for start, end in expected:
        own = [
            gap for gap in left
            if gap[0] == "link" and abs(gap[1] - start) <= LINK_NEAR and abs(gap[2] - end) <= LINK_NEAR]
        if own:
            left.remove(own[0])
            found += 1
    return {"links": {"lost": len(expected), "found": found, "otherGaps": len(left)}}


# How a sensor without true beats is scored, by what is promised of it.
BEATLESS = {"told": score_told, "links": score_links}
