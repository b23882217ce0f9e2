"""For trials under load: simulated straps that send numbered values, far faster than a heart, to a recorder of the release build.

A private bus, the simulator and the recorder are three processes, as on a real machine; figures come from /proc.
"""
import csv, glob, json, os, shutil, signal, subprocess, sys, tempfile, time

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""


def address(strap): return 'C0:FF:EE:00:%02X:%02X' % divmod(strap, 256)


class Flood:
    """Straps that each send `values` values, `per_second` a second, and a recorder that is ready for them."""

    def __init__(self, straps, per_second, values, configuration='', logged=True, counts_syncs=False, environment=None):
        self.counts_syncs = counts_syncs and shutil.which('strace')
        self.straps, self.values, self.logged, self.environment = straps, values, logged, environment or {}
        release = os.environ.get('SENSORD_RELEASE', '.build/release')
        self.sensord, self.simulator = f'{release}/sensord', f'{release}/sensord-simulator'
        self.folder = tempfile.mkdtemp(prefix='sensord-flood-', dir=os.environ.get('SENSORD_SOAK_FOLDER'))
        self.store, self.log, self.syncs = (f'{self.folder}/{name}' for name in ('sensord.sqlite', 'log', 'syncs'))
        # The status file belongs on a file system in memory, as /run is.
        self.runtime = tempfile.mkdtemp(prefix='sensord-run-', dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
        self.children = []
        with open(f'{self.folder}/bus.conf', 'w') as file: file.write(BUS.format(self.folder))
        with open(f'{self.folder}/sensord.conf', 'w') as file: file.write(configuration)
        scenario = {'resolve': 'usual', 'straps': [
            {'name': f'Strap {strap}', 'address': address(strap), 'adv_ms': 20,
             'flood': {'per_second': per_second, 'values': values}} for strap in range(straps)]}
        with open(f'{self.folder}/scenario.json', 'w') as file: json.dump(scenario, file)
        subprocess.run([self.sensord, 'devices', 'add', '--store', self.store, address(0)], check=True, stdout=subprocess.DEVNULL)
        for strap in range(1, straps):
            subprocess.run([self.sensord, 'devices', 'add', '--store', self.store, address(strap)], check=True,
                           stdout=subprocess.DEVNULL)

    def __enter__(self):
        try: self.start()
        except BaseException: self.__exit__(True); raise
        return self

    def start(self):
        self.spawn(['dbus-daemon', f'--config-file={self.folder}/bus.conf', '--nofork', '--nopidfile'], 'bus.log')
        self.wait_for(lambda: os.path.exists(f'{self.folder}/bus'), 'the bus')
        bus = f'unix:path={self.folder}/bus'
        simulator = [self.simulator, '--bus', bus, '--scenario', f'{self.folder}/scenario.json']
        self.spawn(simulator + (['--log', self.log] if self.logged else []), 'simulator.log')
        self.wait_for(lambda: 'ready' in self.text('simulator.log'), 'the simulator')
        recorder = [self.sensord, 'run', '--store', self.store, '--bus', bus, '--config', f'{self.folder}/sensord.conf']
        # -D: strace is not the parent. Even with --seccomp-bpf every call stops the recorder on some kernels, which doubles its time.
        if self.counts_syncs:
            trace = ['strace', '-D', '-f', '--seccomp-bpf', '-qqq', '-e', 'trace=fdatasync,fsync,sync_file_range', '-o', self.syncs]
            recorder = trace + recorder
        self.recorder = self.spawn(recorder, 'recorder.log', RUNTIME_DIRECTORY=self.runtime, HOME=self.folder,
                                   **self.environment)

    def __exit__(self, *reason):
        for child in reversed(self.children):
            if child.poll() is None: child.terminate()
            try: child.wait(30)
            except subprocess.TimeoutExpired: child.kill(); child.wait()
        if reason[0]: sys.stderr.write(f'kept for a look: {self.folder}\n{self.text("recorder.log")[-2000:]}\n')
        else: shutil.rmtree(self.folder)
        shutil.rmtree(self.runtime)

    def spawn(self, command, log, **environment):
        with open(f'{self.folder}/{log}', 'w') as file:
            child = subprocess.Popen(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
        self.children.append(child)
        return child

    def text(self, name):
        try:
            with open(f'{self.folder}/{name}', errors='replace') as file: return file.read()
        except FileNotFoundError: return ''

    def wait_for(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or any(child.poll() is not None for child in self.children):
                raise SystemExit(f'waited in vain for {what}\n{self.text("recorder.log")[-2000:]}')
            time.sleep(0.1)

    def status(self):
        """What the recorder says of its sensors; empty before it says anything."""
        try:
            with open(f'{self.runtime}/status.json') as file: return json.load(file)['sensors']
        except (OSError, ValueError): return []

    def received(self): return sum(sensor.get('notifications') or 0 for sensor in self.status())

    def all_receive(self):
        return len([sensor for sensor in self.status() if sensor.get('notifications')]) == self.straps

    def figures(self):
        """CPU seconds, bytes that went to the disk, syncs, resident bytes and open descriptors, up to now."""
        process = f'/proc/{self.recorder.pid}'
        cpu = 0
        for thread in os.listdir(f'{process}/task'):
            with open(f'{process}/task/{thread}/schedstat') as file: cpu += int(file.read().split()[0]) / 1e9
        with open(f'{process}/io') as file: io = dict(line.split(': ') for line in file.read().splitlines())
        with open(f'{process}/status') as file: status = dict(line.split(':', 1) for line in file.read().splitlines())
        syncs = self.text('syncs').count('sync') if self.counts_syncs else None
        return {'time': time.monotonic(), 'cpu': cpu, 'disk': int(io['write_bytes']), 'syncs': syncs,
                'resident': int(status['VmRSS'].split()[0]) * 1024, 'descriptors': len(os.listdir(f'{process}/fd'))}

    def peak(self):
        """The most resident bytes since this was last asked."""
        process = f'/proc/{self.recorder.pid}'
        with open(f'{process}/status') as file: status = dict(line.split(':', 1) for line in file.read().splitlines())
        with open(f'{process}/clear_refs', 'w') as file: file.write('5')
        return int(status['VmHWM'].split()[0]) * 1024

    def stop(self):
        """Ends the recorder as systemd does; every session is stored then."""
        start = time.monotonic()
        self.recorder.send_signal(signal.SIGTERM)
        code = self.recorder.wait(600)
        if code: raise SystemExit(f'the recorder ended with {code}\n{self.text("recorder.log")[-2000:]}')
        return time.monotonic() - start

    def command(self, *arguments):
        return subprocess.run([self.sensord, *arguments, '--store', self.store], check=True, capture_output=True, text=True).stdout

    def events(self, *kinds):
        """The simulator's ground truth, one dictionary a line."""
        with open(self.log) as file:
            for line in file:
                if any(f'"ev":"{kind}"' in line for kind in kinds): yield json.loads(line)

    def delays(self):
        """Microseconds from the simulator's line for a value to the recorder's stamp of it, sorted; after `stop`."""
        sent = {}
        for event in self.events('notify'): sent.setdefault(event['strap'], []).append(event['mono'] * 1e6)
        found = []
        for path in glob.glob(f'{self.folder}/sensord.captures/*'):
            with open(path, errors='replace') as file:
                lines = [line.split() for line in file]
            strap = next(line[3] for line in lines if len(line) > 3 and line[1] == 'session')
            stamps = [int(line[1]) for line in lines if len(line) > 3 and line[2] == 'm']
            found += [stamp - start for start, stamp in zip(sent.get(strap, []), stamps)]
        return sorted(found)

    def lost(self):
        """How many values that stand between two stored ones are missing, and how many are stored, by the numbers in them."""
        stored = missing = 0
        last = {}
        for session in json.loads(self.command('sessions', '--json')):
            strap = session['device']['address']
            for row in csv.DictReader(self.command('export', session['id'], '--format', 'rates').splitlines()):
                number = int(row['energy_kj'])
                if strap in last: missing += (number - last[strap] - 1) % 65536
                last[strap] = number
                stored += 1
        return missing, stored
