"""A recorder as the unit starts it, with its door on the system bus."""
import os, subprocess, sys, time
from wire import Bus

ADDRESS, STRAP = 'unix:path=/run/dbus/system_bus_socket', 'C0:FF:EE:00:00:01'
NAME, ROOT = 'org.sensord', '/org/sensord'


class Recorder:
    """A recorder as the unit starts it, of the sensors that it is given."""

    def __init__(self, folder, sensors):
        self.folder, environment = folder, {**os.environ, 'STATE_DIRECTORY': folder, 'RUNTIME_DIRECTORY': folder, 'HOME': folder}
        os.makedirs(folder, exist_ok=True); os.chown(folder, 900, 900)
        run = lambda *words: [*words, '--store', f'{folder}/sensord.sqlite']
        options = {'user': 900, 'group': 900, 'extra_groups': [], 'env': environment}
        for sensor in sensors: subprocess.run(run('sensord', 'devices', 'add', sensor), check=True, stdout=subprocess.DEVNULL, **options)
        self.process = subprocess.Popen(run('sensord', 'run'), stderr=open('/job/run.log', 'a'), **options)
        bus, end = Bus(ADDRESS), time.monotonic() + 60
        while bus.call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'NameHasOwner', 's', NAME).values != [True]:
            if time.monotonic() > end: sys.exit('the recorder does not own its name')
            time.sleep(0.5)

    def end(self):
        """Stops it, and gives its exit status."""
        self.process.terminate()
        return self.process.wait(60)
