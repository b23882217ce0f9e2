"""FIT through the readers of others: garmin-fit-sdk (Garmin's own), fitdecode, fitparse."""
from collections import namedtuple
from datetime import timezone

from truth import same

# What a reader said, in the order of the file: ('record', second, rate), ('hrv', [milliseconds]), ('timer', second, 'start'|'stop'),
# ('lap', seconds of the timer), ('session', …), ('activity', …).
Said = namedtuple('Said', 'messages')


def _second(moment):
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return int(moment.timestamp())


def _milliseconds(values):
    if not isinstance(values, (list, tuple)):
        values = [values]
    return [round(value * 1000) for value in values if value is not None and value < 65.535]


def _said(name, field):
    """One message as a tuple; None for what is not looked at."""
    if name == 'record':
        return ('record', _second(field('timestamp')), field('heart_rate'))
    if name == 'hrv':
        return ('hrv', _milliseconds(field('time')))
    if name == 'event' and field('event') in ('timer', 0):
        return ('timer', _second(field('timestamp')), 'start' if field('event_type') in ('start', 0) else 'stop')
    if name == 'lap':
        return (name, field('total_timer_time'), field('avg_heart_rate'), field('max_heart_rate'), field('start_time') and _second(field('start_time')), field('sport'))
    if name == 'session':
        return (name, field('total_timer_time'), field('avg_heart_rate'), field('max_heart_rate'))
    if name == 'activity':
        return (name, field('total_timer_time'), field('num_sessions'))
    if name == 'file_id':
        return (name, field('type'))


def with_garmin(path):
    from garmin_fit_sdk import Decoder, Profile, Stream
    messages = []

    def listener(number, message):
        messages.append(_said(names.get(number, ''), message.get))
    names = {number: name.lower() for name, number in Profile['mesg_num'].items()}
    decoder = Decoder(Stream.from_file(str(path)))
    assert decoder.is_fit() and decoder.check_integrity()
    _, errors = Decoder(Stream.from_file(str(path))).read(mesg_listener=listener)
    assert not errors, errors
    return [message for message in messages if message]


def with_fitdecode(path):
    import fitdecode
    messages = []
    with fitdecode.FitReader(str(path), check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE) as reader:
        for frame in reader:
            if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                messages.append(_said(frame.name, lambda name: frame.get_value(name, fallback=None)))
    return [message for message in messages if message]


def with_fitparse(path):
    import fitparse
    messages = []
    for message in fitparse.FitFile(str(path), check_crc=True).get_messages():
        messages.append(_said(message.name, message.get_value))
    return [message for message in messages if message]


SPORTS = {0: 'generic', 1: 'running', 2: 'cycling', 11: 'walking'}
READERS = {'garmin-fit-sdk': with_garmin, 'fitdecode': with_fitdecode, 'fitparse': with_fitparse}


def check(messages, truth):
    """Raises where the file does not say what the store does, as exactly as FIT can."""
    assert messages[0] == ('file_id', 'activity'), messages[0]
    rates = {second: rate for kind, second, rate in (one for one in messages if one[0] == 'record') if rate is not None}
    assert rates == {second: rate for second, rate in truth.rates.items()}, 'rates differ'
    seconds = [one[1] for one in messages if one[0] in ('record', 'timer')]
    assert seconds == sorted(seconds), 'times go back'
    stretches, running, since, elapsed, summed = [], None, 0, 0, 0
    differences = []
    # What is the running interval at each place of the file: the one that comes next in its stretch.
    following, later = [], None
    for message in reversed(messages):
        following.append(later)
        if message[0] == 'hrv' and message[1]:
            later = message[1][0]
        elif message[0] == 'timer' and message[2] == 'stop':
            later = None
    following.reverse()
    last = 1000
    for message, coming in zip(messages, following):
        if message[0] == 'timer' and message[2] == 'start':
            assert running is None, 'it starts while it runs'
            running = message[1]
            stretches.append((running, []))
        elif message[0] == 'timer':
            assert running is not None, 'it stops while it stands'
            elapsed += message[1] - running
            running = None
        elif message[0] == 'hrv':
            assert running is not None, 'an interval while the timer stands'
            stretches[-1][1].extend(message[1])
            summed += sum(message[1])
            last = message[1][-1]
        elif message[0] == 'record' and truth.stretches:
            timer = elapsed + (message[1] - running if running is not None else 0)
            difference = timer * 1000 - summed
            differences.append(difference)
            assert abs(difference) <= 1000 + max(coming or last, last), f'at {message[1]}: {difference} ms'
    assert running is None, 'it never stops'
    if truth.stretches:
        assert len(truth.stretches) == len(stretches), f'{len(stretches)} stretches, not {len(truth.stretches)}'
        for one, (second, intervals) in zip(truth.stretches, stretches):
            assert same(one, intervals, followsClock=True), 'intervals differ'
            assert -1_000_000 <= second * 1_000_000 - one.start <= 1_000_000, f'a stretch begins {second - one.start / 1e6:.1f} s late'
    session = [one for one in messages if one[0] == 'session']
    assert len(session) == 1 and round(session[0][1]) == elapsed, (session, elapsed)
    assert [one for one in messages if one[0] == 'activity'][0][1:] == (session[0][1], 1)
    if rates:
        assert session[0][3] == max(rates.values())
        assert abs(session[0][2] - sum(rates.values()) / len(rates)) <= 0.5
    laps = [one for one in messages if one[0] == 'lap']
    assert len(laps) == len(truth.laps), (laps, truth.laps)
    for (_, _, average, greatest, second, sport), (wanted, first, last) in zip(laps, truth.laps):
        found = [rate for at, rate in rates.items() if first // 1_000_000 <= at <= last // 1_000_000]
        assert second == first // 1_000_000 and sport in (wanted, SPORTS[wanted]), (second, first, sport)
        assert not found or (greatest == max(found) and abs(average - sum(found) / len(found)) <= 0.5), (average, greatest)
    beats = sum(len(intervals) for _, intervals in stretches)
    spread = f'{min(differences)}…{max(differences)} ms' if differences else '-'
    return f'{len(rates)} rates, {beats} intervals, {len(stretches)} stretches, timer-sum {spread}'
