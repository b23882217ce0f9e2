"""What the service's sandbox must refuse, tried under its own settings: a line for each."""
import ctypes, mmap, os, socket

libc = ctypes.CDLL(None, use_errno=True)


def tried(name, action):
    try:
        action()
    except OSError:
        print('refused', name)
    else:
        print('ALLOWED', name)


def call(function, *arguments):
    if function(*arguments) < 0: raise OSError(ctypes.get_errno(), '')


def write(path): return lambda: open(path, 'w').close()


class Time(ctypes.Structure): _fields_ = [('seconds', ctypes.c_long), ('nanoseconds', ctypes.c_long)]


for path in ('/usr/x', '/etc/x', '/etc/sensord/x', '/var/lib/x', '/sys/fs/cgroup/x', '/proc/sys/kernel/hostname'): tried('writing ' + path, write(path))
for path in ('/root', '/home/alice'): tried('listing ' + path, lambda: os.listdir(path))
for path in ('/dev/vhci', '/dev/kmsg', '/dev/uhid', '/dev/ubda'): tried('opening ' + path, lambda: open(path, 'rb'))
for name in ('AF_INET', 'AF_INET6', 'AF_NETLINK', 'AF_PACKET', 'AF_BLUETOOTH'):
    tried('sockets of ' + name, lambda: socket.socket(getattr(socket, name), socket.SOCK_RAW if name in ('AF_NETLINK', 'AF_PACKET') else socket.SOCK_DGRAM))
tried('devices', lambda: os.mknod('/var/lib/sensord/node', 0o20600, os.makedev(1, 1)))
tried('user namespaces', lambda: call(libc.unshare, 0x10000000))
tried('mount namespaces', lambda: call(libc.unshare, 0x20000))
tried('memory to write and run', lambda: mmap.mmap(-1, 4096, prot=7))
tried('mounts', lambda: call(libc.mount, b'x', b'/mnt', b'tmpfs', 0, None))
tried('the host name', lambda: call(libc.sethostname, b'x', 1))
tried('the clock', lambda: call(libc.clock_settime, 0, ctypes.byref(Time(1, 1))))
tried('real time', lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
tried('personalities', lambda: call(libc.personality, 8))
tried('another root', lambda: os.chroot('/'))
tried('another user', lambda: os.setuid(0))
tried('BPF', lambda: call(libc.syscall, 321, 0, 0, 0))
tried('keys', lambda: call(libc.syscall, 250, 0, -3, 0))
tried('tracing', lambda: call(libc.ptrace, 16, 1, 0, 0))
tried('io_uring', lambda: call(libc.syscall, 425, 1, 0))
tried('reboots', lambda: call(libc.reboot, 0))
file = '/var/lib/sensord/probe'
open(file, 'w').close()
tried('set-user-ID files', lambda: os.chmod(file, 0o4755))
os.unlink(file)
tried('seeing processes of others', lambda: os.stat('/proc/1'))
