#!/usr/bin/env python3
"""Compares what sensord stored with what each strap really sent.  usage: verify.py OUT [--header]

OUT is the folder of a lab run of guest/record.sh. Every stored rate, contact, energy and RR interval must be a value that
the strap sent, once and in order; sent values that are not there are "swallowed". The scenario's "expect" says how much of
what is right: {"sessions": 1, "gaps": 2, "swallowed": 0, "junk": 0} for each strap, or for one by {"ADDRESS": {…}}; a list
holds all the values that are right, where bluetoothd itself may or may not hand a value out; "losses" stands for the
number of times that the link was lost between two values.
Prints one line a strap and exits with 1 where one differs.
"""
import csv, json, os, struct, sys

ROW = '{:<16} {:<17} {:>6} {:>6} {:>9} {:>5} {:>5} {:>8}  {}'
CONTACT = {0: 'notSupported', 1: 'notSupported', 2: 'notDetected', 3: 'detected'}


def decode(value):
    """(rate, contact, energy, RR intervals) of a Heart Rate Measurement; None where it is too short."""
    try:
        flags, at = value[0], 1
        wide = flags & 1
        bpm = struct.unpack_from('<H' if wide else 'B', value, at)[0]; at += 1 + wide
        energy = None
        if flags & 8: energy = struct.unpack_from('<H', value, at)[0]; at += 2
    except (IndexError, struct.error): return None
    rr = [x for x, in struct.iter_unpack('<H', value[at:at + (len(value) - at) // 2 * 2])] if flags & 16 else []
    return bpm, CONTACT[flags >> 1 & 3], energy, rr


def compare(sent, rates, ticks):
    """How many of the sent values are stored, how many are not, and whether everything that is stored was sent."""
    rate = beat = stored = junk = 0
    for value in sent:
        fields = decode(value)
        if fields is None: junk += 1; continue
        bpm, contact, energy, rr = fields
        row = (str(bpm), contact, '' if energy is None else str(energy))
        here = bpm == 0 or rate < len(rates) and rates[rate] == row
        if here and ticks[beat:beat + len(rr)] == rr: rate += bpm != 0; beat += len(rr); stored += 1
    return stored, len(sent) - stored - junk, junk, rate == len(rates) and beat == len(ticks)


def losses(log):
    """How many losses of the link lie between two values."""
    count, lost, begun = 0, False, False
    for line in log:
        if line['ev'] == 'disconnected': lost = begun
        if line['ev'] == 'notify': count += lost; lost = False; begun = True
    return count


def main(out, *options):
    lines = [json.loads(line) for line in open(f'{out}/strap.log') if line.startswith('{')]
    scenario = json.load(open(f'{out}/scenario.json'))
    sessions = json.load(open(f'{out}/sessions.json')) if os.path.exists(f'{out}/sessions.json') else []
    name, right = os.path.basename(os.path.normpath(out)), True
    if '--header' in options: print(ROW.format('scenario', 'strap', 'sent', 'stored', 'swallowed', 'junk', 'gaps', 'sessions', ''))
    straps = [s.get('address', 'C0:FF:EE:00:00:01') for s in scenario.get('straps', [scenario])]
    for strap in straps:
        allowed = strap in scenario.get('allow', straps)
        expect = {'sessions': 1, 'gaps': 0, 'swallowed': 0, 'junk': 0, **scenario.get('expect', {}), **scenario.get('expect', {}).get(strap, {})}
        if not allowed: expect = {'sessions': 0, 'gaps': 0}
        if expect['gaps'] == 'losses': expect['gaps'] = losses([x for x in lines if x.get('strap') == strap])
        mine = [s for s in sessions if s['device']['address'] == strap]
        rates = [(r['bpm'], r['contact'], r['energy_kj']) for s in mine for r in csv.DictReader(open(f"{out}/{s['id']}.rates.csv"))]
        ticks = [int(r['rr_ticks']) for s in mine for r in csv.DictReader(open(f"{out}/{s['id']}.beats.csv"))]
        sent = [bytes.fromhex(x['hex']) for x in lines if x['ev'] == 'notify' and x.get('strap') == strap] if allowed else []
        stored, swallowed, junk, sound = compare(sent, rates, ticks)
        got = {'sessions': len(mine), 'gaps': sum(s['heartbeats']['gaps'] for s in mine), 'swallowed': swallowed, 'junk': junk}
        wrong = [f'{k} should be {v}' for k, v in expect.items() if k in got and got[k] not in (v if isinstance(v, list) else [v])] + ([] if sound else ['stored values that were not sent so'])
        if not allowed and strap.replace(':', '') in open(f'{out}/run.log').read().replace(':', ''): wrong.append('named in the log')
        print(ROW.format(name, strap, len(sent), stored, swallowed, junk, got['gaps'], got['sessions'], '; '.join(wrong) or 'ok'))
        right = right and not wrong
    return 0 if right else 1


sys.exit(main(*sys.argv[1:]))
