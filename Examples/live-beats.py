#!/usr/bin/python3
"""Prints what sensors send, beat by beat, with the holes: python3-dbus-next of Debian is all that it needs.

    Examples/live-beats.py [--system] [--count N] [SENSOR ...]

A recorder must be running ('sensord run'), and its owner has to allow it: 'sensord agent', or
    sensord grants allow org.example.LiveBeats@$(id -u) --read heartRate,heartbeatSeries
"""
import argparse
import asyncio
from datetime import datetime, timezone

from dbus_next import BusType, DBusError
from dbus_next.aio import MessageBus

ROOT = '/org/sensord'


async def main(options):
    bus = await MessageBus(bus_type=BusType.SYSTEM if options.system else BusType.SESSION).connect()
    root = bus.get_proxy_object('org.sensord', ROOT, await bus.introspect('org.sensord', ROOT))
    authorization = root.get_interface('org.sensord.Authorization1')
    live = root.get_interface('org.sensord.Live1')
    finished = asyncio.get_running_loop().create_future()
    left = options.count

    def measurement(sensor, seq, time_us, bpm, rr_1024, details):
        nonlocal left
        if 'missed' in details:
            print(f'-- {details["missed"].value} values of {sensor} are missing here', flush=True)
        # The last beat is taken to have come with its packet; the others lie before it.
        beat_us = time_us - sum(rr_1024) * 1_000_000 // 1024
        beats = []
        for ticks in rr_1024:
            beat_us += ticks * 1_000_000 // 1024
            moment = datetime.fromtimestamp(beat_us / 1e6, timezone.utc)
            beats.append(f'{moment:%H:%M:%S}.{beat_us % 1_000_000 // 1000:03d} ({ticks * 1000 / 1024:.0f} ms)')
        print(f'{sensor} #{seq}: {bpm or "?"}/min; beats: {", ".join(beats) or "none"}', flush=True)
        left -= 1
        if left == 0 and not finished.done():
            finished.set_result(None)

    def state(sensor, word, details):
        print(f'-- {sensor or "the recorder"}: {word}', flush=True)
        if word == 'recorderStopping' and not finished.done():
            finished.set_result(None)

    # Who it is: without it a program of the owner is the owner, and nobody could see or revoke what it may.
    await authorization.call_identify('org.example.LiveBeats', {})
    print('asking; the owner allows it with: sensord agent', flush=True)
    while await authorization.call_request([], ['heartRate', 'heartbeatSeries']) == 'notDetermined':
        pass
    live.on_measurement(measurement)
    live.on_state(state)
    await live.call_subscribe(options.sensors)
    print('subscribed', flush=True)
    await finished


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--system', action='store_true', help='the service, on the system bus')
    parser.add_argument('--count', type=int, default=0, metavar='N', help='end after N values')
    parser.add_argument('sensors', nargs='*', metavar='SENSOR', help='addresses; all sensors without any')
    try:
        asyncio.run(main(parser.parse_args()))
    except DBusError as error:
        raise SystemExit(f'live-beats: {error.type}: {error.text}')
    except KeyboardInterrupt:
        pass
