"""Two overlapping workouts for the session of a store, written as Documentation/store-format.md has them: no command makes one of the past."""
import sqlite3
import struct
import uuid

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ 0x82F63B78 if byte & 1 else byte >> 1
    TABLE.append(byte)

# Name: its UUID, its type (82: of several sports), and of each activity the type (HealthKit's number, our name, FIT's sport), first and last second of the session.
WORKOUTS = {
    'workout': ('7c10e5d2-0000-4000-8000-00000000000a', 82, [(37, 'running', 1, 600, 1500), (13, 'cycling', 2, 1500, 2100)]),
    'overlapping': ('a0b1c2d3-0000-4000-8000-00000000000b', 52, [(52, 'walking', 11, 1200, 3000)]),
}


def checksum(*values):
    """CRC-32C of a row's values, as the store has it."""
    data = b''
    for value in values:
        if value is None:
            data += b'\0'
        elif isinstance(value, int):
            data += b'\1' + struct.pack('<q', value)
        elif isinstance(value, float):
            data += b'\2' + struct.pack('<d', value or 0.0)
        else:
            bytes_ = value.encode() if isinstance(value, str) else value
            data += (b'\3' if isinstance(value, str) else b'\4') + struct.pack('<q', len(bytes_)) + bytes_
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder = TABLE[(remainder ^ byte) & 0xFF] ^ remainder >> 8
    return struct.unpack('<i', struct.pack('<I', remainder ^ 0xFFFFFFFF))[0]


def add(path):
    """Adds both to the only session of the store."""
    with sqlite3.connect(path) as store:
        def columns(table):
            return [row[1] for row in store.execute(f'PRAGMA table_info({table})') if row[1] != 'checksum']

        def insert(table, **values):
            names = columns(table)
            row = [values.get(name) for name in names]
            marks = ','.join('?' * (len(names) + 1))
            store.execute(f'INSERT INTO {table} ({",".join(names)},checksum) VALUES ({marks})', row + [checksum(*row)])
        session, start = store.execute('SELECT id, start FROM sessions').fetchone()
        members = [row[0] for row in store.execute(
            "SELECT samples.id FROM samples JOIN types ON types.id = type WHERE session = ? AND types.identifier IN ('heartRate', 'heartbeatSeries') ORDER BY samples.id", (session,))]
        source, device = store.execute('SELECT source, device FROM sessions').fetchone()
        kind = store.execute('SELECT max(id) + 1 FROM types').fetchone()[0]
        insert('types', id=kind, identifier='workout', kind='workout', unit='', style='none', style_version=1)
        first = None
        for identifier, sport, activities in WORKOUTS.values():
            number, before = store.execute('SELECT number + 1, checksum FROM changes ORDER BY number DESC LIMIT 1').fetchone()
            first = first or number
            change = [number, uuid.UUID(identifier).bytes, kind, source, 0]
            store.execute('INSERT INTO changes (number, uuid, type, source, deleted, checksum) VALUES (?,?,?,?,?,?)', change + [checksum(*change, before)])
            spans = [(start + begin * 1_000_000, start + end * 1_000_000) for _, _, _, begin, end in activities]
            begin, end = spans[0][0], spans[-1][1]
            insert('samples', id=number, type=kind, source=source, device=device, start=begin, end=end, value=sport, count=len(activities), duration=end - begin)
            parts = [(None, sport, begin, end)] + [(uuid.uuid5(uuid.UUID(identifier), str(place)).bytes, one[0], *span) for place, (one, span) in enumerate(zip(activities, spans))]
            for ordinal, (name, activity, begin, end) in enumerate(parts):
                insert('workout_parts', workout=number, ordinal=ordinal, uuid=name, activity_type=activity, location=1, swimming_location=0, start=begin, end=end, duration=end - begin, events=0)
            for position, member in enumerate(members):
                insert('associations', owner=number, role=2, position=position, member=member)
        insert('commits', first=first, time=start)
