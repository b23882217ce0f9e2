"""Runs the release binary: what it makes of a capture, as everybody can read it from the store."""

import csv
import json
import subprocess
from collections import namedtuple

import numpy as np

from capture import EPOCH_MICROSECONDS

# One entry for each beat: time in seconds on the strap's axis, ticks, run, whether a gap precedes it, flags.
# `uncertainty` (s) and `reasons` (of the gaps, in order) come from `show --json`; variability from `sensord hrv --json`.
Stored = namedtuple("Stored", "time ticks run gap flags uncertainty reasons quality variability windows")


class Failure(Exception):
    pass


def _run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{program} {' '.join(arguments)}: ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def replay(program, store, capture, session, window=None):
    """Stores `capture` in `store` and reads the session back; `window` ("5m") asks for its variability by windows."""
    _run(program, "replay", str(capture), "--store", str(store))
    rows = list(csv.reader(_run(program, "export", session, "--format", "beats", "--store", str(store)).splitlines()))[1:]
    if not rows:
        raise Failure(f"{capture}: no beats")
    columns = list(zip(*rows))
    micros = np.array([time.rstrip("Z") for time in columns[0]], dtype="datetime64[us]").astype(np.int64)
    shown = json.loads(_run(program, "show", session, "--json", "--store", str(store)))
    run = np.array(columns[1], int)
    by_run = {entry["index"]: entry["uncertaintyMilliseconds"] / 1000 for entry in shown["runs"]}
    variability, windows = shown["hrv"], None
    if window:
        windows = json.loads(_run(program, "hrv", session, "--window", window, "--json", "--store", str(store)))
    return Stored(
        time=(micros - EPOCH_MICROSECONDS) / 1e6,
        ticks=np.array(columns[3], int),
        run=run,
        gap=np.array(columns[4]) == "1",
        flags=columns[5],
        uncertainty=np.array([by_run[index] for index in run]),
        reasons=[gap["reason"] for gap in shown["quality"]["gaps"]],
        quality=shown["quality"],
        variability=variability,
        windows=windows,
    )
