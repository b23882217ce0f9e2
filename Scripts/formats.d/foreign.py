"""Annotations that others made (PhysioNet's sample records): what comes in, against the plain reading by the wfdb package."""
import csv
import io
import os
import pathlib
import subprocess

import truth as truths

RECORDS = {'100': 'atr', '1003': 'atr', '12726': 'wqrs'}
# PhysioNet's codes of beats (isqrs in its library's header), and those of them that are premature.
BEATS, PREMATURE = set('NLRaVFJASEj/QeBrf?n'), set('aVFJASr')


def check(programs, folder, record):
    import wfdb
    place = pathlib.Path(os.environ['SENSORD_TEST_DATA']) / 'wfdb-sample-data'
    plain = wfdb.rdann(str(place / record), RECORDS[record])
    ticks = [(int(sample), symbol) for sample, symbol in zip(plain.sample, plain.symbol) if symbol in BEATS]
    store = folder / f'foreign-{record}.sqlite'
    for old in folder.glob(f'{store.name}*'):
        old.unlink()
    start = truths.microseconds('2026-03-01T07:14:22Z')
    subprocess.run(
        [programs / 'sensord', 'import', '--start', '2026-03-01T07:14:22Z', place / f'{record}.hea', '--store', store], check=True, capture_output=True)
    table = subprocess.run([programs / 'sensord', 'export', 'last', '--format', 'beats', '--store', store], check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == len(ticks), (len(rows), len(ticks))
    frequency = int(plain.fs or wfdb.rdheader(str(place / record)).fs)
    before = None
    for row, (tick, symbol) in zip(rows, ticks):
        # Both its run's first beat and itself are rounded down to a microsecond.
        assert abs(truths.microseconds(row['time']) - start - tick * 1_000_000 / frequency) <= 2, (row, tick)
        assert row['index'] == '0' or int(row['rr_ticks']) == tick - before, (row, tick, before)
        assert ('ectopic' in row['flags']) == (symbol in PREMATURE), (row, symbol)
        before = tick
    premature = sum(symbol in PREMATURE for _, symbol in ticks)
    return f'{len(rows)} beats at their ticks of 1/{frequency} s, {premature} premature'
