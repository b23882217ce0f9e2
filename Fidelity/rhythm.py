"""Hearts for the trial of the irregular rhythm: real ones, real ones that are disturbed, and fibrillation spliced into normals.

Records are those of `SENSORD_TEST_DATA/af`: a line for each stretch of one rhythm, A fibrillation and N anything else.
"""

from pathlib import Path

import numpy as np

FIBRILLATING = ("00735", "04015", "04048", "04746")
NORMAL = ("nsr004", "nsr009")
# Longest fibrillation that is never told, shortest that always is, in minutes: windows begin every 2.5 minutes.
NEVER, ALWAYS = 25, 32.5


def stretches(folder, name):
    """(rhythm, intervals in seconds) of a record, in order."""
    lines = Path(folder, f"{name}.rr").read_text().splitlines()
    unit = float(lines[0].split("in 1/")[1].split()[0])
    words = [line.split() for line in lines[1:]]
    return [(line[0], np.array(line[1:], float) / unit) for line in words]


def whole(folder, name):
    return np.concatenate([intervals for _, intervals in stretches(folder, name)])


def fibrillation(folder):
    """The two long episodes of the data, after each other."""
    long = [one for rhythm, one in stretches(folder, "04746") if rhythm == "A" and one.sum() > 3600]
    return np.concatenate(long)


def excerpt(intervals, random, minutes):
    """So many minutes from somewhere."""
    times = np.cumsum(intervals)
    begin = random.uniform(0, times[-1] - minutes * 60)
    first = int(np.searchsorted(times, begin))
    return intervals[first : first + int(np.searchsorted(times, times[first] + minutes * 60)) - first]


def spliced(normal, episode, random):
    """The episode with three quarters of an hour of a normal rhythm before and after it."""
    return np.concatenate([excerpt(normal, random, 45), episode, excerpt(normal, random, 45)])


def every(intervals, count, coupling=0.6):
    """Each `count`th beat is ventricular: early, with the pause that makes up for it."""
    changed = intervals.copy()
    early = np.arange(count - 1, len(changed) - 1, count)
    changed[early + 1] += (1 - coupling) * changed[early]
    changed[early] *= coupling
    return changed


def early(intervals, random, share, resets, spread=0.03):
    """So many of the beats are early; those of the atria (`resets`) begin the rhythm anew, others are made up for.

    They come from one place of the heart, so each follows the beat before it after about the same part of an interval.
    """
    changed = intervals.copy()
    usual = random.uniform(0.58, 0.75)
    place = 1
    while place < len(changed) - 1:
        # Two places are taken by each, so that the chance is that of a beat that may be early.
        if random.random() < share / (1 - share):
            coupling = usual + random.uniform(-spread, spread)
            changed[place + 1] += 0 if resets else (1 - coupling) * changed[place]
            changed[place] *= coupling
            place += 1
        place += 1
    return changed


def missed(intervals, random, share):
    """The sensor misses so many of the beats."""
    times = np.cumsum(intervals)
    return np.diff(times[random.random(len(times)) >= share], prepend=0)


def extra(intervals, random, share):
    """So many of the intervals have a false detection in them."""
    times = np.cumsum(intervals)
    where = np.flatnonzero(random.random(len(times) - 1) < share)
    added = times[where] + random.uniform(0.3, 0.6, len(where)) * np.diff(times)[where]
    return np.diff(np.sort(np.concatenate([times, added])), prepend=0)


def breathing(random, hours, swing=0.25):
    """A young heart at rest, whose rate follows its breath so far from peak to peak."""
    intervals, time = [], 0.0
    while time < hours * 3600:
        phase = 6.283 * (0.2 * time + 0.4 * np.sin(time / 200))
        interval = 0.95 * (1 + swing / 2 * np.sin(phase)) + random.normal(0, 0.01)
        intervals.append(interval)
        time += interval
    return np.array(intervals)


def cases(folder, seed, episodes):
    """(name, intervals, alarms that are right) of each heart."""
    random = np.random.default_rng(seed)
    for name in FIBRILLATING:
        long = 1 if name == "04746" else 0
        yield f"record {name}", whole(folder, name), long
    normals = [whole(folder, name) for name in NORMAL]
    for name, normal in zip(NORMAL, normals):
        yield f"record {name}", normal, 0
    for name, count in (("bigeminy", 2), ("trigeminy", 3), ("quadrigeminy", 4)):
        for normal in normals:
            yield name, every(excerpt(normal, random, 480), count), 0
    for share in (0.1, 0.2, 0.3):
        for normal in normals:
            yield f"ventricular {share:.0%}", early(excerpt(normal, random, 480), random, share, False), 0
            # The second breathes so deeply that with many early beats it is almost as irregular as in fibrillation.
            yield f"atrial {share:.0%}", early(excerpt(normal, random, 480), random, share, True), 0
    for normal in normals:
        yield "missed 20%", missed(excerpt(normal, random, 480), random, 0.2), 0
        yield "extra 10%", extra(excerpt(normal, random, 480), random, 0.1), 0
        yield "breathing 25%", breathing(random, 8), 0
    source = fibrillation(folder)
    for minutes in (15, 20, NEVER, ALWAYS, 35, 40, 50, 60):
        told = 1 if minutes >= ALWAYS else 0
        for number in range(episodes):
            heart = spliced(normals[number % 2], excerpt(source, random, minutes), random)
            yield f"fibrillation {minutes:g} min", heart, told
