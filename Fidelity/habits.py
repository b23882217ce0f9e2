"""What some sensors, or what stands between them and the host, do to the intervals of a strap all the time."""

import numpy as np

from strap import FILLER, REPEATED, Watched, payload, watch as strap_watch


def _ticks(event):
    return [int.from_bytes(event.payload[low : low + 2], "little") for low in range(2, len(event.payload), 2)]


def _with(event, ticks, origins):
    """The same packet with these intervals."""
    return event._replace(payload=payload(event.payload[1], ticks, event.payload[0] & ~0x10), origins=origins)


def _each(change, times, seed):
    """What `change(random, event, ticks)` makes of each packet of a plain strap."""
    random = np.random.default_rng(seed + 8888)
    watched = strap_watch(times, seed, {})
    events = []
    for event in watched.events:
        events += change(random, event, _ticks(event)) if event.kind == "measurement" else [event]
    return Watched(events, watched.drift)


def sum_of_time(times, seed):
    """Intervals that add up to a multiple of the time."""
    random = np.random.default_rng(seed + 9999)
    factor = random.uniform(0.8, 0.93) if random.random() < 0.5 else random.uniform(1.07, 1.3)

    def change(_, event, ticks):
        return [_with(event, [round(factor * one) for one in ticks], [(-1, FILLER)] * len(ticks))]

    return _each(change, times, seed)


def repeats(times, seed):
    """The last interval again: where there was no beat, or as the first of each packet."""
    last, always = [], seed % 2 == 0

    def change(_, event, ticks):
        again = last[-1:] if always or not ticks else []
        last.extend(ticks)
        return [_with(event, again + ticks, [(-1, REPEATED)] * len(again) + event.origins)]

    return _each(change, times, seed)


def doubled(times, seed):
    """Each packet twice, 20 or 200 ms apart."""
    apart = (0.02, 0.2)[seed % 2]

    def change(_, event, ticks):
        return [event, event._replace(time=event.time + apart, origins=[(-1, REPEATED)] * len(ticks))]

    watched = _each(change, times, seed)
    return watched._replace(events=sorted(watched.events, key=lambda event: event.time))


def newest_only(times, seed):
    """Of each packet only the newest interval."""
    return _each(lambda _, event, ticks: [_with(event, ticks[-1:], event.origins[-1:])], times, seed)


def two_hearts(times, seed):
    """Two straps in one stream; the other heart beats like this one, three minutes later."""
    mine, other = strap_watch(times, seed, {}), strap_watch(times[times > 180] - 180, seed + 1, {})
    events = mine.events + [
        event._replace(origins=[(-1, FILLER)] * len(event.origins)) for event in other.events
        if event.kind == "measurement"]
    return Watched(sorted(events, key=lambda event: event.time), mine.drift)


def milliseconds(times, seed):
    """Intervals in milliseconds, none of which is lost in rounding."""
    sums = [0, 0]

    def change(_, event, ticks):
        changed = []
        for one in ticks:
            sums[0] += one
            changed.append(round(sums[0] * 1000 / 1024) - sums[1])
            sums[1] += changed[-1]
        return [_with(event, changed, event.origins)]

    return _each(change, times, seed)
