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


def _skin(random, end, slips, early_start):
    """Spells in which the electrodes see nothing, as (begin, end, whether the strap notices).

    A strap that notices hands its last beats on at once, and its next interval spans the spell. One that does not keeps silent and goes on
    with the first whole interval afterwards.
    """
    spells = [(begin, stop, random.random() < 0.5) for begin, stop in episodes(random, slips, end - 30, 4.5, 9)]
    if early_start:
        begin = random.uniform(4, 15)
        spells = [(begin, begin + random.uniform(4.5, 9), True)] + [one for one in spells if one[0] > begin + 30]
    return spells


def _detections(random, times, skin):
    """(time, index of the true beat or -1, whether it is taken back), in the order of time."""
    peaks, overlooked = _spurious(random, times)
    for begin, end, _ in skin:
        overlooked |= (times >= begin) & (times < end)
        peaks = [peak for peak in peaks if not begin - 1 <= peak[0] < end + 1]
    candidates = [(time, index, False) for index, time in enumerate(times) if not overlooked[index]]
    candidates += [(time, -1, back) for time, back in peaks]
    found = []
    for candidate in sorted(candidates):
        if not found or candidate[0] - found[-1][0] >= BLIND:
            found.append(candidate)
    return found


def _intervals(random, detections, skin, true_times, clock):
    """(released at, ticks, true beat or -1, origin) of each interval; one spans what was taken back."""
    times = np.array([time for time, _, _ in detections])
    released = np.r_[times[DEPTH:] + SURE_AFTER, [np.inf] * DEPTH]
    unseen = []
    for begin, end, notices in skin:
        if notices:
            last = np.searchsorted(times, begin)
            released[max(0, last - DEPTH) : last] = times[last - 1] + random.uniform(0.3, 1)
        else:
            unseen.append(end)
    intervals, previous = [], None
    for (time, index, back), release in zip(detections, released):
        if back:
            continue
        lost = bool(unseen) and time >= unseen[0]
        if lost and index > 0:
            # It begins at a beat that was not detected well enough to be told.
            unseen.pop(0)
            ticks = round(clock(time) * 1024) - round(clock(true_times[index - 1]) * 1024)
            intervals.append([release, ticks, index, FIRST])
        elif previous is not None:
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


def watch(times, seed, slot, held, lost_links=0, slips=0, early_start=False):
    """What a host with these slots receives from an H10 on a heart with beats at `times`.

    The link is lost, and the electrodes slip, so often a second; with `early_start` they slip once soon after the beginning.
    """
    random = np.random.default_rng(seed + 7777)
    drift = random.uniform(-30, 30) * 1e-6

    def clock(time):
        return time * (1 + drift)

    skin = _skin(random, times[-1], slips, early_start) if slips or early_start else []
    intervals = _intervals(random, _detections(random, times, skin), skin, times, clock)
    events, next_interval, arrival, recent = [Event(0.0, "connected", b"", [])], 0, 0.0, []
    if early_start:
        # Too short to show how far the strap looks ahead: its model says it.
        events.append(Event(0.0, 'information 2a24 "H10"', b"", []))
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
