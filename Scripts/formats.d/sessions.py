#!/usr/bin/env python3
"""Makes the sessions that the formats are checked with: simulated hearts and straps (Fidelity), replayed into a store of their own.
  sessions.py PROGRAM FOLDER [NAME…]     leaves FOLDER/NAME.sqlite; without a name all of them
"""
import pathlib
import subprocess
import sys
import uuid

root = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(root / 'Fidelity'))
import capture
import heart
from classes import CLASSES

import workouts

# Name: what the strap does (Fidelity/classes.py), hours, the heart, the seed.
SESSIONS = {
    'short': ('link-flap', 0.25, 'rest', 9101),
    'clean': ('clean', 1.0, 'rest', 9102),
    'gaps': ('link', 1.0, 'exercise', 9103),
    'artefacts': ('art2', 1.0, 'exercise', 9104),
    'everything': ('mixed-bad', 1.0, 'rest', 9105),
    'surplus': ('surplus', 1.0, 'rest', 9106),
    'filler': ('filler', 1.0, 'rest', 9107),
    'rates': ('no-rr', 1.0, 'rest', 9108),
    'drifting': ('h10-link', 3.0, 'rest', 9109),
    'ten-hours': ('clean', 10.0, 'rest', 9110),
    'workouts': ('link', 1.0, 'exercise', 9111),
}


def place(name):
    """Of what is checked, the store and the name in it: a session is the only one of its store."""
    return ('workouts', workouts.WORKOUTS[name][0]) if name in workouts.WORKOUTS else (name, 'last')


def make(program, folder, name):
    kind, hours, rhythm, seed = SESSIONS[name]
    beats = heart.beats(seed, hours, rhythm)
    watched = CLASSES[kind].watch(beats[0], seed)
    path, store = folder / f'{name}.capture', folder / f'{name}.sqlite'
    for old in folder.glob(f'{name}.sqlite*'):
        old.unlink()
    capture.write(path, watched.events, str(uuid.uuid5(uuid.NAMESPACE_OID, name)))
    subprocess.run([program, 'replay', str(path), '--store', str(store)], check=True, stdout=subprocess.DEVNULL)
    if name == 'workouts':
        workouts.add(store)
    return store


if __name__ == '__main__':
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name in dict.fromkeys(place(name)[0] for name in sys.argv[3:] or SESSIONS):
        make(program, folder, name)
