"""RR text and HRV Logger's CSV: what tools for heart rate variability make of them."""
from truth import same


def _expected(truth):
    return [interval for one in truth.stretches for interval in one.intervals]


def _text(path):
    return [int(line) for line in open(path, encoding='ascii')]


def rr_neurokit(path, truth):
    import neurokit2 as nk
    import numpy as np
    intervals = _text(path)
    assert intervals == _expected(truth)
    peaks = nk.intervals_to_peaks(np.array(intervals), sampling_rate=1000)
    figures = nk.hrv_time({'RRI': np.array(intervals), 'RRI_Time': np.cumsum(intervals) / 1000}, sampling_rate=1000)
    assert abs(float(figures['HRV_MeanNN'].iloc[0]) - np.mean(intervals)) < 1e-6
    assert len(peaks) == len(intervals) + 1
    return f'{len(intervals)} intervals, mean {np.mean(intervals):.1f} ms'


def rr_hrvanalysis(path, truth):
    from hrvanalysis import get_time_domain_features
    import numpy as np
    intervals = _text(path)
    assert intervals == _expected(truth)
    figures = get_time_domain_features(intervals)
    assert abs(figures['mean_nni'] - np.mean(intervals)) < 1e-6
    assert abs(figures['sdnn'] - np.std(intervals, ddof=1)) < 1e-6
    return f'{len(intervals)} intervals, SDNN {figures["sdnn"]:.1f} ms'


def logger_pandas(path, truth):
    """As scripts for HRV Logger read it, with pandas: names of columns have blanks in front."""
    import pandas
    table = pandas.read_csv(path, skipinitialspace=True)
    assert list(table.columns) == ['date', 'rr', 'since start'], list(table.columns)
    dates = pandas.to_datetime(table['date'], format='%Y-%m-%d %H:%M:%S %z')
    start = truth.start / 1e6
    late = dates.map(lambda date: date.timestamp()) - (start + table['since start'] / 1000)
    assert (late <= 0.001).all() and (late > -1.001).all()
    # An interval follows the one before it, but where there is a gap.
    steps = table['since start'].diff().iloc[1:] - table['rr'].iloc[1:]
    breaks = int((steps != 0).sum())
    stretches = sum(1 for one in truth.stretches if one.intervals)
    assert (steps >= 0).all() and breaks <= stretches - 1
    position = 0
    for one in truth.stretches:
        position += len(one.intervals)
        assert same(one, list(table['rr'].iloc[position - len(one.intervals):position]), followsClock=True), 'intervals differ'
        if one.intervals:
            end = start * 1000 + table['since start'].iloc[position - 1]
            assert abs(end - one.end / 1000) < 1000, f'a stretch ends {end - one.end / 1000:.0f} ms late'
    return f'{len(table)} intervals, {breaks} gaps'
