#!/usr/bin/env python3
"""Stands between forwarders and a server of the tests, by Unix sockets.
  proxy.py LISTEN SERVER [BYTES]     cuts each connection that has carried so many; SIGUSR1 cuts all connections, in the middle of whatever they carry; SIGUSR2 makes them slow, or fast again"""
import asyncio
import signal
import sys

state = {'slow': False}
open_ends = set()
most = int(sys.argv[3]) if len(sys.argv) > 3 else None


async def carry(reader, writer, ends, carried):
    try:
        # Small pieces: what is cut was on its way.
        while data := await reader.read(512 if state['slow'] else 65536):
            if state['slow']:
                await asyncio.sleep(0.005)
            carried[0] += len(data)
            if most and carried[0] > most:
                for end in ends:
                    end.abort()
                return
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def serve(reader, writer):
    try:
        there, back = await asyncio.open_unix_connection(sys.argv[2])
    except OSError:
        writer.close()
        return
    ends = {writer.transport, back.transport}
    carried = [0]
    open_ends.update(ends)
    await asyncio.gather(carry(reader, back, ends, carried), carry(there, writer, ends, carried))
    open_ends.difference_update(ends)


def cut():
    for end in list(open_ends):
        end.abort()


async def main():
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, cut)
    loop.add_signal_handler(signal.SIGUSR2, lambda: state.update(slow=not state['slow']))
    server = await asyncio.start_unix_server(serve, sys.argv[1])
    async with server:
        await server.serve_forever()


if len(sys.argv) not in (3, 4):
    sys.exit(__doc__)
asyncio.run(main())
