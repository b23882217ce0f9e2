"""Runs the release binary: what it makes of a capture, as everybody can read it from the store."""

import csv
import json
import subprocess
from collections import namedtuple

import numpy as np

from capture import EPOCH_MICROSECONDS

# One entry for each beat: time in seconds on the strap's axis, ticks, run, whether a gap precedes it, flags.
# `uncertainty` (s) and `reasons` (of the gaps between two beats, in order) come from `show --json`. `variability` is a list of what `hrv --json`
# reports: begin, end, SDNN and RMSSD in ms (None where refused), first the whole session, then its windows.
Stored = namedtuple("Stored", "time ticks run gap uncertainty reasons variability")


class Failure(Exception):
    pass


def _run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{program} {' '.join(arguments)}: ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def _seconds(text):
    micros = np.array([text.rstrip("Z")], dtype="datetime64[us]").astype(np.int64)[0]
    return (micros - EPOCH_MICROSECONDS) / 1e6


def _variability(program, store, session, *options):
    reports = json.loads(_run(program, "hrv", session, "--json", "--store", str(store), *options))["reports"]
    return [
        (_seconds(one["start"]), _seconds(one["end"]), one["figures"]["sdnn"]["value"], one["figures"]["rmssd"]["value"])
        for one in reports
    ]


def replay(program, store, capture, session, window=None):
    """Stores `capture` in `store` and reads the session back; `window` ("5m") asks for its variability, by windows too."""
    _run(program, "replay", str(capture), "--store", str(store))
    rows = list(csv.reader(_run(program, "export", session, "--format", "beats", "--store", str(store)).splitlines()))[1:]
    if not rows:
        raise Failure(f"{capture}: no beats")
    columns = list(zip(*rows))
    micros = np.array([time.rstrip("Z") for time in columns[0]], dtype="datetime64[us]").astype(np.int64)
    shown = json.loads(_run(program, "show", session, "--json", "--store", str(store)))
    run = np.array(columns[1], int)
    by_run = {entry["index"]: entry["uncertaintyMilliseconds"] / 1000 for entry in shown["runs"]}
    first, last = (f"{columns[0][place].rstrip('Z')[:-3]}Z" for place in (0, -1))  # cut to milliseconds, as gaps are
    variability = []
    if window:
        variability = _variability(program, store, session)
        variability += _variability(program, store, session, "--window", window)
    return Stored(
        time=(micros - EPOCH_MICROSECONDS) / 1e6,
        ticks=np.array(columns[3], int),
        run=run,
        gap=np.array(columns[4]) == "1",
        uncertainty=np.array([by_run[index] for index in run]),
        # Before the first beat and after the last packet gaps lie between rates.
        reasons=[gap["reason"] for gap in shown["quality"]["gaps"] if first <= gap["start"] and gap["end"] <= last],
        variability=variability,
    )
