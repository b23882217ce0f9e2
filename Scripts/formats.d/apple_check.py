#!/usr/bin/env python3
"""Imports made-up exports of Apple Health (apple.py) and compares what is in the store with a plain computation: with what breaks parsers, in
a ZIP file, twice, and a newer export.
  apple_check.py PROGRAMS FOLDER [RECORDS]   PROGRAMS has sensord-interchange; 3,000 records if nothing is said
"""
import json
import pathlib
import resource
import sqlite3
import subprocess
import sys
import time

import apple

HERE = pathlib.Path(__file__).resolve().parent


def make(folder, name, records, *more):
    paths = {'xml': folder / f'{name}.xml', 'truth': folder / f'{name}.json', 'zip': folder / f'{name}.zip'}
    packed = ['--zip', paths['zip']] if '--zip' in more else []
    plain = [word for word in more if word != '--zip']
    subprocess.run(
        [sys.executable, HERE / 'apple.py', paths['xml'], '--records', str(records), '--truth', paths['truth'], *plain, *packed], check=True)
    return paths


def take(programs, store, path, *chosen):
    """Imports; the report, and the seconds."""
    start = time.monotonic()
    done = subprocess.run(
        [programs / 'sensord-interchange', 'import', '--json', '--store', store, *chosen, path], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f'exit {done.returncode}: {done.stderr.strip()}')
    report = json.loads(done.stdout)
    return (report[0] if isinstance(report, list) else report), time.monotonic() - start


def close(one, other):
    return abs(one - other) <= 1e-6 * max(1, abs(one), abs(other))


def compare(store, truth_path, routes, clinical):
    """What differs from the plain computation; empty if nothing does. `routes` and `clinical` records are what came in of the ZIP file."""
    truth = json.loads(truth_path.read_text())
    wrong = []
    with sqlite3.connect(f'file:{store}?mode=ro', uri=True) as base:
        rows = {name: (count, least, most) for name, count, least, most in base.execute(
            'SELECT type.identifier, sum(count), min(minimum), max(maximum) FROM samples JOIN types AS type ON type.id = type'
            " WHERE type.kind = 'quantity' GROUP BY 1")}
        sums = dict(base.execute(
            'SELECT type.identifier, sum(coalesce(sum, average * count)) FROM samples JOIN types AS type ON type.id = type'
            " WHERE type.kind = 'quantity' AND type.style IN ('cumulative', 'discreteArithmetic') GROUP BY 1"))
        for name, one in truth['quantities'].items():
            if name not in rows or rows[name][0] != one['count']:
                wrong.append(f'{name}: {rows.get(name, [0])[0]} values, not {one["count"]}')
            elif not (close(rows[name][1], one['minimum']) and close(rows[name][2], one['maximum'])):
                wrong.append(f'{name}: {rows[name][1:]} instead of {one}')
            elif name in sums and not close(sums[name], one['sum']):
                wrong.append(f'{name}: sum {sums[name]}, not {one["sum"]}')
        if set(rows) - set(truth['quantities']):
            wrong.append(f'also {set(rows) - set(truth["quantities"])}')
        categories = {f'{name} {value}': count for name, value, count in base.execute(
            "SELECT type.identifier, value, count(*) FROM samples JOIN types AS type ON type.id = type WHERE type.kind = 'category' GROUP BY 1, 2")}
        if categories != truth['categories']:
            wrong.append(f'categories {categories}, not {truth["categories"]}')
        counts = dict(base.execute(
            "SELECT type.identifier, count(*) FROM samples JOIN types AS type ON type.id = type WHERE type.kind NOT IN ('quantity', 'category') GROUP BY 1"))
        beats, gaps = base.execute(
            "SELECT sum(count), (SELECT sum(gaps) FROM heartbeat_series) FROM samples JOIN types AS type ON type.id = type"
            " WHERE type.kind = 'heartbeatSeries'").fetchone()
        counts |= {'beats': beats, 'gaps': gaps}
        # Those of the ZIP file alone.
        allergies = counts.pop('allergyRecord', 0)
        if allergies != clinical:
            wrong.append(f'{allergies} clinical records, not {clinical}')
        counts.pop('workoutRoute', 0)
        found = base.execute(
            "SELECT count(*), coalesce(sum(count), 0) FROM samples JOIN types AS type ON type.id = type WHERE type.kind = 'workoutRoute'").fetchone()
        if found != (routes, routes * apple.ROUTE):
            wrong.append(f'routes and locations {found}, not {routes, routes * apple.ROUTE}')
        if counts != truth['counts']:
            wrong.append(f'counts {counts}, not {truth["counts"]}')
    return wrong


def main():
    programs, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    records = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
    folder.mkdir(parents=True, exist_ok=True)
    broken = make(folder, 'export', records, '--zip')
    newer = make(folder, 'newer', records, '--newer')
    store = folder / 'apple.sqlite'
    for path in folder.glob('apple.sqlite*'):
        path.unlink()
    failed = 0

    def row(name, isRight, told):
        nonlocal failed
        failed += not isRight
        print(f'{"apple":<10} {"sensord import":<15} {name:<11} {"ok" if isRight else "FAILED":<7} {told}', flush=True)

    routes = json.loads(broken['truth'].read_text())['counts']['workout']

    def attempt(name, path, truth, isRight, routes=routes, clinical=1, *chosen):
        try:
            report, seconds = take(programs, store, path, *chosen)
            new = sum(one['new'] for one in report['types'].values())
            stored = sum(one['stored'] + one['replaced'] for one in report['types'].values())
            wrong = compare(store, truth, routes, clinical)
            told = f'{report["records"]:,} records, {new:,} new in {stored:,} samples, {path.stat().st_size:,} bytes in {seconds:.2f} s'
            row(name, not wrong and isRight(new, stored), '; '.join(wrong) or told)
            return new
        except Exception as error:
            row(name, False, f'{type(error).__name__}: {error}')
            return 0

    first = attempt('broken', broken['xml'], broken['truth'], lambda new, _: new > 0, 0, 0)
    attempt('again', broken['xml'], broken['truth'], lambda new, stored: new == 0 and stored == 0, 0, 0)
    # Routes alone: they belong to the workouts that are there, and to none in a store without them.
    attempt('routes', broken['zip'], broken['truth'], lambda new, stored: new == stored == routes, routes, 0, '--types', 'workoutRoute')
    bare = folder / 'bare.sqlite'
    for path in folder.glob('bare.sqlite*'):
        path.unlink()
    report, _ = take(programs, bare, broken['zip'], '--types', 'workoutRoute')
    row('no workouts', report['leftOut'].get('route whose workout is not in the store') == routes, f'{report["leftOut"]}')
    attempt('zip', broken['zip'], broken['truth'], lambda new, stored: new == stored == 1)
    attempt('newer', newer['xml'], newer['truth'], lambda new, _: 0 < new < first // 10)
    attempt('newer again', newer['xml'], newer['truth'], lambda new, stored: new == 0 and stored == 0)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f'{failed} failed; the largest process had {peak} MiB resident')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
