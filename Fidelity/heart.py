"""A heart: when it beats, and what kind of beat each is."""

import numpy as np

SINUS, ATRIAL_EARLY, VENTRICULAR_EARLY, FIBRILLATION, AFTER_PAUSE = range(5)

# Sinus rhythm, with and without early beats: what the promises about false gaps are made for.
REGULAR = ("rest", "exercise", "ectopic")
# Rhythms whose long intervals look like missed beats; their figures stand apart.
IRREGULAR = ("pauses", "af", "mixed")
HEARTS = REGULAR + IRREGULAR
# A pacemaker that never yields to the heart, with a period that keeps step with packets of a second, or with any other.
PACED = ("in step", "out of step")
# The same, or an ECG simulator, with the period that straps invent intervals of.
TWICE_A_SECOND = ("twice a second",)

# Seconds. Half a second is left out: straps invent intervals of exactly that length.
_PERIODS_IN_STEP = (1.0, 1.0, 0.75, 0.8, 2 / 3, 0.6)


def _target_intervals(random, end, rhythm, base, shortest):
    """What the mean interval tends to: (from, target, time constant), all in seconds."""
    plan = [(0.0, base, 1.0)]
    time = random.uniform(120, 400)
    while rhythm in ("exercise", "mixed") and time < end:
        length = random.uniform(240, 900)
        plan.append((time, random.uniform(shortest, 0.6), random.uniform(20, 60)))
        plan.append((time + length, base, random.uniform(40, 120)))
        time += length + random.uniform(300, 1200)
    return plan


def _fibrillation(random, end, rhythm):
    episodes, time = [], random.uniform(300, 900)
    while rhythm in ("af", "mixed") and time < end:
        length = random.uniform(120, 900) if rhythm == "mixed" else 900
        episodes.append((time, time + length))
        time += length + random.uniform(600, 3000)
    return episodes


def _paced(random, end, rhythm):
    """Beats of a pacemaker: its crystal is off by some ppm, and each beat is seen within a tick or so of the pulse."""
    if rhythm in TWICE_A_SECOND:
        period = 0.5
    else:
        period = random.choice(_PERIODS_IN_STEP) if rhythm == "in step" else 60 / random.uniform(55, 95)
    period *= 1 + random.uniform(-100, 100) * 1e-6
    times = np.arange(period, end, period)
    return times + np.clip(random.normal(0, 0.0005, len(times)), -0.001, 0.001)


def excerpt(times, kinds, seed, seconds):
    """So many seconds from somewhere of a heart's beats, from 0 on."""
    begin = np.random.default_rng(seed + 4242).uniform(0, times[-1] - seconds)
    own = (times >= begin) & (times < begin + seconds)
    return times[own] - begin, kinds[own]


def beats(seed, hours=1.0, rhythm="rest", early_share=0.02):
    """Times of the true beats in seconds, and the kind of each; the same for the same seed.

    Intervals wander around a mean that follows rest and effort: breathing, a slower wave at 0.1 Hz, noise, and a slow
    drift, all less the faster the heart beats.
    """
    random = np.random.default_rng(seed)
    end = hours * 3600
    if rhythm in PACED + TWICE_A_SECOND:
        times = _paced(random, end, rhythm)
        return times, np.full(len(times), SINUS, np.uint8)
    base, shortest = random.uniform(0.8, 1.1), random.uniform(0.36, 0.48)
    plan = _target_intervals(random, end, rhythm, base, shortest)
    fibrillation = _fibrillation(random, end, rhythm)
    early = {"ectopic": early_share, "mixed": early_share / 2}.get(rhythm, 0.0)
    pause = {"pauses": 1 / 400, "mixed": 1 / 3000}.get(rhythm, 0.0)
    breathing, wave, noise = random.uniform(0.015, 0.06), random.uniform(0.01, 0.04), random.uniform(0.003, 0.015)
    breathing_rate, wave_rate, phase = random.uniform(0.2, 0.3), random.uniform(0.08, 0.12), random.uniform(0, 6.28, 2)

    times, kinds = [], []
    time, mean, step, drift, next_interval, episode = 0.0, base, 0, 0.0, None, 0
    while time < end:
        while step + 1 < len(plan) and plan[step + 1][0] <= time:
            step += 1
        while episode < len(fibrillation) and fibrillation[episode][1] < time:
            episode += 1
        mean += (plan[step][1] - mean) * (1 - np.exp(-mean / plan[step][2]))
        drift = 0.995 * drift + random.normal(0, 0.0025)
        swing = max(mean - 0.3, 0.02) / 0.6
        interval = mean + swing * (
            breathing * np.sin(6.283 * breathing_rate * time + phase[0])
            + wave * np.sin(6.283 * wave_rate * time + phase[1])
            + random.normal(0, noise)
            + drift
        )
        kind = SINUS
        if episode < len(fibrillation) and fibrillation[episode][0] <= time:
            interval, kind = float(np.clip(random.gamma(12, mean * 0.8 / 12), 0.3, 1.7)), FIBRILLATION
            next_interval = None
        elif next_interval is not None:
            interval, next_interval = next_interval(interval), None
        elif random.random() < early:
            coupling, sinus = random.uniform(0.55, 0.78) * interval, interval
            if random.random() < 0.5:
                # An early atrial beat resets the sinus node.
                kind, next_interval = ATRIAL_EARLY, lambda usual, f=random.uniform(0.98, 1.15): usual * f
            else:
                # A ventricular one does not: the pause after it makes up for it.
                kind, next_interval = VENTRICULAR_EARLY, lambda _, both=2 * sinus - coupling: both
            interval = coupling
        elif random.random() < pause:
            interval, kind = random.uniform(1.8, 4.5), AFTER_PAUSE
        time += max(interval, 0.28)
        times.append(time)
        kinds.append(kind)
    return np.array(times), np.array(kinds, np.uint8)
