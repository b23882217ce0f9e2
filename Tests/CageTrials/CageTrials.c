#define _GNU_SOURCE
#include "CageTrials.h"
#include "CConfinement.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

// Prepared outside of the cage: files, a neighbour of the same user, and descriptors.
static pid_t neighbour;
static int neighbour_word = 7;
static int neighbour_handle = -1, opened = -1, plain_socket = -1, listening = -1, memory = -1;
static struct sockaddr_in address;

#define ACT(name) static long name(void)

// Reading.
ACT(read_secret) { return open("secret", O_RDONLY); }
ACT(read_memory) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", neighbour);
  return open(path, O_RDONLY);
}
ACT(read_environment) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/environ", neighbour);
  return open(path, O_RDONLY);
}
ACT(list_folder) { return opendir(".") ? 0 : -1; }
ACT(open_pipe) { return open("pipe", O_RDONLY | O_NONBLOCK); }

// Files.
ACT(write_secret) { return open("secret", O_WRONLY); }
ACT(write_allowed) { return open("allowed", O_RDWR); }
ACT(write_memory) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/mem", neighbour);
  return open(path, O_RDWR);
}
ACT(make_file) { return open("new", O_WRONLY | O_CREAT | O_EXCL, 0600); }
ACT(make_nameless) { return open(".", O_WRONLY | O_TMPFILE, 0600); }
ACT(empty_by_open) { return open("allowed", O_RDONLY | O_TRUNC); }
ACT(take_path) { return open("secret", O_PATH); }
ACT(remove_file) { return unlink("secret"); }
ACT(rename_file) { return rename("secret", "other"); }
ACT(link_file) { return link("secret", "other"); }
ACT(link_symbolically) { return symlink("/etc/passwd", "other"); }
ACT(truncate_path) { return truncate("secret", 0); }
ACT(change_mode) { return chmod("secret", 0666); }
ACT(change_mode_of_open) { return fchmod(opened, 0666); }
ACT(change_owner) { return chown("secret", getuid(), getgid()); }
ACT(change_times) { return utimensat(AT_FDCWD, "secret", NULL, 0); }
ACT(set_attribute) { return setxattr("secret", "user.probe", "1", 1, 0); }
ACT(make_pipe) { return mknod("other", S_IFIFO | 0600, 0); }
ACT(make_folder) { return mkdir("other", 0700); }
ACT(remove_folder) { return rmdir("empty"); }
// Of an export into a folder.
ACT(make_in_folder) { return open("folder/new", O_WRONLY | O_CREAT | O_EXCL, 0600); }
ACT(place_in_folder) { return rename("folder/hidden", "folder/old"); }
ACT(remove_in_folder) { return unlink("folder/hidden"); }
ACT(write_in_folder) { return open("folder/old", O_WRONLY); }
ACT(read_in_folder) { return open("folder/old", O_RDONLY); }
ACT(take_into_folder) { return rename("secret", "folder/secret"); }
ACT(take_out_of_folder) { return rename("folder/hidden", "hidden"); }

ACT(change_folder) { return chdir("/"); }
ACT(watch_file) {
  int queue = inotify_init1(0);
  return queue < 0 ? -1 : inotify_add_watch(queue, "secret", IN_ACCESS);
}

// Network.
ACT(internet_socket) { return socket(AF_INET, SOCK_STREAM, 0); }
ACT(unix_socket) { return socket(AF_UNIX, SOCK_STREAM, 0); }
ACT(unix_pair) {
  int pair[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}
ACT(netlink_socket) { return socket(AF_NETLINK, SOCK_RAW, 0); }
ACT(connect_open_socket) { return connect(plain_socket, (struct sockaddr *)&address, sizeof address); }
ACT(bind_open_socket) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return bind(plain_socket, (struct sockaddr *)&any, sizeof any);
}
ACT(send_on_open_socket) { return sendto(plain_socket, "", 0, MSG_FASTOPEN | MSG_DONTWAIT, (struct sockaddr *)&address, sizeof address); }

// Programs and processes.
ACT(execute) { return execl("/bin/true", "true", NULL); }
ACT(execute_memory) {
  char *const words[] = {"true", NULL};
  return syscall(__NR_execveat, memory, "", words, NULL, AT_EMPTY_PATH);
}
ACT(make_memory_file) { return (int)syscall(__NR_memfd_create, "probe", 0); }
ACT(start_process) {
  pid_t process = fork();
  if (process == 0) _exit(0);
  return process;
}
ACT(clone_user_namespace) {
  long process = syscall(__NR_clone, SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0);
  if (process == 0) _exit(0);
  return process;
}
ACT(unshare_user_namespace) { return unshare(CLONE_NEWUSER); }
ACT(map_executable) { return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0; }
ACT(make_executable) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}
ACT(trace) { return ptrace(PTRACE_SEIZE, neighbour, 0, 0); }
ACT(read_process) {
  int word = 0;
  struct iovec own = {&word, sizeof word}, other = {&neighbour_word, sizeof word};
  return process_vm_readv(neighbour, &own, 1, &other, 1, 0);
}
ACT(write_process) {
  int word = 8;
  struct iovec own = {&word, sizeof word}, other = {&neighbour_word, sizeof word};
  return process_vm_writev(neighbour, &own, 1, &other, 1, 0);
}
ACT(open_process) { return syscall(SYS_pidfd_open, neighbour, 0); }
ACT(take_descriptor) { return syscall(SYS_pidfd_getfd, neighbour_handle, listening, 0); }
ACT(signal_by_handle) { return syscall(SYS_pidfd_send_signal, neighbour_handle, SIGCONT, NULL, 0); }
ACT(signal_process) { return kill(neighbour, SIGCONT); }
ACT(signal_thread) { return syscall(__NR_tgkill, neighbour, neighbour, SIGCONT); }
ACT(queue_signal) {
  union sigval value = {0};
  return sigqueue(neighbour, SIGCONT, value);
}
ACT(limits_of_process) {
  struct rlimit limit;
  return prlimit(neighbour, RLIMIT_NOFILE, NULL, &limit);
}
ACT(set_own_limit) {
  struct rlimit limit = {64, 64};
  return setrlimit(RLIMIT_NOFILE, &limit);
}
ACT(priority_of_process) { return setpriority(PRIO_PROCESS, (id_t)neighbour, 19); }
ACT(processors_of_process) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  return sched_setaffinity(neighbour, sizeof set, &set);
}
// These two outlive their process.
ACT(shared_memory) {
  int number = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  return number < 0 ? -1 : shmctl(number, IPC_RMID, NULL);
}
ACT(message_queue) {
  int number = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  return number < 0 ? -1 : msgctl(number, IPC_RMID, NULL);
}

// Calls that lead deep into the kernel.
ACT(ring) {
  char parameters[256] = {0};
  return syscall(__NR_io_uring_setup, 1, parameters);
}
ACT(berkeley_filter) {
  char attribute[128] = {0};
  return syscall(__NR_bpf, 0, attribute, sizeof attribute);
}
ACT(handle_faults) { return syscall(__NR_userfaultfd, 1); }
ACT(count_events) {
  char attribute[128] = {0};
  return syscall(__NR_perf_event_open, attribute, 0, -1, -1, 0);
}
ACT(add_key) { return syscall(__NR_add_key, "user", "probe", "1", 1, -3); }
ACT(control_keys) { return syscall(__NR_keyctl, 0, -3, 1, 0, 0); }
ACT(mount_file_system) { return mount("none", ".", "tmpfs", 0, NULL); }
ACT(change_personality) { return personality(ADDR_NO_RANDOMIZE); }
ACT(dump_core) { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }
ACT(own_descriptor) { return fcntl(opened, F_SETOWN, getpid()); }
ACT(type_into_terminal) { return ioctl(opened, TIOCSTI, "x"); }

// Acts that reading, computing and writing need.
ACT(read_allowed) { return open("allowed", O_RDONLY | O_CLOEXEC | O_NONBLOCK); }
ACT(write_open_file) { return pwrite(opened, "x", 1, 0); }
ACT(times_of_open_file) { return futimens(opened, NULL); }
ACT(look_at_file) {
  struct stat status;
  return stat("secret", &status);
}
ACT(lock_open_file) {
  struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
  return fcntl(opened, F_SETLK, &lock);
}
static void *nothing(void *word) { return word; }
ACT(start_thread) {
  pthread_t thread;
  errno = pthread_create(&thread, NULL, nothing, NULL);
  return errno ? -1 : pthread_join(thread, NULL);
}
ACT(own_limit) {
  struct rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit);
}
ACT(new_clone) { return syscall(__NR_clone3, NULL, 0); }

#define TRIAL(name) {#name, name}
static const struct {
  const char *name;
  long (*act)(void);
} trials[] = {
    TRIAL(read_secret), TRIAL(read_memory), TRIAL(read_environment), TRIAL(list_folder), TRIAL(open_pipe), TRIAL(write_secret),
    TRIAL(write_allowed), TRIAL(write_memory), TRIAL(make_file), TRIAL(make_nameless), TRIAL(empty_by_open), TRIAL(take_path),
    TRIAL(remove_file), TRIAL(rename_file), TRIAL(link_file), TRIAL(link_symbolically), TRIAL(truncate_path), TRIAL(change_mode),
    TRIAL(change_mode_of_open), TRIAL(change_owner), TRIAL(change_times), TRIAL(set_attribute), TRIAL(make_pipe), TRIAL(make_folder),
    TRIAL(remove_folder), TRIAL(make_in_folder), TRIAL(place_in_folder), TRIAL(remove_in_folder),
    TRIAL(write_in_folder), TRIAL(read_in_folder), TRIAL(take_into_folder), TRIAL(take_out_of_folder), TRIAL(change_folder), TRIAL(watch_file), TRIAL(internet_socket), TRIAL(unix_socket), TRIAL(unix_pair),
    TRIAL(netlink_socket), TRIAL(connect_open_socket), TRIAL(bind_open_socket), TRIAL(send_on_open_socket), TRIAL(execute),
    TRIAL(execute_memory), TRIAL(make_memory_file), TRIAL(start_process), TRIAL(clone_user_namespace), TRIAL(unshare_user_namespace),
    TRIAL(map_executable), TRIAL(make_executable), TRIAL(trace), TRIAL(read_process), TRIAL(write_process), TRIAL(open_process),
    TRIAL(take_descriptor), TRIAL(signal_by_handle), TRIAL(signal_process), TRIAL(signal_thread), TRIAL(queue_signal),
    TRIAL(limits_of_process), TRIAL(set_own_limit), TRIAL(priority_of_process), TRIAL(processors_of_process), TRIAL(shared_memory),
    TRIAL(message_queue), TRIAL(ring), TRIAL(berkeley_filter), TRIAL(handle_faults), TRIAL(count_events), TRIAL(add_key),
    TRIAL(control_keys), TRIAL(mount_file_system), TRIAL(change_personality), TRIAL(dump_core), TRIAL(own_descriptor),
    TRIAL(type_into_terminal), TRIAL(read_allowed), TRIAL(write_open_file), TRIAL(times_of_open_file), TRIAL(look_at_file),
    TRIAL(lock_open_file), TRIAL(start_thread), TRIAL(own_limit), TRIAL(new_clone),
};

static int write_file(const char *name, mode_t mode) {
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);
  if (file < 0 || write(file, "1234", 4) != 4) return -1;
  return close(file);
}

// Removes what was made here, by an act too.
static void clear(void) {
  const char *const files[] = {"secret", "allowed", "pipe", "new", "other", "hidden", "folder/hidden", "folder/old", "folder/new",
                               "folder/secret"};
  for (size_t number = 0; number < sizeof files / sizeof *files; number++) unlink(files[number]);
  const char *const folders[] = {"folder", "empty", "other"};
  for (size_t number = 0; number < sizeof folders / sizeof *folders; number++) rmdir(folders[number]);
}

// Makes what the acts need.
static int prepare(void) {
  clear();
  if (mkdir("folder", 0700) != 0 || mkdir("empty", 0700) != 0 || mkfifo("pipe", 0600) != 0) return -1;
  const char *const files[] = {"secret", "allowed", "folder/hidden", "folder/old"};
  for (size_t number = 0; number < sizeof files / sizeof *files; number++) {
    if (write_file(files[number], 0600) != 0) return -1;
  }
  return 0;
}

// `makes_files` allows it in one folder.
static int enter(int version, int makes_files) {
  int rules = cconfinement_begin(version);
  if (rules < 0 && version > 0) return -1;
  if (rules >= 0 && cconfinement_allow_reading(rules, "allowed") != 0) return -1;
  if (rules >= 0 && makes_files && cconfinement_allow_making(rules, "folder") != 0) return -1;
  return cconfinement_enter(rules, makes_files);
}

// The outcome of an act, as a word.
static const char *outcome(size_t number, int version, int makes_files) {
  pid_t process = fork();
  if (process == 0) {
    if (version >= 0 && enter(version, makes_files) != 0) _exit(255);
    _exit(trials[number].act() < 0 ? errno : 0);
  }
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) != process) return "not tried";
  if (WIFSIGNALED(status)) return strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) == 255) return "no cage";
  return WEXITSTATUS(status) == 0 ? "done" : strerrorname_np(WEXITSTATUS(status));
}

static int try_all(int version, int makes_files) {
  // Root may do what an ordinary user may not.
  if (getuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)) return 1;
  // Another user's process may be looked into only if it may dump core, which a change of the user takes away.
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  char folder[] = "/tmp/sensord-cage-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  listening = socket(AF_INET, SOCK_STREAM, 0);
  address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  if (bind(listening, (struct sockaddr *)&address, length) != 0 || listen(listening, 64) != 0
      || getsockname(listening, (struct sockaddr *)&address, &length) != 0) return 1;
  memory = open("/bin/true", O_RDONLY);
  for (size_t number = 0; number < sizeof trials / sizeof *trials; number++) {
    if (prepare() != 0) return 1;
    opened = open("allowed", O_RDWR);
    plain_socket = socket(AF_INET, SOCK_STREAM, 0);
    neighbour = fork();
    if (neighbour == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
      for (;;) pause();
    }
    neighbour_handle = (int)syscall(SYS_pidfd_open, neighbour, 0);
    printf("%s\t%s\n", trials[number].name, outcome(number, version, makes_files));
    fflush(stdout);
    kill(neighbour, SIGKILL);
    waitpid(neighbour, NULL, 0);
    close(neighbour_handle);
    close(plain_socket);
    close(opened);
  }
  pthread_t thread;
  pthread_create(&thread, NULL, (void *(*)(void *))pause, NULL);
  printf("threads\t%s\n", enter(version < 0 ? 0 : version, makes_files) == 0 ? "done" : strerrorname_np(errno));
  fflush(stdout);
  clear();
  return rmdir(folder) == 0 ? 0 : 1;
}

// The version of Landlock is what a program asks for first.
static int become(char *const *words) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) return 1;
  execv(words[0], words);
  return 1;
}

int cagetrials_run(int count, char *const *words) {
  if (count == 3 && strcmp(words[1], "try") == 0) return try_all(atoi(words[2]), 0);
  if (count == 3 && strcmp(words[1], "make") == 0) return try_all(atoi(words[2]), 1);
  if (count > 2 && strcmp(words[1], "bare") == 0) return become(words + 2);
  return 64;
}
