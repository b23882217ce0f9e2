"""What was exported, imported again into a store of its own: what is left of it, as exactly as the format has it."""
import itertools
import json
import pathlib
import re
import subprocess

import sessions
import truth as truths


def check(programs, form, path, truth):
    store = pathlib.Path(f'{path}.sqlite')
    for old in path.parent.glob(f'{store.name}*'):
        old.unlink()

    def run(*arguments, program='sensord'):
        return subprocess.run([programs / program, *arguments, '--store', store], check=True, capture_output=True, text=True).stdout
    start = [] if form != 'rr' else ['--start', '2026-03-01T07:14:22Z']
    if form != 'rr':
        # Where it came from it is known, and elsewhere it is itself. Intervals as text are known on their own day.
        home = subprocess.run(
            [programs / 'sensord-interchange', 'import', '--dry-run', path, '--store', path.parent / f'{sessions.place(path.stem)[0]}.sqlite'], check=True, capture_output=True, text=True).stdout
        assert re.search(r'is known already(| as [0-9a-f]{8}), nothing new', home), home
    run('import', *start, path, program='sensord-interchange')
    if form in ('fit', 'tcx', 'wfdb', 'apple') and not truth.workout:
        here = json.loads(run('show', 'last', '--json'))
        assert here['id'] == truth.id, (here['id'], truth.id)
    assert 'nothing new' in run('import', *start, path, program='sensord-interchange')
    rates = {}
    for row in truths.table(programs / 'sensord', store, 'rates'):
        rates[truths.microseconds(row['time']) // 1_000_000] = int(row['bpm'])
    if form in ('fit', 'tcx', 'apple'):
        assert rates == truth.rates, 'rates differ'
    if form == 'tcx':
        return f'{len(rates)} rates'
    # Ticks of an imported session are milliseconds, those of WFDB what they were, those of Apple's hundredths.
    stretches = []
    for row in truths.table(programs / 'sensord', store, 'beats'):
        if row['index'] == '0':
            stretches.append((truths.microseconds(row['time']), []))
        else:
            stretches[-1][1].append(int(row['rr_ticks']))
    if form == 'rr':
        assert stretches[0][1] == [interval for one in truth.stretches for interval in one.intervals]
        return f'{len(stretches[0][1])} intervals'
    if form == 'wfdb':
        # Every beat, with the sensor's own ticks.
        assert len(stretches) == len(truth.stretches), f'{len(stretches)} runs, not {len(truth.stretches)}'
        for one, (start, ticks) in zip(truth.stretches, stretches):
            assert len(ticks) == len(one.ticks) and all(abs(mine - other) <= (one.drift >= 250) for mine, other in zip(ticks, one.ticks)), 'intervals differ'
            assert abs(start - one.start) <= 3000, f'a run begins {(start - one.start) / 1e6:.3f} s late'
        return f'{sum(len(one[1]) for one in stretches)} intervals, {len(stretches)} runs'
    if form == 'apple':
        # Every beat, to the hundredth of a second.
        assert len(stretches) == len(truth.stretches), f'{len(stretches)} runs, not {len(truth.stretches)}'
        far = 0
        for one, (start, ticks) in zip(truth.stretches, stretches):
            assert len(ticks) == len(one.ticks), f'{len(ticks)} intervals, not {len(one.ticks)}'
            times = itertools.accumulate(ticks, lambda at, tick: at + tick * 10_000, initial=start)
            far = max(far, *(abs(mine - other) for mine, other in zip(times, one.times)))
        assert far <= 10_000, f'a beat is {far / 1e6:.3f} s late'
        return f'{len(rates)} rates, {sum(len(one[1]) + 1 for one in stretches)} beats within {far / 1000:.0f} ms, {len(stretches)} runs'
    # What has no interval has no line in HRV Logger's table.
    expected = [one for one in truth.stretches if one.intervals or form == 'fit']
    assert len(stretches) == len(expected), f'{len(stretches)} runs, not {len(expected)}'
    for one, (start, intervals) in zip(expected, stretches):
        assert truths.same(one, intervals, followsClock=True), 'intervals differ'
        assert abs(start - one.start) <= 1_000_000, f'a run begins {(start - one.start) / 1e6:.3f} s late'
    return f'{len(rates)} rates, {sum(len(one[1]) for one in stretches)} intervals, {len(stretches)} runs'
