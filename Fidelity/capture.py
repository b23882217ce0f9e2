"""Writes a strap's events as a capture (Documentation/capture-format.md)."""

BOOT_MICROSECONDS = 8_000_000_000
# The wall clock minus the boot clock; the strap's second 0 is 2026-09-21T14:13:20Z.
OFFSET_MICROSECONDS = 1_790_000_000_000_000 - BOOT_MICROSECONDS
# Wall time of the strap's second 0.
EPOCH_MICROSECONDS = BOOT_MICROSECONDS + OFFSET_MICROSECONDS


def _table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _table()


def _checksum(line):
    """CRC-32C (Castagnoli)."""
    value = 0xFFFFFFFF
    for byte in line:
        value = _TABLE[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def write(path, events, session):
    """Writes one session of this name (a UUID) to `path`."""
    lines = [
        "sensord-capture 2",
        f'1 session {session} C0:FF:EE:00:00:01 "Simulated strap" "fidelity bench"',
        f"1 {BOOT_MICROSECONDS} boot 0123456789abcdeffedcba9876543210",
        f"1 {BOOT_MICROSECONDS} clock {OFFSET_MICROSECONDS}",
    ]
    instant = BOOT_MICROSECONDS
    for event in events:
        instant = BOOT_MICROSECONDS + round(event.time * 1e6)
        if event.kind == "measurement":
            lines.append(f"1 {instant} m {event.payload.hex()}")
        elif event.kind == "disconnected":
            lines.append(f'1 {instant} disconnected "connection timeout (0x08)"')
        else:
            lines.append(f"1 {instant} {event.kind}")
    lines.append(f"1 {instant} ended captureEnd")
    with open(path, "wb") as file:
        for line in lines:
            line = line.encode("ascii")
            file.write(b"%s %08x\n" % (line, _checksum(line)))
