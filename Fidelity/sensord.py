"""Runs the release binary: what it makes of a capture, as everybody can read it from the store."""

import csv
import json
import subprocess
from collections import namedtuple

import numpy as np

from capture import EPOCH_MICROSECONDS

# One entry for each beat: time in seconds on the strap's axis, ticks, run, whether a gap precedes it, whether it is flagged.
# `uncertainty` (s) comes from `show --json`, and so do `gaps`, (reason, start, end) each, in seconds too, and `quality` and
# `hrv`, as they are. `variability` is a list of what `hrv --json` reports: begin, end, SDNN and RMSSD in ms (None where
# refused), first the whole session, then its windows.
Stored = namedtuple("Stored", "time ticks run gap flagged uncertainty gaps quality hrv variability")


class Failure(Exception):
    pass


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{program} {' '.join(arguments)}: ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def _seconds(texts):
    micros = np.array([text.rstrip("Z") for text in texts], dtype="datetime64[us]").astype(np.int64)
    return (micros - EPOCH_MICROSECONDS) / 1e6


def _gaps(shown):
    starts, ends = (_seconds([gap[key] for gap in shown]) for key in ("start", "end"))
    return [(gap["reason"], float(start), float(end)) for gap, start, end in zip(shown, starts, ends)]


def _variability(program, store, session, *options):
    reports = json.loads(run(program, "hrv", session, "--json", "--store", str(store), *options))["reports"]
    return [
        (*_seconds([one["start"], one["end"]]), one["figures"]["sdnn"]["value"], one["figures"]["rmssd"]["value"])
        for one in reports
    ]


def replay(program, store, capture, session, window=None):
    """Stores `capture` in `store` and reads the session back; `window` ("5m") asks for its variability, by windows too."""
    run(program, "replay", str(capture), "--store", str(store))
    return read(program, store, session, window)


def rate_times(program, store, session):
    """When each stored rate came, in microseconds since 1970."""
    rows = run(program, "export", session, "--format", "rates", "--store", str(store)).splitlines()[1:]
    return [round(1e6 * time) + EPOCH_MICROSECONDS for time in _seconds([row.split(",")[0] for row in rows])]


def read(program, store, session, window=None):
    """What `store` has of the session."""
    rows = list(csv.reader(run(program, "export", session, "--format", "beats", "--store", str(store)).splitlines()))[1:]
    columns = list(zip(*rows)) or [()] * 6
    shown = json.loads(run(program, "show", session, "--json", "--store", str(store)))
    runs = np.array(columns[1], int)
    by_run = {entry["index"]: entry["uncertaintyMilliseconds"] / 1000 for entry in shown["runs"]}
    variability = []
    if window:
        variability = _variability(program, store, session)
        variability += _variability(program, store, session, "--window", window)
    return Stored(
        time=_seconds(columns[0]),
        ticks=np.array(columns[3], int),
        run=runs,
        gap=np.array(columns[4]) == "1",
        flagged=np.isin(columns[5], ("", "firstOfRun"), invert=True),
        uncertainty=np.array([by_run[index] for index in runs]),
        gaps=_gaps(shown["quality"]["gaps"]),
        quality=shown["quality"],
        hrv=shown["hrv"],
        variability=variability,
    )
