"""A strap that watches a heart: what a host receives of the beats, and when.

`watch` gives events `Event(time, kind, payload, origins)`: `kind` is "measurement", "connected" or "disconnected"; `origins`
says of each RR interval of the payload which true beat it ends with (-1: none) and how it came about.
"""

import struct
from collections import namedtuple

import numpy as np

Event = namedtuple("Event", "time kind payload origins")

# How an interval came about.
REAL, COVERS_MISSED, EXTRA, FILLER, FIRST = range(5)

PER_HOUR = 1 / 3600.0

# All rates are per second, all lengths in seconds.
USUAL = dict(
    depth=0,  # a beat is handed on this many beats later
    latency=0.1,
    interval_jitter=0.03,  # of the connection interval, a part of latency
    ppm=200,  # the clock is wrong by up to this
    wander=5,  # and wanders by this much, in ppm
    batch=0,  # packets wait for each other, up to this long
    hold=0,  # spells of additional latency
    stall=0,
    stall_length=(0, 0),  # no packets for a while, or none get through
    capacity=64,  # intervals that the strap can keep
    per_packet=9,
    missed=0,
    missed_beats=(1, 1),
    extra=0,
    contact=0,
    contact_supported=True,
    link=0,
    link_length=(2, 120),
    fillers=0,
    resends=0,
    independent_rounding=False,
    host=0.004,  # the host's own delay, mean of an exponential
)

CLASSES = {
    "clean": {},
    "indep-round": dict(independent_rounding=True),
    "h10": dict(
        depth=2, stall=12 * PER_HOUR, stall_length=(1, 3.5), missed=6 * PER_HOUR, missed_beats=(1, 9),
        contact_supported=False,
    ),
    "art2": dict(missed=42 * PER_HOUR, extra=42 * PER_HOUR),
    "contact": dict(contact=6 * PER_HOUR),
    "contact-nobit": dict(contact=6 * PER_HOUR, contact_supported=False),
    "link": dict(link=6 * PER_HOUR),
    "filler": dict(fillers=6 * PER_HOUR, depth=1),
    "mixed": dict(
        depth=2, stall=6 * PER_HOUR, stall_length=(1, 4), missed=4 * PER_HOUR, missed_beats=(1, 6), contact=2 * PER_HOUR,
        link=2 * PER_HOUR, extra=10 * PER_HOUR, resends=1,
    ),
    "batch4": dict(batch=4.0),
    "batch4-hold": dict(batch=4.0, hold=6 * PER_HOUR),
    "link-flap": dict(link=60 * PER_HOUR, link_length=(1, 20)),
    "overflow": dict(stall=6 * PER_HOUR, stall_length=(8, 30), capacity=16),
    "mixed-bad": dict(
        batch=4.0, stall=3 * PER_HOUR, stall_length=(8, 25), capacity=16, contact=2 * PER_HOUR, link=2 * PER_HOUR,
        fillers=2 * PER_HOUR, missed=6 * PER_HOUR, missed_beats=(1, 4), resends=1,
    ),
}


def _episodes(random, rate, end, shortest, longest):
    """Times at which something begins and ends, at least 5 s apart."""
    episodes, time = [], 0.0
    while rate and (time := time + random.exponential(1 / rate)) < end - 5:
        length = random.uniform(shortest, longest)
        episodes.append((time, time + length))
        time += length + 5
    return episodes


def _inside(episodes, time):
    return any(begin <= time < end for begin, end in episodes)


def _detections(random, habits, times, contact):
    """What the electrodes take for beats: (true time, index of the true beat or -1, origin)."""
    end = times[-1]
    lost = np.zeros(len(times), bool)
    for begin, stop in contact:
        lost[(times >= begin) & (times < stop)] = True
    for begin, _ in _episodes(random, habits["missed"], end, 0, 0.1):
        first = int(np.searchsorted(times, begin))
        least, most = habits["missed_beats"]
        lost[first : first + int(random.integers(least, most + 1))] = True
    found = [(time, index, REAL) for index, time in enumerate(times) if not lost[index]]
    for begin, _ in _episodes(random, habits["extra"], end, 0, 0.1):
        index = int(np.searchsorted(times, begin)) + 1
        if index + 1 < len(times) and not lost[index] and not lost[index + 1]:
            where = random.uniform(0.3, 0.6)
            found.append((times[index] + where * (times[index + 1] - times[index]), -1, EXTRA))
    found.sort()
    return found


def _intervals(random, habits, times, contact, fillers, clock):
    """Intervals as the strap measures them: [released at, ticks, true beat, origin]."""
    intervals, regained, previous = [], 0, None
    for time, index, origin in _detections(random, habits, times, contact):
        while regained < len(contact) and contact[regained][1] <= time:
            # After a loss of contact the first interval begins at a beat that nobody saw.
            regained += 1
            previous = None
            if index > 0:
                previous, origin = (times[index - 1], index - 1), FIRST
        if previous is None and index <= 0:
            previous = (time, index)
            continue
        if previous is None:
            previous, origin = (times[index - 1], index - 1), FIRST
        if habits["independent_rounding"]:
            ticks = round((clock(time) - clock(previous[0])) * 1024)
        else:
            ticks = round(clock(time) * 1024) - round(clock(previous[0]) * 1024)
        if origin == REAL and previous[1] >= 0 and index - previous[1] > 1:
            origin = COVERS_MISSED
        if not _inside(fillers, time):
            intervals.append([time, min(ticks, 65535), index, origin])
        previous = (time, index)
    for begin, stop in fillers:
        intervals += [[time, 512, -1, FILLER] for time in np.arange(begin, stop, random.uniform(0.45, 0.55))]
    intervals.sort(key=lambda interval: interval[0])
    return intervals


class _Delay:
    """How much later than sent a packet arrives."""

    def __init__(self, random, habits, end, stalls):
        self.random, self.habits, self.stalls = random, habits, stalls
        self.holds = _episodes(random, habits["hold"], end, 10, 60)
        self.hold_lengths = random.uniform(1, 2.5, len(self.holds))
        self.flush = 0.0

    def arrival(self, time):
        random, habits = self.random, self.habits
        jitter = habits["interval_jitter"]
        arrival = time + random.uniform(0, jitter) + random.uniform(0, max(habits["latency"] - jitter, 0))
        arrival += random.exponential(habits["host"])
        if habits["batch"]:
            while self.flush < time:
                self.flush += random.uniform(0.3, habits["batch"])
            arrival = max(arrival, min(self.flush, time + habits["batch"]))
        for (begin, end), length in zip(self.holds, self.hold_lengths):
            if begin <= time < end:
                arrival = max(arrival, time + length)
        for begin, end in self.stalls:
            if begin <= time < end and habits["capacity"] >= 64:
                arrival = max(arrival, end)
        return arrival


def _rate(recent):
    """Beats per minute over the last five seconds of intervals."""
    used, ticks = [], 0
    for interval in reversed(recent):
        used.append(interval)
        ticks += interval
        if ticks > 5120:
            break
    return int(np.clip(round(61440 / np.mean(used)), 30, 240))


def watch(times, seed, name="clean"):
    """What a host receives from a strap of class `name` that watches a heart with beats at `times`; see above."""
    habits = {**USUAL, **CLASSES[name]}
    random = np.random.default_rng(seed + 7777)
    end = times[-1]
    drift, wander = random.uniform(-habits["ppm"], habits["ppm"]) * 1e-6, habits["wander"] * 1e-6
    period = random.uniform(1800, 7200)

    def clock(time):
        return time * (1 + drift) + wander * period / 6.283 * np.sin(6.283 * time / period)

    contact = _episodes(random, habits["contact"], end, 4, 60)
    link = _episodes(random, habits["link"], end, *habits["link_length"])
    fillers = _episodes(random, habits["fillers"], end, 5, 20)
    intervals = _intervals(random, habits, times, contact, fillers, clock)
    released = np.array([interval[0] for interval in intervals])
    if habits["depth"]:
        released = np.r_[released[habits["depth"] :], [end + 1] * habits["depth"]]
    stalls = _episodes(random, habits["stall"], end, *habits["stall_length"]) if habits["stall"] else []
    overflows = habits["capacity"] < 64
    delay = _Delay(random, habits, end, stalls)

    events, waiting, recent = [Event(0.0, "connected", b"", [])], [], []
    next_interval, arrival, rate, was_lost, last_payload = 0, 0.0, 70, False, None
    time = random.uniform(0, 1)
    while time < end:
        if _inside(link, time):
            if not was_lost:
                arrival = max(arrival, time + random.uniform(0, 1))
                events.append(Event(arrival, "disconnected", b"", []))
            was_lost = True
            while next_interval < len(intervals) and released[next_interval] <= time:
                next_interval += 1
            waiting = []
            time += 0.25
            continue
        if was_lost:
            was_lost = False
            arrival = max(arrival, time)
            events.append(Event(arrival, "connected", b"", []))
            while next_interval < len(intervals) and released[next_interval] <= time:
                next_interval += 1
            if next_interval < len(intervals):
                intervals[next_interval][3] = FIRST
            if habits["resends"] and last_payload:
                # The last rate once more, as some do on every connection.
                repeated = bytes([last_payload[0] & ~0x10]) + last_payload[1:2]
                events.append(Event(arrival + 0.01, "measurement", repeated, []))
        while next_interval < len(intervals) and released[next_interval] <= time:
            waiting.append(intervals[next_interval])
            recent.append(intervals[next_interval][1])
            next_interval += 1
            if len(waiting) > habits["capacity"]:
                waiting.pop(0)
        if not (overflows and _inside(stalls, time)):
            sent, waiting = waiting[: habits["per_packet"]], waiting[habits["per_packet"] :]
            if sent:
                rate = _rate(recent)
            flags = 0x10 if sent else 0
            if habits["contact_supported"]:
                off = habits["contact"] > 0 and _inside(contact, time)
                flags |= 0x04 | (0 if off else 0x02)
            payload = bytes([flags, rate]) + b"".join(struct.pack("<H", interval[1]) for interval in sent)
            last_payload = payload
            arrival = max(arrival, delay.arrival(time))
            events.append(Event(arrival, "measurement", payload, [(interval[2], interval[3]) for interval in sent]))
        if waiting:
            time += 0.05
        else:
            time += 1
            time += random.uniform(-0.5, 0.5) * habits["interval_jitter"]
    return events
