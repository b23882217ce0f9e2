#!/usr/bin/env python3
"""What is written like Apple Health's export, through healthkit-to-sqlite and apple-health-parser. Neither looks at beats: these are taken
from the elements that the parser keeps. It needs an environment of its own (requirements-apple.txt), so it is started by with_checker.
  apple_files.py CHECKER PROGRAM STORE FILE [WORKOUT]
"""
import contextlib
import io
import json
import logging
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import zipfile
from datetime import datetime, timedelta

import sessions
import truth as truths
import workouts

RATE, DEVIATION = 'HKQuantityTypeIdentifierHeartRate', 'HKQuantityTypeIdentifierHeartRateVariabilitySDNN'


def _second(text):
    return int(datetime.strptime(text, '%Y-%m-%d %H:%M:%S %z').timestamp())


def _expected(truth):
    """A list of records: the hundredth of a second of each beat, its rate, and SDNN of the intervals between beats of which nothing was found."""
    records, last = [], None
    for one in truth.stretches:
        start = None
        for place, at in enumerate(one.times):
            tick = (at + 5000) // 10_000
            tick = tick if last is None else max(tick, last + 1)
            last = tick
            if start is None or tick - start >= 30_000:
                start = tick
                records.append(([], [], []))
            interval = one.intervals[place - 1] if place else one.intervals[0] if one.intervals else None
            records[-1][0].append(tick)
            records[-1][1].append(max(1, (60_000 + interval // 2) // interval) if interval else None)
            if place and not one.flags[place] and not one.flags[place - 1]:
                records[-1][2].append(interval)
    return [(ticks, rates, statistics.stdev(intervals) if len(intervals) > 1 else None) for ticks, rates, intervals in records]


def _same_value(value, deviation):
    return (value is None) == (deviation is None) and (value is None or abs(float(value) - deviation) <= 0.0051)


def with_healthkit_to_sqlite(path, truth):
    import sqlite_utils
    from healthkit_to_sqlite.utils import convert_xml_to_sqlite
    base = sqlite_utils.Database(memory=True)
    with open(path) as file:
        convert_xml_to_sqlite(file, base)
    tables = base.table_names()
    rates = {_second(row['startDate']): int(row['value']) for row in base['rHeartRate'].rows} if 'rHeartRate' in tables else {}
    assert rates == truth.rates, 'rates differ'
    records = list(base['rHeartRateVariabilitySDNN'].rows) if 'rHeartRateVariabilitySDNN' in tables else []
    expected = _expected(truth)
    assert len(records) == len(expected), f'{len(records)} records of beats, not {len(expected)}'
    for row, (ticks, _, deviation) in zip(records, expected):
        assert (_second(row['startDate']), _second(row['endDate'])) == (ticks[0] // 100, -(-ticks[-1] // 100)), row
        assert _same_value(row.get('value'), deviation), (row, deviation)
    assert {row['sourceName'] for row in base['rHeartRate'].rows} == {'sensord'} if rates else True
    found = list(base['workouts'].rows) if 'workouts' in tables else []
    assert len(found) == truth.workout, found
    for row in found:
        assert (_second(row['startDate']), _second(row['endDate'])) == (truth.start // 1_000_000, truth.end // 1_000_000), row
        assert abs(float(row['duration']) - (truth.end - truth.start) / 60e6) < 1e-6 and row['durationUnit'] == 'min', row
        assert row['workoutActivityType'] in ('HKWorkoutActivityTypeSwimBikeRun', 'HKWorkoutActivityTypeWalking'), row
        assert json.loads(row['workout_events']) == [], row
    return f'{len(rates)} rates, {len(records)} records of beats' + (', a workout' if found else '')


def with_apple_health_parser(path, truth):
    logging.disable(logging.CRITICAL)
    from apple_health_parser.utils.parser import Parser
    with tempfile.TemporaryDirectory() as folder:
        # Packed as the phone packs it.
        packed = pathlib.Path(folder) / 'export.zip'
        with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.write(path, 'apple_health_export/export.xml')
        with contextlib.redirect_stdout(io.StringIO()):
            parser = Parser(packed, output_dir=folder, overwrite=True)
            rows = parser.get_flag_records(RATE).records if RATE in parser.flags else None
            deviations = parser.get_flag_records(DEVIATION).records if DEVIATION in parser.flags else None
    rates = {} if rows is None else {int(at.timestamp()): int(value) for at, value in zip(rows['start_date'], rows['value'])}
    assert rates == truth.rates, 'rates differ'
    expected = _expected(truth)
    elements = parser.records.get(DEVIATION, [])
    assert len(elements) == len(expected), f'{len(elements)} records of beats, not {len(expected)}'
    # It passes over records without a value.
    values = [one[2] for one in expected if one[2] is not None]
    assert len(deviations if deviations is not None else []) == len(values)
    assert all(_same_value(value, one) for value, one in zip(deviations['value'] if values else [], values))
    count = 0
    for element, (ticks, bpm, deviation) in zip(elements, expected):
        assert _same_value(element.get('value'), deviation)
        start = datetime.strptime(element.get('startDate'), '%Y-%m-%d %H:%M:%S %z')
        beats = element.findall('HeartRateVariabilityMetadataList/InstantaneousBeatsPerMinute')
        assert len(beats) == len(ticks), (len(beats), len(ticks))
        for beat, tick, rate in zip(beats, ticks, bpm):
            clock = datetime.strptime(beat.get('time'), '%I:%M:%S.%f %p')
            at = start.replace(hour=clock.hour, minute=clock.minute, second=clock.second, microsecond=clock.microsecond)
            if at < start:
                at += timedelta(days=1)
            delta = at - truths.EPOCH
            assert (delta.days * 86400 + delta.seconds) * 100 + delta.microseconds // 10_000 == tick, (at, tick)
            assert rate is None or int(beat.get('bpm')) == rate, (beat.attrib, rate)
            count += 1
    return f'{len(rates)} rates, {count} beats in {len(elements)} records'


CHECKERS = {'healthkit-to-sqlite': with_healthkit_to_sqlite, 'apple-health-parser': with_apple_health_parser}


def with_checker(name, programs):
    """The check of that name in its own environment."""
    def check(path, truth):
        store = path.parent / f'{sessions.place(path.stem)[0]}.sqlite'
        workout = [path.stem] if truth.workout else []
        done = subprocess.run(
            [os.environ['APPLE_PYTHON'], __file__, name, programs / 'sensord', store, path, *workout], capture_output=True, text=True)
        assert not done.returncode, (done.stderr.strip() or done.stdout.strip()).splitlines()[-1]
        return done.stdout.strip()
    return check


if __name__ == '__main__':
    checker, program, store, file, *workout = sys.argv[1:]
    print(CHECKERS[checker](pathlib.Path(file), truths.read(program, store, *workout)))
