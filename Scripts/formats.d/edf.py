"""EDF+ through pyedflib (EDFlib, which refuses what is not to the letter) and edfio."""
from datetime import timezone


def _place(annotation):
    # A gap begins at the beat before it.
    return annotation[0], annotation[2].startswith('gap')


def _check(start, rates, annotations, truth):
    """Rates a second, and annotations as (seconds, duration or None, text)."""
    assert start == truth.start // 1_000_000, (start, truth.start)
    found = {start + second: int(rate) for second, rate in enumerate(rates) if rate}
    assert found == {second: rate for second, rate in truth.rates.items() if rate}, 'rates differ'
    expected, gaps = [], 0
    for number, one in enumerate(truth.stretches):
        if number:
            gaps += 1
            expected.append((truth.stretches[number - 1].end, one.start - truth.stretches[number - 1].end, 'gap'))
        for at, flags in zip(one.times, one.flags):
            expected.append((at, None, f'beat {flags}' if flags else 'beat'))
    assert len(annotations) == len(expected), (len(annotations), len(expected))
    for (seconds, duration, text), (at, length, wanted) in zip(sorted(annotations, key=_place), sorted(expected, key=_place)):
        assert abs(start * 1e6 + seconds * 1e6 - at) <= 1, (seconds, at)
        assert text == wanted or wanted == 'gap' and text.startswith('gap'), (text, wanted)
        assert length is None or abs(duration * 1e6 - length) <= 1, (duration, length)
    return f'{len(found)} rates, {len(expected) - gaps} beats, {gaps} gaps'


def _ordered(annotations):
    return [(seconds, duration if text.startswith('gap') else None, text) for seconds, duration, text in annotations]


def with_pyedflib(path, truth):
    import pyedflib
    with pyedflib.EdfReader(str(path)) as file:
        assert truth.workout or file.getAdmincode() == truth.id, file.getAdmincode()
        assert file.getLabel(0) == 'HR' and file.getSampleFrequency(0) == 1, file.getLabel(0)
        start = int(file.getStartdatetime().replace(tzinfo=timezone.utc).timestamp())
        found = [(float(onset), float(duration), text) for onset, duration, text in zip(*file.readAnnotations())]
        return _check(start, file.readSignal(0), _ordered(found), truth)


def with_edfio(path, truth):
    import edfio
    from datetime import datetime
    file = edfio.read_edf(str(path))
    start = int(datetime.combine(file.startdate, file.starttime, tzinfo=timezone.utc).timestamp())
    signal = file.get_signal('HR')
    assert signal.sampling_frequency == 1
    return _check(start, signal.data, _ordered([(one.onset, one.duration, one.text) for one in file.annotations]), truth)
