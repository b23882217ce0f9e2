"""Prints what bluetoothd says of each device's link and bond: what the recorder has left behind."""
import asyncio, json
from dbus_next import BusType, Message
from dbus_next.aio import MessageBus

async def main():
    bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
    r = await bus.call(Message('org.bluez', '/', 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects'))
    devices = [i['org.bluez.Device1'] for i in r.body[0].values() if 'org.bluez.Device1' in i]
    print(json.dumps({d['Address'].value: {k: d[k].value for k in ('Connected', 'Paired', 'Bonded') if k in d} for d in devices}))
asyncio.run(main())
