#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Landlock. Its header is older than the kernel on some systems, so what is used of it stands here (landlock(7)).

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

struct ruleset {
  uint64_t files, network, scopes;
};

struct path_rule {
  uint64_t allowed;
  int32_t descriptor;
} __attribute__((packed));

enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

enum {
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_FOLDER = 1 << 3,
  REMOVE_FILE = 1 << 5,
  MAKE_FILE = 1 << 8,
  // The thirteen of the first version.
  FIRST_RIGHTS = (1 << 13) - 1,
  LINK_ELSEWHERE = 1 << 13,
  TRUNCATE = 1 << 14,
  CONTROL_DEVICE = 1 << 15,
  // Both of each.
  TCP = 3,
  OUTSIDE_SOCKETS_AND_SIGNALS = 3,
};

int cconfinement_landlock(void) {
  long version = syscall(__NR_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

int cconfinement_begin(int newest) {
  int version = cconfinement_landlock();
  if (version > newest) version = newest;
  if (version < 1) {
    errno = ENOSYS;
    return -1;
  }
  struct ruleset rules = {FIRST_RIGHTS, 0, 0};
  if (version >= 2) rules.files |= LINK_ELSEWHERE;
  if (version >= 3) rules.files |= TRUNCATE;
  if (version >= 4) rules.network = TCP;
  if (version >= 5) rules.files |= CONTROL_DEVICE;
  if (version >= 6) rules.scopes = OUTSIDE_SOCKETS_AND_SIGNALS;
  // An older kernel takes a longer structure whose end is zero.
  return (int)syscall(__NR_landlock_create_ruleset, &rules, sizeof rules, 0);
}

static int allow(int rules, const char *path, uint64_t rights, uint64_t rights_of_folder) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat status;
  int result = fstat(descriptor, &status);
  if (result == 0) {
    struct path_rule rule = {S_ISDIR(status.st_mode) ? rights | rights_of_folder : rights, descriptor};
    result = (int)syscall(__NR_landlock_add_rule, rules, RULE_PATH_BENEATH, &rule, 0);
  }
  int code = errno;
  close(descriptor);
  errno = code;
  return result;
}

int cconfinement_allow_reading(int rules, const char *path) { return allow(rules, path, READ_FILE, READ_FOLDER); }

int cconfinement_allow_making(int rules, const char *folder) {
  return allow(rules, folder, WRITE_FILE, MAKE_FILE | REMOVE_FILE);
}

// MARK: The filter of system calls. It sees numbers and arguments, and no path.

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "no filter of system calls for this processor"
#endif

#define REFUSED (SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA))
#define UNKNOWN (SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA))

enum { LONGEST_FILTER = 512 };

struct filter {
  struct sock_filter steps[LONGEST_FILTER];
  unsigned short length;
};

static void add(struct filter *filter, struct sock_filter step) {
  // One that is too long is refused by the kernel, as its last step is no return then.
  if (filter->length < LONGEST_FILTER) filter->steps[filter->length++] = step;
}

static void load(struct filter *filter, size_t offset) {
  add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void end(struct filter *filter, uint32_t word) {
  add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, word));
}

// The next `steps` are for this call alone.
static void begin(struct filter *filter, uint32_t call, uint8_t steps) {
  add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, steps));
}

// The lower half of an argument comes first: both processors are little-endian.
static size_t lower(unsigned argument) { return offsetof(struct seccomp_data, args) + 8 * argument; }

static void answer(struct filter *filter, uint32_t call, uint32_t word) {
  begin(filter, call, 1);
  end(filter, word);
}

// Allows a call whose argument is one of these.
static void allow_values(struct filter *filter, uint32_t call, unsigned argument, const uint32_t *values, uint8_t count) {
  begin(filter, call, (uint8_t)(count + 3));
  load(filter, lower(argument));
  for (uint8_t place = 0; place < count; place++) {
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[place], (uint8_t)(count - place), 0));
  }
  end(filter, REFUSED);
  end(filter, SECCOMP_RET_ALLOW);
}

// Allows a call in whose argument none of these bits is set.
static void allow_without(struct filter *filter, uint32_t call, unsigned argument, uint32_t bits) {
  begin(filter, call, 4);
  load(filter, lower(argument));
  add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
  end(filter, REFUSED);
  end(filter, SECCOMP_RET_ALLOW);
}

// Allows a call whose argument is zero, and another one that is null.
static void allow_zeros(struct filter *filter, uint32_t call, unsigned argument, unsigned pointer) {
  begin(filter, call, 8);
  const size_t parts[] = {lower(argument), lower(pointer), lower(pointer) + 4};
  for (uint8_t place = 0; place < 3; place++) {
    load(filter, parts[place]);
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, (uint8_t)(5 - 2 * place)));
  }
  end(filter, SECCOMP_RET_ALLOW);
  end(filter, REFUSED);
}

// Measured on imports and exports of all formats; beside them what the same functions call on other processors, kernels and versions of
// the C library.
static const uint32_t allowed[] = {
    __NR_read, __NR_pread64, __NR_write, __NR_pwrite64, __NR_writev, __NR_futex, __NR_close, __NR_lseek,
    __NR_fsync, __NR_fdatasync, __NR_ftruncate,
    // To look at a file is no access to its content; no filter could tell one path from another.
    __NR_fstat, __NR_newfstatat, __NR_statx, __NR_faccessat, __NR_faccessat2, __NR_getdents64,
#ifdef __NR_access
    __NR_access, __NR_stat, __NR_lstat,
#endif
    __NR_munmap, __NR_mremap, __NR_madvise, __NR_brk, __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn,
    __NR_sigaltstack, __NR_restart_syscall, __NR_set_robust_list, __NR_rseq, __NR_exit, __NR_exit_group,
    __NR_sched_yield, __NR_sched_getaffinity, __NR_sysinfo, __NR_getrandom, __NR_gettid, __NR_getpid, __NR_getuid, __NR_geteuid,
    __NR_getgid, __NR_getegid, __NR_clock_gettime, __NR_clock_getres, __NR_gettimeofday, __NR_clock_nanosleep, __NR_nanosleep,
    __NR_ppoll,
#ifdef __NR_poll
    __NR_poll,
#endif
};

static const uint32_t allowed_to_make[] = {
    __NR_fchmod, __NR_renameat, __NR_renameat2,
#ifdef __NR_rename
    __NR_rename, __NR_unlink,
#endif
};

static const uint32_t descriptor_commands[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC, F_GETLK, F_SETLK, F_SETLKW};
static const uint32_t terminal_questions[] = {TCGETS, TIOCGWINSZ};
static const uint32_t process_words[] = {PR_SET_NAME};
static const uint32_t none[] = {0};

// As the C library starts a thread; in it CLONE_THREAD, without which it would be a process.
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS \
                | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

enum { HARMLESS = O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW | O_DIRECTORY };

// Allows what opens a file for reading; and a file that is new, where files may be made.
static void allow_opening(struct filter *filter, int may_make) {
  if (may_make) {
    const uint32_t new = O_WRONLY | O_CREAT | O_EXCL;
    begin(filter, __NR_openat, 4);
    load(filter, lower(2));
    add(filter, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)HARMLESS));
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, new, 0, 1));
    end(filter, SECCOMP_RET_ALLOW);
    load(filter, offsetof(struct seccomp_data, nr));
  }
  allow_without(filter, __NR_openat, 2, ~(uint32_t)HARMLESS);
}

static void fill(struct filter *filter, int may_make) {
  load(filter, offsetof(struct seccomp_data, arch));
  add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
  end(filter, SECCOMP_RET_KILL_PROCESS);
  // Calls of the x32 interface have numbers of their own, which are none of these.
  load(filter, offsetof(struct seccomp_data, nr));
  for (size_t place = 0; place < sizeof allowed / sizeof *allowed; place++) answer(filter, allowed[place], SECCOMP_RET_ALLOW);
  allow_values(filter, __NR_fcntl, 1, descriptor_commands, sizeof descriptor_commands / sizeof *descriptor_commands);
  // No memory that can be executed: what runs is what was linked.
  allow_without(filter, __NR_mmap, 2, PROT_EXEC);
  allow_without(filter, __NR_mprotect, 2, PROT_EXEC);
  allow_opening(filter, may_make);
  allow_values(filter, __NR_ioctl, 1, terminal_questions, 2);
  allow_values(filter, __NR_prctl, 0, process_words, 1);
  // The limits of this process, to be read: of another one, or to be set, they are refused.
  allow_zeros(filter, __NR_prlimit64, 0, 2);
  // The times of an open file, not of a path: observers of the store wait for them.
  begin(filter, __NR_utimensat, 6);
  load(filter, lower(1));
  add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3));
  load(filter, lower(1) + 4);
  add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1));
  end(filter, SECCOMP_RET_ALLOW);
  end(filter, REFUSED);
  // Its structure passes no filter; the C library calls clone instead.
  answer(filter, __NR_clone3, UNKNOWN);
  const uint32_t thread[] = {THREAD};
  allow_values(filter, __NR_clone, 0, thread, 1);
  // abort() signals its own process.
  const uint32_t own[] = {(uint32_t)getpid()};
  allow_values(filter, __NR_tgkill, 0, own, 1);
  if (may_make) {
    for (size_t place = 0; place < sizeof allowed_to_make / sizeof *allowed_to_make; place++) {
      answer(filter, allowed_to_make[place], SECCOMP_RET_ALLOW);
    }
    allow_values(filter, __NR_unlinkat, 2, none, 1);
  }
  end(filter, REFUSED);
}

// Whether a thread lives beside this one, which Landlock would not bind: a folder has two links, and one more for each folder in it.
static int has_threads(void) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  // The sanitizer has a thread of its own.
  return 0;
#endif
#endif
  struct stat status;
  return stat("/proc/self/task", &status) == 0 && status.st_nlink > 3;
}

int cconfinement_enter(int rules, int may_make) {
  if (has_threads()) {
    errno = EBUSY;
    return -1;
  }
  static struct filter filter;
  filter.length = 0;
  fill(&filter, may_make);
  struct sock_fprog program = {filter.length, filter.steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  if (rules >= 0 && syscall(__NR_landlock_restrict_self, rules, 0) != 0) return -1;
  return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

pid_t cconfinement_fork(int keep, int other) {
  pid_t process = fork();
  if (process != 0) return process;
  struct rlimit limit = {0, 0};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (syscall(__NR_close_range, other > keep ? other + 1 : keep + 1, INT_MAX, 0) != 0) {
    for (int descriptor = (other > keep ? other : keep) + 1; descriptor < (int)limit.rlim_cur; descriptor++) close(descriptor);
  }
  for (int descriptor = 0; descriptor < (other > keep ? other : keep); descriptor++) {
    if (descriptor != keep && descriptor != other) close(descriptor);
  }
  const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
  for (size_t place = 0; place < sizeof ignored / sizeof *ignored; place++) signal(ignored[place], SIG_IGN);
  return 0;
}
