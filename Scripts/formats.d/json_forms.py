"""Open mHealth through its schemas, which are in no package and not in this repository (OMH_SCHEMAS names their folder), and FHIR through
fhir.resources."""
import json
import os
import pathlib

import truth as truths


def omh_plain(path, truth):
    """Every value, as a script reads it."""
    points = json.loads(path.read_text())
    names = [point['header']['id'] for point in points]
    assert len(set(names)) == len(names)
    rates = [point['body'] for point in points if point['header']['schema_id']['name'] == 'heart-rate']
    values = [(truths.microseconds(body['effective_time_frame']['date_time']), body['heart_rate']['value']) for body in rates]
    assert values == truth.values, 'rates differ'
    intervals = [point['body'] for point in points if point['header']['schema_id']['name'] == 'rr-interval']
    expected = [(ticks * 1000 / 1024, at) for one in truth.stretches for ticks, at in zip(one.ticks, one.times[1:])]
    assert len(intervals) == len(expected), (len(intervals), len(expected))
    for body, (milliseconds, at) in zip(intervals, expected):
        assert body['rr_interval'] == {'value': milliseconds, 'unit': 'ms'}, (body, milliseconds)
        frame = body['effective_time_frame']['time_interval']
        start, end = truths.microseconds(frame['start_date_time']), truths.microseconds(frame['end_date_time'])
        # A clock may be set between two beats, by a little.
        assert end == at and abs(end - start - milliseconds * 1000) <= 500
    return f'{len(rates)} rates, {len(intervals)} intervals'


def omh_schemas(path, truth):
    """Each kind of data point against its schemas; of each every fiftieth, since a validator in Python takes a millisecond for one."""
    import jsonschema
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT7
    folder = pathlib.Path(os.environ['OMH_SCHEMAS'])

    def load(uri):
        name = uri.rsplit('/', 1)[-1]
        contents = json.loads((folder / name).read_text())
        # 1.x files hold the name of the version that they stand for.
        return Resource.from_contents(contents if isinstance(contents, dict) else json.loads((folder / contents).read_text()), default_specification=DRAFT7)
    registry = Registry(retrieve=load)

    def validator(name):
        return jsonschema.Draft7Validator(load(name).contents | {'$id': f'https://schemas/{name}'}, registry=registry, format_checker=jsonschema.FormatChecker())
    point, bodies = validator('data-point-1.0.json'), {}
    counts = {}
    for one in json.loads(path.read_text()):
        schema = one['header']['schema_id']
        name = f'{schema["name"]}-{schema["version"]}.json'
        bodies.setdefault(name, validator(name))
        counts[name] = counts.get(name, 0) + 1
        if counts[name] % 50 == 1:
            point.validate(one)
            bodies[name].validate(one['body'])
    return ', '.join(f'{count} × {name.removesuffix(".json")}' for name, count in counts.items())


def fhir_r4b(path, truth):
    from fhir.resources.R4B.bundle import Bundle
    bundle = Bundle.model_validate_json(path.read_text())
    observations = {entry.resource.code.coding[0].code: entry.resource for entry in bundle.entry if entry.resource.get_resource_type() == 'Observation'}
    found = []
    named = {identifier.value for one in observations.values() for identifier in one.identifier}
    assert len(named) == 1 and (truth.workout or named == {f'urn:uuid:{truth.id}'}), named
    if truth.rates:
        series = observations['8867-4']
        data = series.valueSampledData
        start = int(series.effectivePeriod.start.timestamp())
        assert int(data.period) == 1000 and data.origin.code == '/min' and data.origin.value == 0
        rates = {start + place: int(value) for place, value in enumerate(data.data.split()) if value != 'E'}
        assert rates == truth.rates, 'rates differ'
        assert int(series.effectivePeriod.end.timestamp()) == max(rates)
        found.append(f'{len(rates)} rates')
    if truth.workout:
        group = observations['73985-4']
        minutes = [float(one.valueQuantity.value) for one in group.component if one.code.coding[0].code == '55411-3']
        assert len(minutes) == 1 and abs(minutes[0] - (truth.end - truth.start) / 60e6) <= 0.001 and group.hasMember, minutes
        found.append(f'a workout of {minutes[0]} min')
    elif '80404-7' in observations:
        found.append(f'SDNN {observations["80404-7"].valueQuantity.value} ms')
        assert truth.sdnn is not None and abs(float(observations['80404-7'].valueQuantity.value) - truth.sdnn) <= 0.051
    else:
        assert truth.sdnn is None, truth.sdnn
    return ', '.join(found)
