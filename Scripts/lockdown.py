"""What the trials of the systemd units share (record-locked-down, serve-locked-down, forward-locked-down): the unit's words, put into force by bubblewrap and seccomp."""
import ctypes, os, pwd, re, resource, shutil, signal, socket, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOLS = ('bwrap', 'systemd-analyze', 'dbus-daemon', 'dbus-send', 'setpriv', 'pgrep')
DERIVED = {'SystemCallFilter', 'UMask'}

# Tried inside, one line each: the restriction's name, and Python that must raise OSError (or give False). OWN has those of one unit.
PROBE = r'''
import ctypes, mmap, os, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) == -1 or False: raise OSError(ctypes.get_errno(), name)
def refused(number, *arguments):
    # EPERM is the filter's word: keyctl and io_uring_setup fail for other reasons too.
    if libc.syscall(number, *arguments) == -1 and ctypes.get_errno() == 1: raise OSError(1, str(number))
TRIALS = [
  ("RestrictAddressFamilies", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
  ("MemoryDenyWriteExecute", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)),
  ("MemoryDenyWriteExecute", lambda: call("mprotect", ctypes.c_void_p(PAGE), 4096, 4)),
  ("RestrictNamespaces", lambda: call("unshare", 0x10000000)),
  ("RestrictRealtime", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))),
  ("RestrictSUIDSGID", lambda: os.chmod(STATE, 0o4750)),
  ("LockPersonality", lambda: call("personality", 8)),
  ("ProtectSystem", lambda: open("/usr/probe", "w")),
  ("ProtectSystem", lambda: open("/etc/probe", "w")),
  ("ProtectHome", lambda: os.listdir(HOME)[0]),
  ("PrivateDevices", lambda: os.stat("/dev/mem")),
  ("ProtectKernelTunables", lambda: open("/proc/sys/kernel/hostname", "w")),
  ("ProtectHostname", lambda: call("sethostname", b"probe", 5)),
  ("ProtectClock", lambda: call("settimeofday", bytes(16), None)),
  ("ProtectKernelLogs", lambda: call("klogctl", 3, bytes(64), 64)),
  ("CapabilityBoundingSet", lambda: os.chown(STATE, 0, 0)),
  ("CapabilityBoundingSet", lambda: 1 / (any(int(line.split()[1], 16) for line in open("/proc/self/status") if line.startswith("Cap")))),
  ("NoNewPrivileges", lambda: 1 / ("NoNewPrivs:\t1" not in open("/proc/self/status").read())),
  ("ProtectProc", lambda: os.kill(OUTSIDE, 0)),
  ("LimitCORE", lambda: 1 / (__import__("resource").getrlimit(4) != (0, 0))),
  ("SystemCallFilter", lambda: call("ptrace", 0, 0, 0, 0)),
  ("SystemCallFilter", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None)),
  ("SystemCallFilter", lambda: os.setpriority(os.PRIO_PROCESS, 0, 1)),
  ("SystemCallFilter", lambda: call("swapoff", b"/none")),
  ("SystemCallFilter", lambda: refused(250, 0, 0, 0)),
  ("SystemCallFilter", lambda: refused(425, 1, ctypes.create_string_buffer(256))),
] + OWN
failed = []
for name, trial in TRIALS:
    try: trial()
    except (OSError, ZeroDivisionError, IndexError): continue
    failed.append(name)
open(STATE + "/probe", "w").write(" ".join(failed))
'''


def fail(text):
    sys.stderr.write(f'{os.path.basename(sys.argv[0])}: {text}\n')
    sys.exit(1)


def settings(path, wanted, left_out):
    """The [Service] section: each key with its values in order. A setting that is neither applied nor left out with a reason is an error."""
    found, section = {}, ''
    with open(path) as file: lines = file.read().splitlines()
    for line in lines:
        if line.startswith('['): section = line
        elif section == '[Service]' and '=' in line and not line.startswith('#'):
            key, value = line.split('=', 1)
            found.setdefault(key, []).append(value)
    for key, values in found.items():
        if key in left_out or key in DERIVED: continue
        if key not in wanted: fail(f'{key}= stands in the unit, and this trial neither applies it nor says why not')
        if values != [wanted[key]]: fail(f'{key}={" ".join(values)}: this trial knows only {wanted[key]}')
    for key in wanted:
        if key not in found: fail(f'{key}= stands no more in the unit')
    return found


def system_calls(word):
    """The names that a word of SystemCallFilter= stands for."""
    if not word.startswith('@'): return {word}
    text = subprocess.run(['systemd-analyze', 'syscall-filter', '--no-pager', word], check=True, capture_output=True, text=True).stdout
    names = set()
    for line in text.splitlines()[1:]:
        line = line.strip()
        if line and not line.startswith('#'): names |= system_calls(line)
    return names


def filter_program(unit):
    """The seccomp filter that systemd would make of the unit, as a file for bubblewrap."""
    seccomp = ctypes.CDLL('libseccomp.so.2', use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    ALLOW, ERRNO = 0x7FFF0000, 0x00050000
    EPERM, EAFNOSUPPORT, ENOSYS = 1, 97, 38

    class Comparison(ctypes.Structure):
        _fields_ = [('argument', ctypes.c_uint), ('operator', ctypes.c_int), ('a', ctypes.c_uint64), ('b', ctypes.c_uint64)]
    NOT_EQUAL, LESS, EQUAL, GREATER, MASKED = 1, 2, 4, 6, 7

    allowed = set()
    for line in unit['SystemCallFilter']:
        for word in line.lstrip('~').split():
            allowed = allowed - system_calls(word) if line.startswith('~') else allowed | system_calls(word)

    files = []
    def build(default, rules):
        # libseccomp wants a rule of another action than the default.
        context = ctypes.c_void_p(seccomp.seccomp_init(ctypes.c_uint32(default)))
        for action, name, comparisons in rules:
            number = seccomp.seccomp_syscall_resolve_name(name.encode())
            if number < 0: continue
            array = (Comparison * len(comparisons))(*[Comparison(*comparison) for comparison in comparisons])
            result = seccomp.seccomp_rule_add_array(context, ctypes.c_uint32(action), number, len(comparisons), array)
            if result: fail(f'libseccomp refuses a rule for {name}: {os.strerror(-result)}')
        file = tempfile.TemporaryFile()
        if seccomp.seccomp_export_bpf(context, file.fileno()): fail('libseccomp writes no filter')
        seccomp.seccomp_release(context)
        file.seek(0)
        files.append(file)

    deny = ERRNO | EPERM
    build(deny, [(ALLOW, name, []) for name in allowed])
    WRITE, EXECUTE, SUID = 2, 4, (0o4000, 0o2000)
    namespaces = [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x80]
    families = sorted(getattr(socket, name) for name in unit['RestrictAddressFamilies'][0].split())
    refused = [(LESS, families[0]), (GREATER, families[-1])]
    refused += [(EQUAL, family) for family in range(families[0], families[-1]) if family not in families]
    rules = [(ERRNO | EAFNOSUPPORT, 'socket', [(0, operator, family, 0)]) for operator, family in refused]
    rules += [(ERRNO | ENOSYS, 'clone3', []),
             (deny, 'mmap', [(2, MASKED, WRITE | EXECUTE, WRITE | EXECUTE)]), (deny, 'mprotect', [(2, MASKED, EXECUTE, EXECUTE)]),
             (deny, 'pkey_mprotect', [(2, MASKED, EXECUTE, EXECUTE)]), (deny, 'shmat', [(2, MASKED, 0o100000, 0o100000)]),
             (deny, 'personality', [(0, NOT_EQUAL, 0, 0)]), (deny, 'setns', [])]
    rules += [(deny, name, [(0, MASKED, flag, flag)]) for name in ('clone', 'unshare') for flag in namespaces]
    rules += [(deny, 'sched_setscheduler', [(1, EQUAL, policy, 0)]) for policy in (1, 2, 6)]
    for name, argument in [('chmod', 1), ('fchmod', 1), ('fchmodat', 2), ('mkdir', 1), ('mkdirat', 2), ('mknod', 1), ('mknodat', 2),
                           ('creat', 1), ('open', 2), ('openat', 3)]:
        rules += [(deny, name, [(argument, MASKED, bit, bit)]) for bit in SUID]
    build(ALLOW, rules)
    return files


class Confinement:
    """A folder, a user and a bus for one trial of a unit, and the programs that run in it."""

    def __init__(self, unit, user):
        self.unit, self.user = unit, user
        limit = unit.get('LimitNOFILE')
        self.descriptors = int(limit[0]) if limit else None
        self.folder = tempfile.mkdtemp(prefix='sensord-locked-')
        os.chmod(self.folder, 0o755)
        self.children = []

    def make(self, name, mode, user=None):
        """A folder in the folder, of that user's."""
        os.mkdir(f'{self.folder}/{name}', mode)
        if os.getuid() == 0: os.chown(f'{self.folder}/{name}', self.user if user is None else user, -1)

    def as_user(self, command, user=None):
        user = self.user if user is None else user
        return ['setpriv', f'--reuid={user}', f'--regid={user}', '--clear-groups', *command] if os.getuid() == 0 else command

    def words(self):
        """bubblewrap's, for a file system that cannot be written, and no rights."""
        words = ['bwrap', '--die-with-parent', '--new-session', '--as-pid-1', '--cap-drop', 'ALL', '--clearenv',
                 '--unshare-user', '--uid', str(self.user), '--gid', str(self.user), '--unshare-ipc', '--unshare-pid',
                 '--unshare-uts', '--unshare-cgroup-try', '--tmpfs', '/', '--ro-bind', '/usr', '/usr', '--ro-bind', '/etc', '/etc']
        for name in ('bin', 'sbin', 'lib', 'lib64'):
            if os.path.islink(f'/{name}'): words += ['--symlink', os.readlink(f'/{name}'), f'/{name}']
            elif os.path.isdir(f'/{name}'): words += ['--ro-bind', f'/{name}', f'/{name}']
        return words + ['--ro-bind-try', '/sys', '/sys', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp',
                        '--tmpfs', '/home', '--tmpfs', '/root', '--ro-bind-try', f'{self.folder}/bus', '/run/dbus/system_bus_socket']

    def start(self, command, files=(), log='log', mask=None, **environment):
        """Starts a program; `mask` is that of the unit where it is not given."""
        mask = int(self.unit['UMask'][0], 8) if mask is None else mask
        def before():
            os.umask(mask)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if self.descriptors: resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))
            ctypes.CDLL(None).syscall(250, 1, None)  # keyctl: a session keyring of its own
        with open(f'{self.folder}/{log}', 'w') as file:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, preexec_fn=before,
                                     pass_fds=[file.fileno() for file in files], env={**os.environ, **environment})
        self.children.append(child)
        return child

    def log(self, name='log'): return open(f'{self.folder}/{name}', errors='replace').read()

    def wait_for(self, condition, what, log='log', child=None):
        """Until the condition holds, while the child, else the one that was started last, runs."""
        child = child or self.children[-1]
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end or child.poll() is not None: fail(f'waited in vain for {what}\n{self.log(log)[-3000:]}')
            time.sleep(0.05)

    def probe(self, confined, state, own=(), as_user=None):
        """What must be refused is refused; `own` has trials of this unit alone. How many there are."""
        home = os.path.expanduser('~')
        text = f'OUTSIDE, HOME, STATE = {os.getpid()}, {home!r}, {state!r}\n'
        text += 'import ctypes; PAGE = ctypes.addressof(ctypes.create_string_buffer(16384)) + 4096 & ~4095\n'
        trials = ''.join(f'  ("{name}", lambda: {code}),\n' for name, code in own)
        child = self.start((as_user or self.as_user)(confined(['/usr/bin/python3', '-c', text + PROBE.replace('+ OWN', f'+ [\n{trials}]')],
                                                 files := filter_program(self.unit))), files, 'probe')
        if child.wait(60): fail(f'the probe does not run:\n{self.log("probe")[-3000:]}')
        with open(f'{self.folder}/state/probe') as file: allowed = file.read().split()
        if allowed: fail(f'not in force here: {", ".join(allowed)}')
        os.remove(f'{self.folder}/state/probe')
        return len(re.findall(r'^  \("', PROBE, re.M)) + len(own)

    def bus(self, with_policy, recorder):
        """A bus as strict as the system's: nobody may call org.bluez whom no policy allows it, but `recorder`, a user."""
        with open(f'{ROOT}/systemd/dbus-1/sensord.conf') as file: policy = re.search(r'<policy.*</policy>', file.read(), re.S).group(0)
        policy = policy.replace('user="sensord"', f'user="{pwd.getpwuid(recorder).pw_name}"') if with_policy else ''
        if os.path.exists(f'{self.folder}/bus'): os.remove(f'{self.folder}/bus')
        with open(f'{self.folder}/bus.conf', 'w') as file:
            file.write(f'''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={self.folder}/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><deny own="*"/><deny send_type="method_call"/><allow send_type="signal"/>
<allow send_requested_reply="true" send_type="method_return"/><allow send_requested_reply="true" send_type="error"/>
<allow receive_type="method_call"/><allow receive_type="method_return"/><allow receive_type="error"/><allow receive_type="signal"/>
<allow send_destination="org.freedesktop.DBus"/></policy>
<policy user="{pwd.getpwuid(os.getuid()).pw_name}"><allow own="org.bluez"/></policy>
{policy}</busconfig>''')
        daemon = self.start(['dbus-daemon', f'--config-file={self.folder}/bus.conf', '--nofork', '--nopidfile'], log='bus.log')
        self.wait_for(lambda: os.path.exists(f'{self.folder}/bus'), 'the bus', 'bus.log')
        os.chmod(f'{self.folder}/bus', 0o666)
        return daemon

    def end_of(self, child):
        """Its status after SIGTERM. bubblewrap does not pass signals on: the program is its child."""
        inner = subprocess.run(['pgrep', '-P', str(child.pid)], capture_output=True, text=True).stdout.split()
        os.kill(int(inner[0]), signal.SIGTERM)
        return child.wait(60)

    def end(self):
        for child in reversed(self.children):
            if child.poll() is None: child.kill()
            child.wait()
        shutil.rmtree(self.folder)


def needs(tools=TOOLS):
    """Ends the trial, which proves nothing then, where a tool is not here."""
    for tool in tools:
        if not shutil.which(tool):
            print(f'left out: no {tool} here to try the unit\'s restrictions with')
            sys.exit(0)
