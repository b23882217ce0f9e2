#!/usr/bin/env python3
"""Compares what sensord stored with what each strap really sent.  usage: verify.py OUT, or verify.py --header: the row above them

OUT is the folder of a lab run of guest/record.sh. The capture of a session must hold payloads that the strap sent, byte for
byte, each once and in order; sent payloads that are not in it are "swallowed" (bluetoothd did not hand them out). The
stored rates, contacts, energies and RR intervals must be exactly those of the captured payloads, and junk must be counted.

The scenario's "expect" says how much of what is right: {"sessions": 1, "gaps": 2, "swallowed": 0, "junk": 0} for each strap, or for
one by {"ADDRESS": {…}}; "reasons": those of its gaps, in order, or a text that is the reason of all; a list holds all the values that are right, where bluetoothd itself may or may not hand a value
out; "losses" stands for the number of times that the link was lost between two values; null means any number; "values" is the least number of them.
"resume": after a loss values must come again within so many seconds (5) of the strap advertising and an adapter having
power, whichever is later; null where that is not asked. "ended": the reason of its sessions' end ("shutdown"). "link", "bond": what
bluetoothd says of the strap after the end.
"replay": what was stored from the file so named, NAME.beats and NAME.rates, must be equal to what was recorded, times aside.
Of a strap that is not allowed, also not "later" by a command, there must be no trace; commands must end and speak as their items say.
Prints one line a strap and exits with 1 where one differs.
"""
import csv, glob, json, os, struct, sys

ROW = '{:<16} {:<17} {:>6} {:>6} {:>9} {:>5} {:>5} {:>8} {:>6}  {}'
CONTACT = {0: 'notSupported', 1: 'notSupported', 2: 'notDetected', 3: 'detected'}
USUAL = {'sessions': 1, 'gaps': 0, 'swallowed': 0, 'junk': 0, 'values': 0, 'resume': 5, 'link': False, 'ended': 'shutdown'}


def decode(value):
    """(rate, contact, energy, RR intervals) of a Heart Rate Measurement, and its defects; the former None where it is too short."""
    if not value: return None, ['empty']
    flags, at, energy = value[0], 1, None
    rate = value[at:at + 1 + (flags & 1)]; at += len(rate)
    if len(rate) < 1 + (flags & 1): return None, ['truncatedRate']
    if flags & 8:
        if len(value) < at + 2: return None, ['truncatedEnergy']
        energy = struct.unpack_from('<H', value, at)[0]; at += 2
    count = (len(value) - at) // 2 if flags & 16 else 0
    defects = ['reservedFlags'] * (flags >= 32) + ['trailingBytes'] * (len(value) > at + 2 * count)
    return (int.from_bytes(rate, 'little'), CONTACT[flags >> 1 & 3], energy, list(struct.unpack_from(f'<{count}H', value, at))), defects


def is_part(captured, sent):
    """Whether the captured values are sent ones, each once and in order."""
    rest = iter(sent)
    return all(value in rest for value in captured)


def gaps_between(rates):
    """The gaps that the exported rates of a strap without intervals show: from the last on the skin to one that a gap precedes."""
    worn = [r for r in rates if r['contact'] != 'notDetected']
    return [(before['time'], r['time']) for before, r in zip(worn, worn[1:]) if r['preceded_by_gap'] == '1']


def losses(log):
    """How many losses of the link lie between two values."""
    count, lost, begun = 0, False, False
    for line in log:
        if line['ev'] == 'disconnected': lost = begun
        if line['ev'] == 'notify': count += lost; lost = False; begun = True
    return count


def longest_resume(log, strap):
    """The longest time from "the strap advertises and an adapter has power" to the subscription after a loss; None without a loss."""
    begun, lost, advertising, powered, longest = False, False, None, {}, None
    for line in log:
        ev, at, kind = line['ev'], line['mono'], line.get('kind')
        if ev == 'powered':
            if line['adapter'] is None: powered = {}
            elif not line['on']: powered.pop(line['adapter'], None)
            else: powered.setdefault(line['adapter'], at)
        if line.get('strap') != strap: continue
        if ev == 'advertising' and advertising is None: advertising = at
        elif ev == 'event' and kind in ('cease', 'stop', 'vanish'): advertising = None
        elif ev == 'disconnected' and not lost: lost, advertising = begun, None
        elif ev == 'event' and kind == 'gatt' and line.get('told') and not lost: lost, advertising = begun, at
        elif ev == 'subscription' and line['what'] == '2a37' and line['on']:
            if lost: longest = max(longest or 0, at - max(advertising or at, min(powered.values(), default=at)))
            begun, lost, advertising = True, False, None
    return longest


def traces(out, strap):
    """The files that name a strap which is none of ours, in whatever form."""
    pairs = bytes.fromhex(strap.replace(':', ''))
    forms = [strap, strap.lower(), strap.replace(':', '_'), strap.replace(':', ''), strap.replace(':', '').lower()]
    forms = [form.encode() for form in forms] + [pairs, pairs[::-1]]
    files = [f for part in ('recording', 'running') for f in glob.glob(f'{out}/{part}/**', recursive=True) if os.path.isfile(f)]
    files += [f for f in glob.glob(f'{out}/*') if os.path.basename(f) in ('run.log', 'status.json') or f.endswith(('.csv', '.show.json'))]
    return sorted({os.path.basename(f) for f in files for form in forms if form in open(f, 'rb').read()})


def unequal_replay(out, sessions, name):
    """Whether the exports of a replay differ from those of the recording in more than the time, their first column."""
    rows = lambda path: [row[1:] for row in list(csv.reader(open(path)))[1:]] if os.path.exists(path) else None
    return any(rows(f'{out}/{name}.{form}') != [r for s in sessions for r in rows(f"{out}/{s['id']}.{form}.csv")] for form in ('beats', 'rates'))


def failed_commands(lines, scenario):
    """The commands of the scenario that did not run, or not as their items say."""
    items = [i for part in [scenario, *scenario.get('straps', [])] for i in part.get('timeline', []) if i.get('event') == 'command']
    results = [(line['item'], line['result']) for line in lines if line['ev'] == 'done' and line['kind'] == 'command']
    is_right = lambda item, got: isinstance(got, dict) and got['exit'] == item.get('exit', 0) and item.get('says', '') in got['says']
    return [f"{item['run']!r}: {got}" for item, got in results if not is_right(item, got)] + [
        f"{item['run']!r}: never ended" for item in items if item not in [done for done, _ in results]]


def check(out, scenario, lines, sessions, strap, expect):
    """One strap's figures, and what is wrong with them."""
    log = [line for line in lines if line.get('strap') == strap]
    mine = [s for s in sessions if s['device']['address'] == strap]
    sent = [bytes.fromhex(line['hex']) for line in log if line['ev'] == 'notify']
    captured, rates, ticks, counted, reasons, wrong = [], [], [], {}, [], []
    for session in mine:
        path = f"{out}/recording/sensord.captures/{session['id']}.capture"
        records = [line.split() for line in open(path)] if os.path.exists(path) else []
        captured += [bytes.fromhex(r[3].replace('-', '')) for r in records if len(r) > 3 and r[2] == 'm']
        exported = list(csv.DictReader(open(f"{out}/{session['id']}.rates.csv")))
        rates += [(r['bpm'], r['contact'], r['energy_kj']) for r in exported]
        ticks += [int(r['rr_ticks']) for r in csv.DictReader(open(f"{out}/{session['id']}.beats.csv"))]
        quality = json.load(open(f"{out}/{session['id']}.show.json"))['quality']
        reasons += [gap['reason'] for gap in quality['gaps']]
        if not session['heartbeats']['count'] and gaps_between(exported) != [(gap['start'], gap['end']) for gap in quality['gaps']]:
            wrong.append('gaps that do not lie between the rates around them')
        for key, value in quality.items():
            if key.startswith('payloadDefect.'): counted[key[14:]] = counted.get(key[14:], 0) + value
        if session['endReason'] != expect['ended']: wrong.append(f"ended by {session['endReason']}")
    decoded = [decode(value) for value in captured]
    fields = [f for f, _ in decoded if f]
    defects = {}
    for _, kinds in decoded:
        for kind in kinds: defects[kind] = defects.get(kind, 0) + 1
    if not is_part(captured, sent): wrong.append('captured payloads that were not sent so')
    if rates != [(str(b), c, '' if e is None else str(e)) for b, c, e, _ in fields if b]: wrong.append('rates differ from the payloads')
    if ticks != [x for f in fields for x in f[3]]: wrong.append('RR intervals differ from the payloads')
    if counted != defects: wrong.append(f'junk counted as {counted}, was {defects}')
    resume = longest_resume(lines, strap)
    got = {'sessions': len(mine), 'gaps': sum(s['gaps'] for s in mine), 'swallowed': len(sent) - len(captured), 'junk': len(captured) - len(fields)}
    if expect['gaps'] == 'losses': expect['gaps'] = losses(log)
    wrong += [f'{k} should be {expect[k]}' for k, v in got.items() if expect[k] is not None and v not in (expect[k] if isinstance(expect[k], list) else [expect[k]])]
    if isinstance(expect.get('reasons'), str): expect['reasons'] = [expect['reasons']] * len(reasons)
    if expect.get('reasons', reasons) != reasons: wrong.append(f"reasons of gaps are {reasons}, should be {expect['reasons']}")
    if len(sent) < expect['values']: wrong.append(f"values should be {expect['values']}")
    if resume is not None and expect['resume'] is not None and resume > expect['resume']: wrong.append(f"resumed after more than {expect['resume']} s")
    if expect.get('replay') and unequal_replay(out, mine, expect['replay']): wrong.append(f"the replay of {expect['replay']} differs")
    left = json.load(open(f'{out}/devices.json')).get(strap, {}) if os.path.exists(f'{out}/devices.json') else {}
    for key, name in (('link', 'Connected'), ('bond', 'Bonded')):
        if key in expect and left.get(name, False) != expect[key]: wrong.append(f'afterwards {name} should be {expect[key]}')
    return (len(sent), len(fields), got['swallowed'], got['junk'], got['gaps'], got['sessions'], '' if resume is None else f'{resume:.1f}'), wrong


def main(out):
    if out == '--header': return print(ROW.format('scenario', 'strap', 'sent', 'stored', 'swallowed', 'junk', 'gaps', 'sessions', 'resume', ''))
    lines = [json.loads(line) for line in open(f'{out}/strap.log') if line.startswith('{')]
    scenario = json.load(open(f'{out}/scenario.json'))
    sessions = json.load(open(f'{out}/sessions.json')) if os.path.exists(f'{out}/sessions.json') else []
    name, right = os.path.basename(os.path.normpath(out)), True
    straps = [s.get('address', 'C0:FF:EE:00:00:01') for s in scenario.get('straps', [scenario])]
    for strap in straps:
        if strap in scenario.get('allow', straps) + scenario.get('later', []):
            given = scenario.get('expect', {})
            figures, wrong = check(out, scenario, lines, sessions, strap, {**USUAL, **given, **given.get(strap, {})})
        else:
            figures, wrong = ('', 0, '', '', '', sum(s['device']['address'] == strap for s in sessions), ''), []
            found = traces(out, strap)
            if found: wrong.append('not allowed, and named in ' + ', '.join(found))
            if any(line['ev'] == 'connected' and line.get('strap') == strap for line in lines): wrong.append('not allowed, and connected')
        print(ROW.format(name, strap, *figures, '; '.join(wrong) or 'ok'))
        right = right and not wrong
    for failure in failed_commands(lines, scenario): print(f'  {name}: {failure}'); right = False
    samples = [[float(x) for x in line.split()] for line in open(f'{out}/samples')] if os.path.exists(f'{out}/samples') else []
    if len(samples) > 8:                                                 # minutes: memory must be flat, from a third of the time on
        third, last = samples[len(samples) // 3], samples[-1]
        seconds, values = last[0] - samples[0][0], sum(line['ev'] == 'notify' for line in lines)
        print(f'  {name}: {seconds:.0f} s; memory {third[1]:.0f} kB after a third, {last[1]:.0f} kB at the end; '
              f'context switches {last[2] - samples[0][2]:.0f}, {(last[2] - samples[0][2]) / max(1, values):.2f} for each value')
        if last[1] > third[1] * 1.05 + 512: print(f'  {name}: memory grows'); right = False
    return 0 if right else 1


sys.exit(main(*sys.argv[1:]))
