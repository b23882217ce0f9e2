"""A strap that watches a heart: what a host receives of the beats, and when.

`watch` gives events `Event(time, kind, payload, origins)`: `kind` is "measurement", "connected", "disconnected" or "stall" and the
microseconds for which the host did not run; `origins` says of each RR interval of the payload which true beat it ends with
(-1: none) and how it came about.
"""

import struct
from collections import namedtuple

import numpy as np

Event = namedtuple("Event", "time kind payload origins")
# What a sensor gave: events, and how slow its clock was over the session, in ppm (None: it measures no intervals).
Watched = namedtuple("Watched", "events drift")

# How an interval came about. A spurious peak is one that the detector itself was in doubt of.
REAL, COVERS_MISSED, EXTRA, FILLER, FIRST, REPEATED, ABSURD, SPURIOUS = range(8)
# With these the sensor's time runs ahead of the host's: more intervals than there was time for.
SURPLUS = (REPEATED, ABSURD)

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
    tail=0,  # spells of silent loss, each soon followed by the loss of the link
    repeats=0,  # a packet comes once more
    absurd=0,  # an interval of 65,535, alone
    stop=0,  # the host does not run; what came meanwhile comes at once
    stop_length=(10, 60),
    stop_share=0,  # one such stop, over this part of the session
    stop_told=False,  # and the recorder noticed that it did not run
    bursts=False,  # dry electrodes: intervals come for 10 to 15 s, then only rates for 15 to 50 s
    own_pace=False,  # packets come by the sensor's own clock, not about once a second of true time
    independent_rounding=False,
    host=0.004,  # the host's own delay, mean of an exponential
)

def episodes(random, rate, end, shortest, longest):
    """Times at which something begins and ends, at least 5 s apart."""
    episodes, time = [], 0.0
    while rate and (time := time + random.exponential(1 / rate)) < end - 5:
        length = random.uniform(shortest, longest)
        episodes.append((time, time + length))
        time += length + 5
    return episodes


def dry_spells(random, end):
    """Times without intervals, between short times with them."""
    spells, time = [], 0.0
    while time < end:
        begin = time + random.uniform(10, 15)
        time = begin + random.uniform(15, 50)
        spells.append((begin, time))
    return spells


def inside(episodes, time):
    return any(begin <= time < end for begin, end in episodes)


def payload(rate, ticks, flags=0):
    return bytes([flags | (0x10 if len(ticks) else 0), rate]) + b"".join(struct.pack("<H", one) for one in ticks)


def slowness(clock, end):
    """How slow `clock` was from 0 to `end`, in ppm: least squares. Positive where a second of it is longer than a true one."""
    time = np.linspace(0, end, 1000)
    fast = np.polyfit(time, clock(time) - time, 1)[0]
    return 1e6 * (1 / (1 + fast) - 1)


def _detections(random, habits, times, contact):
    """What the electrodes take for beats: (true time, index of the true beat or -1, origin)."""
    end = times[-1]
    lost = np.zeros(len(times), bool)
    for begin, stop in contact:
        lost[(times >= begin) & (times < stop)] = True
    for begin, _ in episodes(random, habits["missed"], end, 0, 0.1):
        first = int(np.searchsorted(times, begin))
        least, most = habits["missed_beats"]
        lost[first : first + int(random.integers(least, most + 1))] = True
    found = [(time, index, REAL) for index, time in enumerate(times) if not lost[index]]
    for begin, _ in episodes(random, habits["extra"], end, 0, 0.1):
        index = int(np.searchsorted(times, begin)) + 1
        if index + 1 < len(times) and not lost[index] and not lost[index + 1]:
            where = random.uniform(0.3, 0.6)
            found.append((times[index] + where * (times[index + 1] - times[index]), -1, EXTRA))
    found.sort()
    return found


def _intervals(random, habits, times, contact, fillers, tails, clock):
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
        if not inside(fillers, time) and not inside(tails, time):
            intervals.append([time, min(ticks, 65535), index, origin])
        previous = (time, index)
    for begin, stop in fillers:
        intervals += [[time, 512, -1, FILLER] for time in np.arange(begin, stop, random.uniform(0.45, 0.55))]
    intervals.sort(key=lambda interval: interval[0])
    return intervals


def _stops(random, habits, end):
    """When the host does not run."""
    if habits["stop_share"]:
        length = habits["stop_share"] * end
        begin = random.uniform(3, end - length - 3)
        return [(begin, begin + length)]
    return [stop for stop in episodes(random, habits["stop"], end, *habits["stop_length"]) if stop[1] + 5 < end]


class _Delay:
    """How much later than sent a packet arrives."""

    def __init__(self, random, habits, end, stalls, stops):
        self.random, self.habits, self.stalls, self.stops = random, habits, stalls, stops
        self.holds = episodes(random, habits["hold"], end, 10, 60)
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
        for begin, end in self.stops:
            if begin <= arrival < end:
                arrival = end
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


def watch(times, seed, habits):
    """What a host receives from a strap with these unusual habits that watches a heart with beats at `times`; see above."""
    habits = {**USUAL, **habits}
    random = np.random.default_rng(seed + 7777)
    end = times[-1]
    drift, wander = random.uniform(-habits["ppm"], habits["ppm"]) * 1e-6, habits["wander"] * 1e-6
    period = random.uniform(1800, 7200)

    def clock(time):
        return time * (1 + drift) + wander * period / 6.283 * np.sin(6.283 * time / period)

    contact = episodes(random, habits["contact"], end, 4, 60)
    link = episodes(random, habits["link"], end, *habits["link_length"])
    fillers = episodes(random, habits["fillers"], end, 5, 20)
    tails = [spell for spell in episodes(random, habits["tail"], end, 4, 25) if spell[1] + 110 < end]
    dry = dry_spells(random, end) if habits["bursts"] else []
    # The electrodes slip, the strap keeps silent about it, and then its owner leaves or its battery is empty.
    link += [(lost + random.uniform(15, 40), lost + random.uniform(60, 100)) for _, lost in tails]
    intervals = _intervals(random, habits, times, contact, fillers, tails + dry, clock)
    released = np.array([interval[0] for interval in intervals])
    if habits["depth"]:
        released = np.r_[released[habits["depth"] :], [end + 1] * habits["depth"]]
    stalls = episodes(random, habits["stall"], end, *habits["stall_length"]) if habits["stall"] else []
    overflows = habits["capacity"] < 64
    stops = _stops(random, habits, end)
    delay = _Delay(random, habits, end, stalls, stops)
    # Packets that waited for the host are read one after the other, unless the recorder knows that they waited.
    reading = 0.0005 if stops and not habits["stop_told"] else 0.0
    untold = list(stops) if habits["stop_told"] else []

    events, waiting, recent = [Event(0.0, "connected", b"", [])], [], []
    next_interval, arrival, rate, was_lost, last_payload = 0, 0.0, 70, False, None
    time = random.uniform(0, 1)
    while time < end:
        if inside(link, time):
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
        if not (overflows and inside(stalls, time)):
            sent, waiting = waiting[: habits["per_packet"]], waiting[habits["per_packet"] :]
            if sent:
                rate = _rate(recent)
            flags = 0
            if habits["contact_supported"]:
                off = habits["contact"] > 0 and inside(contact, time)
                flags |= 0x04 | (0 if off else 0x02)
            last_payload = payload(rate, [interval[1] for interval in sent], flags)
            arrival = max(arrival + reading, delay.arrival(time))
            while untold and arrival >= untold[0][1]:
                begin, stop = untold.pop(0)
                events.append(Event(stop, f"stall {round((stop - begin) * 1e6)}", b"", []))
            events.append(Event(arrival, "measurement", last_payload, [(interval[2], interval[3]) for interval in sent]))
            if sent and habits["repeats"] and random.random() < habits["repeats"]:
                arrival += 0.001
                events.append(Event(arrival, "measurement", last_payload, [(-1, REPEATED)] * len(sent)))
            if habits["absurd"] and random.random() < habits["absurd"]:
                arrival += 0.001
                events.append(Event(arrival, "measurement", payload(rate, [65535], flags), [(-1, ABSURD)]))
        if waiting:
            time += 0.05
        elif habits["own_pace"]:
            time += 1 / (1 + drift)
        else:
            time += 1
            time += random.uniform(-0.5, 0.5) * habits["interval_jitter"]
    return Watched(events, slowness(clock, end))
