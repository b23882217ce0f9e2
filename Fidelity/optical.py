"""A sensor that sees no single beat: it sends rates, and some put an interval beside each that they made of the rate."""

import numpy as np

from strap import FILLER, PER_HOUR, Event, Watched, episodes, inside, payload


def watch(times, seed, invents, lost_links):
    """What a host receives; `lost_links` is how many an hour, each of 5 to 90 s."""
    random = np.random.default_rng(seed + 7777)
    end = times[-1]
    lost = [one for one in episodes(random, lost_links * PER_HOUR, end, 5, 90) if one[1] + 5 < end]
    events, was_lost, arrival = [Event(0.0, "connected", b"", [])], False, 0.0
    for time in np.arange(random.uniform(0, 1), end, 1.0):
        arrival = max(arrival + 0.001, time + random.uniform(0, 0.1))
        is_lost = inside(lost, time)
        if is_lost != was_lost:
            was_lost = is_lost
            events.append(Event(arrival, "disconnected" if is_lost else "connected", b"", []))
            continue
        if is_lost:
            continue
        seen = int(np.searchsorted(times, time))
        recent = np.diff(times[max(0, seen - 8) : seen + 1])
        rate = int(np.clip(round(60 / recent.mean()), 30, 240)) if len(recent) else 70
        ticks = [round(61440 / rate)] if invents else []
        events.append(Event(arrival, "measurement", payload(rate, ticks), [(-1, FILLER)] * len(ticks)))
    return Watched(events, None)
