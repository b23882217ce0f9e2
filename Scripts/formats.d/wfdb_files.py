"""WFDB's header and annotations through the wfdb package of PhysioNet."""
from datetime import datetime, timezone


def with_wfdb(path, truth):
    import wfdb
    name = str(path.with_suffix(''))
    header = wfdb.rdheader(name)
    start = datetime.combine(header.base_date, header.base_time, tzinfo=timezone.utc).timestamp()
    assert 'time zone: UTC' in header.comments and header.n_sig == 0, header.comments
    # What is said of a session has milliseconds.
    assert 0 <= start - truth.start / 1e6 < 0.001001, start - truth.start / 1e6
    annotations = wfdb.rdann(name, 'atr')
    assert annotations.fs == header.fs
    stretches, notes = [[]], 0
    for sample, symbol, note in zip(annotations.sample, annotations.symbol, annotations.aux_note):
        if symbol == '"':
            assert note.startswith('gap') and stretches[-1], note
            notes += 1
            stretches.append([])
        else:
            stretches[-1].append((int(sample), symbol, note))
    assert len(stretches) == len(truth.stretches), f'{len(stretches)} stretches, not {len(truth.stretches)}'
    doubts = 0
    for one, beats in zip(truth.stretches, stretches):
        ticks = [later[0] - sooner[0] for sooner, later in zip(beats, beats[1:])]
        if one.drift < 250:
            assert ticks == one.ticks, 'intervals differ'
        assert len(ticks) == len(one.ticks) and all(abs(mine - other) <= 1 for mine, other in zip(ticks, one.ticks)), 'intervals differ'
        for (sample, symbol, note), at, flags in zip(beats, one.times, one.flags):
            assert abs((start + sample / header.fs) * 1e6 - at) <= 253_000, f'a beat at {at} is {(start + sample / header.fs) - at / 1e6:.3f} s late'
            assert (symbol, note) == (('Q', flags) if flags else ('N', '')), (symbol, note, flags)
            doubts += bool(flags)
        # The first beat of a stretch is at its time.
        assert abs((start + beats[0][0] / header.fs) * 1e6 - one.start) <= 3000, (beats[0], one.start)
    assert header.sig_len >= stretches[-1][-1][0]
    return f'{sum(len(beats) for beats in stretches)} beats, {doubts} in doubt, {notes} gaps'
