"""A Polar H10: a host receives a packet each second, empty ones too, with beats that the strap is sure of.

So it does by its logs on desktops and telephones, next to its own electrocardiogram. It is sure of a beat 0.26 s after it detected
the second one after it. A spurious peak (a muscle, the cloth, a T wave) counts as a detection: it releases the beats before it
earlier than usual, also where the strap takes it back afterwards and no interval ever tells of it.
"""

import numpy as np

from strap import COVERS_MISSED, FIRST, REAL, SPURIOUS, Event, Watched, episodes, inside, payload, slowness

# Beats that follow before one is handed on, and the seconds after the last of them.
DEPTH, SURE_AFTER = 2, 0.26
# The detector is blind for so long after a peak, in seconds.
BLIND = 0.25
PER_PACKET = 9
# A beat in so many is followed by spurious peaks.
SPURIOUS_EVERY = 180

# A desktop keeps the connection interval that the strap asks for, a telephone a short one: packets wait for the next slot, and
# this share of them for later ones.
DESKTOP = dict(slot=0.495, held=0.055)
PHONE = dict(slot=0.0, held=0.002)


def _spurious(random, times):
    """Spurious peaks as (time, whether it is taken back), and which true beats are overlooked because of them."""
    peaks, overlooked = [], np.zeros(len(times), bool)
    for beat in np.flatnonzero(random.random(len(times) - 10) < 1 / SPURIOUS_EVERY):
        # Mostly two or three in a row, rarely a whole burst.
        most = 3 if random.random() < 0.9 else 7
        count = 1 if random.random() < 0.25 else int(random.integers(2, most + 1))
        first = times[beat] + max(BLIND, random.uniform(0.2, 0.75) * (times[beat + 1] - times[beat]))
        burst = first + np.r_[0, np.cumsum(random.uniform(0.25, 0.3, count - 1))]
        peaks += [(time, random.random() < 0.6) for time in burst]
        for near in range(beat + 1, min(len(times), beat + 8)):
            if times[near] < burst[-1] + BLIND:
                blind = np.min(np.abs(burst - times[near])) < BLIND
                overlooked[near] |= blind or random.random() < 0.35
    return peaks, overlooked


def _detections(random, times):
    """(time, index of the true beat or -1, whether it is taken back), in the order of time."""
    peaks, overlooked = _spurious(random, times)
    candidates = [(time, index, False) for index, time in enumerate(times) if not overlooked[index]]
    candidates += [(time, -1, back) for time, back in peaks]
    found = []
    for candidate in sorted(candidates):
        if not found or candidate[0] - found[-1][0] >= BLIND:
            found.append(candidate)
    return found


def _intervals(detections, clock):
    """(released at, ticks, true beat or -1, origin) of each interval; one spans what was taken back."""
    times = np.array([time for time, _, _ in detections])
    released = np.r_[times[DEPTH:] + SURE_AFTER, [np.inf] * DEPTH]
    intervals, previous = [], None
    for (time, index, back), release in zip(detections, released):
        if back:
            continue
        if previous is not None:
            before, index_before = previous
            ticks = round(clock(time) * 1024) - round(clock(before) * 1024)
            skips = index_before >= 0 and index - index_before > 1
            origin = SPURIOUS if index < 0 else COVERS_MISSED if skips else REAL
            intervals.append([release, min(ticks, 65535), index, origin])
        previous = (time, index)
    return intervals


def _delay(random, since_first, slot, held):
    """How long a packet, sent so many seconds after the first one, takes to the host."""
    if slot:
        later = random.choice([1, 2, 3], p=[0.62, 0.33, 0.05]) if random.random() < held else 0
        delay = (np.ceil(since_first / slot) + later) * slot - since_first
    else:
        delay = random.uniform(0.02, 0.06) + (random.uniform(0.4, 1) if random.random() < held else 0)
    return delay + random.normal(0, 0.007)


def watch(times, seed, slot, held, lost_links=0):
    """What a host with these slots receives from an H10 on a heart with beats at `times`; the link is lost so often an hour."""
    random = np.random.default_rng(seed + 7777)
    drift = random.uniform(-30, 30) * 1e-6

    def clock(time):
        return time * (1 + drift)

    intervals = _intervals(_detections(random, times), clock)
    events, next_interval, arrival, recent = [Event(0.0, "connected", b"", [])], 0, 0.0, []
    first = random.uniform(0, 1)
    losses = episodes(random, lost_links, times[-1], 10, 90) if lost_links else []
    for time in np.arange(first, times[-1], 1.0):
        if losses and time > losses[0][1]:
            events.append(Event(max(arrival, time - 0.5), "connected", b"", []))
            losses = losses[1:]
            if next_interval < len(intervals):
                intervals[next_interval][3] = FIRST
        if inside(losses[:1], time):
            if events[-1].kind != "disconnected":
                events.append(Event(max(arrival, time), "disconnected", b"", []))
            while next_interval < len(intervals) and intervals[next_interval][0] <= time:
                next_interval += 1
            continue
        sent = []
        while next_interval < len(intervals) and intervals[next_interval][0] <= time and len(sent) < PER_PACKET:
            sent.append(intervals[next_interval])
            next_interval += 1
        recent = (recent + [ticks for _, ticks, _, _ in sent])[-8:]
        rate = int(np.clip(61440 / np.mean(recent), 0, 255)) if recent else 70
        # Packets do not overtake each other.
        arrival = max(arrival + 0.0015, time + _delay(random, time - first, slot, held))
        told = payload(rate, [ticks for _, ticks, _, _ in sent])
        events.append(Event(arrival, "measurement", told, [(index, origin) for _, _, index, origin in sent]))
    return Watched(events, slowness(clock, times[-1]))
