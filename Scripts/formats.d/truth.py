"""What the program itself says of a session, in the forms that have everything, and what of it a format can have."""
import csv
import io
import json
import subprocess
from collections import namedtuple
from datetime import datetime, timezone

import workouts

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# A stretch of beats from one to the next: the microsecond of its first beat, milliseconds between all of them, how far the sum of
# these is from the clock, at most; the same in ticks; the microsecond of each beat, and what was found about it.
Stretch = namedtuple('Stretch', 'start end intervals drift ticks times flags')
# `rates` are those of whole seconds, `values` all that were received, with their microseconds.
# `laps` are (sport of FIT, first microsecond, last) of a workout; one of the whole for a session.
Truth = namedtuple('Truth', 'stretches rates values gaps start end beats sdnn id workout laps')


def microseconds(text):
    moment = datetime.fromisoformat(text.replace('Z', '+00:00'))
    delta = moment - EPOCH
    return (delta.days * 86400 + delta.seconds) * 1_000_000 + delta.microseconds


def _stretches(rows):
    """A stretch ends where beats may be missing, and at beats that were invented or had no time."""
    stretches, current = [], None
    for row in rows:
        flags = row['flags'].split('+')
        if 'filler' in flags or 'surplus' in flags:
            current = None
            continue
        at = microseconds(row['time'])
        doubts = '+'.join(flag for flag in flags if flag != 'firstOfRun')
        if current is None or row['index'] == '0' or row['preceded_by_gap'] == '1':
            current = {'start': at, 'end': at, 'sum': 0, 'total': 0, 'intervals': [], 'drift': 0, 'ticks': [], 'times': [at], 'flags': [doubts]}
            stretches.append(current)
            continue
        for name, value in (('ticks', int(row['rr_ticks'])), ('times', at), ('flags', doubts)):
            current[name].append(value)
        current['total'] += int(row['rr_ticks'])
        # Half up, as everybody rounds positive numbers.
        total = (current['total'] * 2000 + 1024) // 2048
        current['intervals'].append(total - current['sum'])
        current['sum'], current['end'] = total, at
        current['drift'] = max(current['drift'], abs((at - current['start']) / 1000 - total))
    return [Stretch(one['start'], one['end'], one['intervals'], one['drift'], one['ticks'], one['times'], one['flags']) for one in stretches]


def _seconds(rates, gaps):
    """The rate of each second. A second rate of one takes the next second, if there are rates behind that before a gap."""
    def goes_on(place, second):
        for (at, _), (later, _) in zip(rates[place:place + 9], rates[place + 1:place + 10]):
            if later - at >= 2_500_000 and any(start < later and end > at for start, end in gaps):
                return False
            if later // 1_000_000 > second:
                return True
        return False

    seconds, taken = {}, None
    for place, (at, rate) in enumerate(rates):
        second = at // 1_000_000
        if taken is not None and second <= taken:
            second = taken + 1 if second == taken and goes_on(place, second) else taken
        assert abs(second * 1_000_000 - at) <= 1_000_000, 'a rate is more than a second away from its time'
        seconds[second], taken = rate, second
    return seconds


def same(stretch, intervals, followsClock):
    """Whether these are the intervals of a stretch: to the millisecond, and where the sensor's clock went wrong by more than a quarter of a
    second each within one, and their sum near the clock."""
    if not followsClock or stretch.drift < 250:
        return stretch.intervals == intervals
    near = abs(sum(intervals) - (stretch.end - stretch.start) / 1000) <= 252
    return near and len(intervals) == len(stretch.intervals) and all(abs(one - other) <= 1 for one, other in zip(stretch.intervals, intervals))


def table(program, store, form, session='last'):
    """The rows of an exported table; none where the session has nothing of that form, which is an error of the data (65)."""
    done = subprocess.run([program, 'export', session, '--format', form, '--store', str(store)], capture_output=True, text=True)
    if done.returncode == 65 and f'has no {form}' in done.stderr:
        return []
    done.check_returncode()
    return list(csv.DictReader(io.StringIO(done.stdout)))


def read(program, store, workout=None, session='last'):
    """Of a session, or of the part of it that is a workout by that name."""
    def run(*arguments):
        return subprocess.run([program, *arguments, '--store', str(store)], check=True, capture_output=True, text=True).stdout
    beats = table(program, store, 'beats', session)
    rates = [(microseconds(row['time']), int(row['bpm'])) for row in table(program, store, 'rates', session)]
    shown = json.loads(run('show', session, '--json'))
    gaps = [(microseconds(gap['start']), microseconds(gap['end'])) for gap in shown['quality']['gaps']]
    start, end = microseconds(shown['start']), microseconds(shown['end'])
    laps = [(0, start, end)]
    if workout:
        # What is shown of a session has milliseconds; the workout begins with its full microseconds.
        begin = int(run('sql', 'SELECT start FROM sessions').split()[-1])
        laps = [(sport, begin + first * 1_000_000, begin + last * 1_000_000) for _, _, sport, first, last in workouts.WORKOUTS[workout][2]]
        start, end = laps[0][1], laps[-1][2]
        beats = [row for row in beats if start <= microseconds(row['time']) <= end]
        rates = [one for one in rates if start <= one[0] <= end]
    return Truth(_stretches(beats), _seconds(rates, gaps), rates, gaps, start, end, beats, shown['hrv']['sdnnMilliseconds'], shown['id'], bool(workout), laps)
