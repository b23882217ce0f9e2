"""Reads the notifications of the heart rate out of a capture of sensord's own, or a btsnoop file."""

import struct
from collections import namedtuple

# `time` is the wall clock's, in microseconds since 1970; `ticks` are the intervals.
Packet = namedtuple("Packet", "time ticks")

# btsnoop counts microseconds from the year 0.
_BTSNOOP_1970 = 0x00DCDDB30F2F8000
# Its data links: HCI without and with a byte for the kind of packet, and Linux' monitor channel.
_HCI, _H4, _MONITOR = 1001, 1002, 2001
_MONITOR_DATA_RECEIVED, _H4_DATA = 5, 2
_ATTRIBUTE_CHANNEL, _NOTIFICATION = 4, 0x1B


class Unreadable(Exception):
    pass


def intervals(payload):
    """The RR intervals of a Heart Rate Measurement, in ticks; none where it is none."""
    if len(payload) < 2:
        return []
    flags = payload[0]
    begin = 2 + (flags & 1) + (2 if flags & 8 else 0)
    if not flags & 0x10:
        return []
    return [low | high << 8 for low, high in zip(payload[begin::2], payload[begin + 1 :: 2])]


def _own(data, session):
    slot, boots, offsets = None, [[]], [0]
    for line in data.decode("ascii", "replace").splitlines()[1:]:
        fields = line.split(" ")
        if len(fields) > 2 and fields[1] == "session":
            if fields[2].lower() == session:
                slot = fields[0]
            elif fields[0] == slot:
                slot = None
        elif len(fields) > 3 and fields[0] == slot:
            if fields[2] == "boot":
                boots.append([])
                offsets.append(offsets[-1])
            elif fields[2] == "clock":
                # The clock's last word in a boot holds for all of it.
                offsets[-1] = int(fields[3])
            elif fields[2] == "m" and fields[3] != "-":
                boots[-1].append((int(fields[1]), bytes.fromhex(fields[3])))
    return [
        Packet(instant + offset, intervals(payload))
        for offset, boot in zip(offsets, boots) for instant, payload in boot]


def _data_packets(data):
    """(time, bytes) of every packet of data (ACL) that came in."""
    link = struct.unpack(">I", data[12:16])[0]
    place = 16
    while place + 24 <= len(data):
        _, length, flags, _, time = struct.unpack(">IIIIq", data[place : place + 24])
        packet, place = data[place + 24 : place + 24 + length], place + 24 + length
        if link == _MONITOR and flags & 0xFFFF == _MONITOR_DATA_RECEIVED or link == _HCI and flags & 3 == 1:
            yield time - _BTSNOOP_1970, packet
        elif link == _H4 and packet[:1] == bytes([_H4_DATA]):
            yield time - _BTSNOOP_1970, packet[1:]


def _btsnoop(data, rate_times):
    by_handle = {}
    for time, packet in _data_packets(data):
        if len(packet) >= 11:
            _, channel, kind, handle = struct.unpack("<HHBH", packet[4:11])
            if channel == _ATTRIBUTE_CHANNEL and kind == _NOTIFICATION:
                by_handle.setdefault(handle, []).append(Packet(time, intervals(packet[11:])))
    # The heart rate is what came when the stored rates did.
    rates = set(rate_times)
    hits, packets = max(
        ((sum(one.time // 1000 * 1000 in rates or one.time in rates for one in some), some) for some in by_handle.values()),
        key=lambda pair: pair[0], default=(0, []))
    if not hits:
        raise Unreadable("no notification in it came when a stored rate did")
    begin, end = rate_times[0] - 1_000_000, rate_times[-1] + 1_000_000
    return [one for one in packets if begin <= one.time <= end]


def packets(path, session, rate_times):
    """The session's notifications in the file at `path`; `rate_times` are those of its stored rates, in microseconds."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith(b"sensord-"):
        return _own(data, session)
    if data.startswith(b"btsnoop\0"):
        return _btsnoop(data, rate_times)
    raise Unreadable("only captures of sensord and btsnoop files can be looked at")
