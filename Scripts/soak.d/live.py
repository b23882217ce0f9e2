"""For trials of the live hub: a recorder with one simulated strap, and the release build of the hub beside it."""
import json, os, re, socket, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from flooding import Flood, address

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
HUB = os.environ.get('SENSORD_LIVE', f'{ROOT}/.build/release/sensord-live')
CONSUMERS = f'{ROOT}/.build/consumers/bin/python'


class Hub(Flood):
    """A strap that sends `values` values with an interval each, `per_second` a second, and then none though it is linked."""

    def __init__(self, per_second, values, *options, applications=()):
        if not os.access(HUB, os.X_OK): raise SystemExit(f'{HUB} is not built; run "make live" first')
        user = os.getuid()
        grants = ' '.join(f'{name}@{user}:heartRate,heartbeatSeries' for name in ('org.sensord.Live', *applications))
        super().__init__(1, 1, 1, configuration=f'[clients]\nbus = session\nallow-read = {grants}\n')
        self.options = options
        self.environment['DBUS_SESSION_BUS_ADDRESS'] = f'unix:path={self.folder}/bus'
        timeline = [{'t': number / per_second, 'bpm': 60 + number % 20, 'rr_ms': [860 + number % 80], 'contact': True} for number in range(values)]
        with open(f'{self.folder}/scenario.json', 'w') as file:
            json.dump({'name': 'Strap', 'address': address(0), 'timeline': timeline}, file)
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            self.port = probe.getsockname()[1]
        self.place = f'127.0.0.1:{self.port}'

    def start(self):
        super().start()
        self.wait_for(lambda: 'open to other programs' in self.text('recorder.log'), 'the recorder')
        bus = self.environment['DBUS_SESSION_BUS_ADDRESS']
        self.hub = self.spawn([HUB, 'run', '--listen', self.place, '--state', f'{self.folder}/live', '--socket', f'{self.folder}/control',
                               '--bus', bus, *self.options], 'hub.log')
        self.wait_for(lambda: 'listening on' in self.text('hub.log'), 'the hub')
        self.token = self.ask('token', 'add', 'trial')

    def ask(self, *words):
        return subprocess.run([HUB, *words, '--socket', f'{self.folder}/control'], check=True, capture_output=True, text=True).stdout.strip()

    def listen(self, path='/events'):
        """A connection that the hub sends every change on; somebody has to read it."""
        peer = socket.create_connection(('127.0.0.1', self.port))
        peer.sendall(f'GET {path} HTTP/1.1\r\nHost: {self.place}\r\nAuthorization: Bearer {self.token}\r\n\r\n'.encode())
        return peer

    def resident(self):
        """KiB, of the hub."""
        with open(f'/proc/{self.hub.pid}/status') as file: return int(re.search(r'VmRSS:\s*(\d+)', file.read())[1])

    def switches(self):
        """How often the hub's threads have waited, and how often another one was let in."""
        waits = displaced = 0
        for thread in os.listdir(f'/proc/{self.hub.pid}/task'):
            with open(f'/proc/{self.hub.pid}/task/{thread}/status') as file: found = re.findall(r'ctxt_switches:\t(\d+)', file.read())
            waits, displaced = waits + int(found[0]), displaced + int(found[1])
        return waits, displaced
