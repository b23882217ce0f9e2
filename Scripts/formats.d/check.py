#!/usr/bin/env python3
"""Checks every format through programs of others: a line for each format, checker and session, all ok or the first thing that is not.
  check.py PROGRAMS FOLDER [NAME…]     PROGRAMS has sensord and sensord-interchange; FOLDER has the stores of sessions.py
"""
import os
import pathlib
import resource
import subprocess
import sys
import time

import again
import apple_files
import edf
import fit
import foreign
import intervals
import json_forms
import ride
import sessions
import speed
import tcx
import truth as truths
import wfdb_files
import workouts

ENDINGS = {'fit': 'fit', 'tcx': 'tcx', 'rr': 'txt', 'hrvlogger': 'csv', 'wfdb': 'hea', 'edf': 'edf', 'omh': 'omh.json', 'fhir': 'fhir.json', 'apple': 'xml'}
PROGRAMS = pathlib.Path(sys.argv[1])
CHECKERS = {
    'fit': {name: (lambda reader: lambda path, truth: fit.check(reader(path), truth))(reader) for name, reader in fit.READERS.items()},
    'tcx': {'tcxreader': tcx.with_tcxreader} | ({'schema': tcx.with_schema} if os.environ.get('TCX_XSD') else {}),
    'rr': {'neurokit2': intervals.rr_neurokit, 'hrv-analysis': intervals.rr_hrvanalysis},
    'hrvlogger': {'pandas': intervals.logger_pandas},
    'wfdb': {'wfdb': wfdb_files.with_wfdb},
    'edf': {'pyedflib': edf.with_pyedflib, 'edfio': edf.with_edfio},
    'omh': {'json': json_forms.omh_plain} | ({'schemas': json_forms.omh_schemas} if os.environ.get('OMH_SCHEMAS') else {}),
    'fhir': {'fhir.resources': json_forms.fhir_r4b},
    'apple': {name: apple_files.with_checker(name, PROGRAMS) for name in apple_files.CHECKERS},
}

if os.environ.get('FORMATS') == 'small':
    CHECKERS['rr'] = CHECKERS['hrvlogger'] = CHECKERS['wfdb'] = CHECKERS['fhir'] = CHECKERS['apple'] = {}


def has(form, truth):
    """Whether the session has anything for a format."""
    if form in ('tcx', 'fhir'):
        return bool(truth.rates)
    if form in ('omh', 'apple') and truth.rates:
        return True
    return form in ('fit', 'edf') or any(one.intervals or form in ('wfdb', 'apple') for one in truth.stretches)


def comes_in(programs, form):
    """What can be read again is."""
    if form in ('edf', 'omh', 'fhir'):
        return {}
    return {'sensord import': lambda path, truth: again.check(programs, form, path, truth)}


def missing(form, truth):
    """What is told of rates that have no second of their own."""
    count = len(truth.values) - len(truth.rates)
    if form not in ('fit', 'tcx', 'edf', 'fhir', 'apple') or not count:
        return ''
    return f'sensord: {count} of {len(truth.values)} rates {"is" if count == 1 else "are"} not in the file: {form} has one a second'


def files(path):
    """A record of WFDB is two."""
    return [path, path.with_suffix('.atr')] if path.suffix == '.hea' else [path]


def export(programs, store, what, form, path):
    start = time.monotonic()
    done = subprocess.run(
        [programs / 'sensord', 'export', what, '--format', form, '--store', store, '-o', path], capture_output=True, text=True)
    return done.returncode, done.stderr.strip(), time.monotonic() - start


def attempt(check):
    try:
        return True, check()
    except Exception as error:
        return False, f'{type(error).__name__}: {error}'


def main():
    programs, folder = PROGRAMS, pathlib.Path(sys.argv[2])
    names = sys.argv[3:] or [*(name for name in sessions.SESSIONS if name != 'workouts'), *workouts.WORKOUTS]
    # All of it before any checker is loaded: a child's peak begins with what this process had when it started the child.
    made = {}
    for name in names:
        for form, ending in ENDINGS.items():
            store, what = sessions.place(name)
            made[name, form] = export(programs, folder / f'{store}.sqlite', what, form, folder / f'{name}.{ending}')
    rides = {name: ride.export(programs, folder, name) for name in names if name not in workouts.WORKOUTS}
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    failed = 0

    def row(form, checker, name, isRight, told):
        nonlocal failed
        failed += not isRight
        print(f'{form:<10} {checker:<19} {name:<11} {"ok" if isRight else "FAILED":<7} {told}', flush=True)
    print(f'{"format":<10} {"checker":<19} {"session":<11} {"result":<7} what was compared')
    for name in names:
        truth = truths.read(str(programs / 'sensord'), folder / f'{sessions.place(name)[0]}.sqlite', name if name in workouts.WORKOUTS else None)
        for form, checkers in CHECKERS.items():
            code, message, seconds = made[name, form]
            path = folder / f'{name}.{ENDINGS[form]}'
            if not has(form, truth):
                row(form, '-', name, code == 65, f'refused: {message}')
                continue
            for checker, check in (checkers | comes_in(programs, form)).items():
                isRight, told = (False, message) if code or message != missing(form, truth) else attempt(lambda: check(path, truth))
                row(form, checker, name, isRight, f'{told}; {sum(one.stat().st_size for one in files(path)):,} bytes in {seconds:.2f} s' if isRight else told)
        if name in rides and truth.rates:
            row('--into', 'garmin-fit-sdk', name, *attempt(lambda: ride.check(*rides[name], truth)))
        if name == 'ten-hours':
            row('fit', 'encoder', name, *attempt(lambda: speed.compare(folder / f'{name}.fit', lambda: export(
                programs, folder / f'{name}.sqlite', 'last', 'fit', folder / f'{name}.again.fit')[2])))
    if os.environ.get('SENSORD_TEST_DATA') and os.environ.get('FORMATS') != 'small':
        for record in foreign.RECORDS:
            row('wfdb', 'wfdb', record, *attempt(lambda: foreign.check(programs, folder, record)))
    elif os.environ.get('FORMATS') != 'small':
        print("wfdb: PhysioNet's own records are left out: SENSORD_TEST_DATA names no folder")
    print(f'{failed} failed; the largest process had {peak} MiB resident')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
