"""Writes a capture of ten hours: a sleeper's beats with breathing in them, a link that is lost for five minutes, and an hour later a strap that slips.

    night.py PATH
"""
import math
import os
import random
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../Fidelity"))
import capture


class Event:
    def __init__(self, time, kind, payload=b""):
        self.time, self.kind, self.payload = time, kind, payload


HOURS, LOST, SLIPPED = 10, (3 * 3600, 3 * 3600 + 300), (5 * 3600, 5 * 3600 + 40)
chance = random.Random(15)
events, beat, waiting = [Event(0, "connected")], 0.0, []
for second in range(1, HOURS * 3600):
    while beat < second:
        depth = 40 * math.sin(2 * math.pi * beat / 4.2) + 60 * math.sin(2 * math.pi * beat / 5400)
        ticks = round(1024 * (1.02 + (depth + chance.gauss(0, 12)) / 1000))
        beat += ticks / 1024
        waiting.append(ticks)
    if second == LOST[0]:
        events.append(Event(second, "disconnected"))
    if second == LOST[1]:
        events.append(Event(second, "connected"))
    intervals, waiting = waiting, []
    if LOST[0] <= second < LOST[1]:
        continue
    is_on_skin = not SLIPPED[0] <= second < SLIPPED[1]
    rate = 59 if is_on_skin else 0
    payload = bytes([0x16 if is_on_skin else 0x14, rate]) + (b"".join(struct.pack("<H", ticks) for ticks in intervals) if is_on_skin else b"")
    events.append(Event(second + 0.01 * chance.random(), "measurement", payload))
capture.write(sys.argv[1], events, "0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d15")
