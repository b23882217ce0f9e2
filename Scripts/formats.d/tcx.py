"""TCX through tcxreader, and Garmin's schema where TCX_XSD names its file: the schema is Garmin's, and in no package."""
import os
from datetime import timezone


def _expected(truth):
    return {second: rate for second, rate in truth.rates.items()}


def with_tcxreader(path, truth):
    from tcxreader.tcxreader import TCXReader
    exercise = TCXReader().read(str(path), only_gps=False)
    rates = {int(point.time.replace(tzinfo=timezone.utc).timestamp()): point.hr_value for point in exercise.trackpoints}
    assert rates == _expected(truth), 'rates differ'
    assert exercise.hr_max == max(rates.values())
    return f'{len(rates)} rates'


def with_schema(path, truth):
    from lxml import etree
    schema = etree.XMLSchema(etree.parse(os.environ['TCX_XSD']))
    document = etree.parse(str(path))
    schema.assertValid(document)
    tracks = len(document.findall('.//{*}Track'))
    # Where rates were lost a new track begins.
    times = sorted(truth.rates)
    holes = sum(1 for one, other in zip(times, times[1:]) if other - one > 10)
    # A lap ends its track, too.
    assert tracks >= holes + len(truth.laps) - (0 if truth.gaps else holes), (tracks, holes)
    return f'{tracks} tracks, valid'
