"""A made-up heart with a strap on it, the same for the same seed: what the benchmarks measure with (needs numpy).

Rates of training hours rise and fall; the intervals carry breathing, a slow wander and noise, in 1/1024 s. The strap sends once a
second, up to 50 ms late, with the mean rate of the last beats, as real ones do."""
import numpy as np

TICKS = 1024


class Hour:
    """Beats and notifications of one session.

    rr          interval that each beat ended, in 1/1024 s
    beat_us     when each beat happened, in microseconds since the session's start
    stamp_ms    when each notification arrived, in milliseconds since the session's start
    bpm         its rate
    beat_end    one past the last beat that it brought"""

    def __init__(self, seed, seconds=3600, peak=(120, 165)):
        random = np.random.default_rng(seed)
        count = int(seconds * 3.6) + 64
        rate = self._target(random, seconds, random.uniform(*peak))
        # The time of a beat depends on the intervals before it: three rounds settle it.
        time = np.arange(count) * 0.5
        wander = self._wander(random, count)
        noise = random.normal(0, 1, count)
        breaths, phase = random.uniform(.2, .3), random.uniform(0, 2 * np.pi)
        for _ in range(3):
            now = np.clip(np.interp(time, np.arange(seconds), rate) + wander, 38, 205)
            depth = np.maximum(.004, .055 * (1 - (now - 50) / 90))
            interval = 60 / now + depth * np.sin(2 * np.pi * breaths * time + phase) + noise * (.003 + .35 * depth)
            ticks = np.rint(np.clip(interval, .28, 2) * TICKS).astype(np.int64)
            time = np.cumsum(ticks) / TICKS
        kept = int(np.searchsorted(time, seconds))
        self.rr = ticks[:kept]
        self.beat_us = np.cumsum(self.rr) * 1_000_000 // TICKS
        late = random.integers(0, 4, seconds) * 15 + random.integers(0, 6, seconds)
        self.stamp_ms = np.arange(1, seconds + 1) * 1000 + late
        self.beat_end = np.searchsorted(self.beat_us, np.arange(1, seconds + 1) * 1_000_000 - 40_000, 'right')
        sums = np.concatenate([[0], np.cumsum(self.rr)])
        last = np.clip(self.beat_end, 1, kept)
        first = np.maximum(last - 6, 0)
        self.bpm = np.clip(np.rint(60 * TICKS * (last - first) / (sums[last] - sums[first])), 30, 240).astype(np.int64)

    @staticmethod
    def _target(random, seconds, peak):
        """Rest, six minutes of warming up, a plateau (some of it in intervals), eight minutes of cooling down; again each hour."""
        at = np.arange(seconds)
        hour = at % 3600
        rate = 62 + (peak - 62) * np.clip(hour / 360, 0, 1) - .6 * (peak - 62) * np.clip((hour - 3120) / 480, 0, 1)
        if random.random() < .4:
            rate += 12 * np.sign(np.sin(2 * np.pi * at / random.integers(120, 400))) * (hour >= 360)
        kernel = np.exp(-np.arange(60) / 20)
        return np.convolve(np.pad(rate, (59, 0), mode='edge'), kernel / kernel.sum(), 'valid')

    @staticmethod
    def _wander(random, count):
        """An autoregressive process with a time constant of about 200 beats."""
        keep = np.exp(-1 / 200)
        steps = random.normal(0, 4 * np.sqrt(1 - keep * keep), count)
        value, values = 0.0, np.empty(count)
        for index, step in enumerate(steps):
            value = keep * value + step
            values[index] = value
        return values


FIRST_MS = 1_704_067_200_000 + 17 * 3_600_000


def write_year(path, sessions, seed, shift_ms=0):
    """Writes an hour of training a day, beginning in the evening, for StoreBenchmark (MadeUpYear.swift says how).

    Gives the rates as rows of series, milliseconds since 1970 and rate, and the number of beats."""
    random = np.random.default_rng(seed)
    rows, words, beats = [], [], 0
    for number in range(sessions):
        hour = Hour(seed * 1000 + number)
        start = FIRST_MS + number * 86_400_000 + int(random.integers(0, 4 * 3600)) * 1000 + shift_ms
        stamps = start + hour.stamp_ms
        words += [np.array([start, len(stamps), len(hour.rr)]), stamps, hour.bpm, hour.rr]
        rows.append(np.stack([np.full(len(stamps), number + 1), stamps, hour.bpm], 1))
        beats += len(hour.rr)
    np.concatenate(words).astype('<i8').tofile(path)
    return np.concatenate(rows), beats


def crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ 0x82F63B78 if value & 1 else value >> 1
        table.append(value)
    return table


_table = crc32c_table()


def _line(text):
    crc = 0xFFFFFFFF
    for byte in text.encode():
        crc = crc >> 8 ^ _table[(crc ^ byte) & 0xFF]
    return f'{text} {crc ^ 0xFFFFFFFF:08x}\n'


def write_capture(path, hour, seed, start_us=1_790_000_000_000_000):
    """Writes `hour` as a capture in sensord's own format (Documentation/capture-format.md); gives its notifications."""
    boot = 500_000_000
    with open(path, 'w', encoding='ascii') as file:
        file.write(_line('sensord-capture 2'))
        file.write(_line(f'1 session {seed:08x}-5e55-4105-8000-00000000beef C0:FF:EE:00:00:01 "Strap" "benchmark"'))
        file.write(_line(f'1 {boot} boot 0123456789abcdeffedcba9876543210'))
        file.write(_line(f'1 {boot} clock {start_us - boot}'))
        file.write(_line(f'1 {boot} connected'))
        first = 0
        for stamp, bpm, end in zip(hour.stamp_ms.tolist(), hour.bpm.tolist(), hour.beat_end.tolist()):
            intervals = hour.rr[first:end].tolist()
            first = end
            flags = 0x10 if intervals else 0x00
            payload = bytes([flags, bpm]) + b''.join(value.to_bytes(2, 'little') for value in intervals)
            file.write(_line(f'1 {boot + stamp * 1000 + 137 * (stamp % 7)} m {payload.hex()}'))
        file.write(_line(f'1 {boot + int(hour.stamp_ms[-1]) * 1000 + 5000} ended request'))
    return len(hour.stamp_ms)
