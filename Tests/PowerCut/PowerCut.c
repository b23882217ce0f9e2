#define _GNU_SOURCE
#include "PowerCut.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The order of entries is the order of the calls: each call and its entry are made under this lock. Only syncs run
// outside of it, since they may take long; they have an entry before and one after.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char root[PATH_MAX];
static size_t root_length;
static int log_descriptor = -1;
static bool syncs_are_off, syncs_are_free;
static int64_t sync_number;

struct fault {
  char call[16];
  char part[64];
  int error;
  bool is_short;
  enum { alive, killed_before, killed_after } death;
  bool is_stop;
  long delay;
  long first, last;
  long count;
};
static struct fault faults[16];
static int fault_count;
static const char *switch_path;
// Microseconds that the wall clock and the boot clock lead, in a file that the test changes.
static const volatile int64_t *clock_lead;

static int error_number(const char *name) {
  if (!strcmp(name, "ENOSPC")) return ENOSPC;
  if (!strcmp(name, "EIO")) return EIO;
  if (!strcmp(name, "EROFS")) return EROFS;
  if (!strcmp(name, "EDQUOT")) return EDQUOT;
  return 0;
}

static void read_faults(const char *text) {
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", text);
  char *rest = NULL;
  for (char *part = strtok_r(copy, ";", &rest); part && fault_count < 16; part = strtok_r(NULL, ";", &rest)) {
    struct fault fault = {0};
    char action[16];
    if (sscanf(part, "%15[^:]:%15[^:]:%ld:%ld:%63s", fault.call, action, &fault.first, &fault.last, fault.part) < 4)
      continue;
    fault.error = error_number(action);
    fault.is_short = !strcmp(action, "SHORT");
    fault.is_stop = !strcmp(action, "STOP");
    if (!strcmp(action, "KILL")) fault.death = killed_before;
    if (!strcmp(action, "KILLED")) fault.death = killed_after;
    if (!strncmp(action, "DELAY", 5)) fault.delay = atol(action + 5);
    faults[fault_count++] = fault;
  }
}

static void put(uint32_t kind, uint64_t file, int64_t offset, int64_t result, const char *path, const char *second,
                const void *data, size_t length);

static void initialize(void) {
  const char *clock = getenv("POWERCUT_CLOCK");
  int descriptor = clock ? (int)syscall(SYS_openat, AT_FDCWD, clock, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor >= 0) {
    void *page = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, descriptor, 0);
    if (page != MAP_FAILED) clock_lead = page;
    close(descriptor);
  }
  const char *folder = getenv("POWERCUT_ROOT"), *path = getenv("POWERCUT_LOG");
  if (!folder || !path || !realpath(folder, root)) return;
  root_length = strlen(root);
  // Straight to the kernel: our own calls are not to be recorded.
  log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char *sync = getenv("POWERCUT_SYNC");
  syncs_are_off = sync && !strcmp(sync, "off");
  syncs_are_free = sync && !strcmp(sync, "free");
  switch_path = getenv("POWERCUT_SWITCH");
  const char *list = getenv("POWERCUT_FAULTS");
  if (list) read_faults(list);
  put(powercut_start, getpid(), 0, 0, NULL, NULL, NULL, 0);
}

static bool is_recording(void) {
  pthread_once(&once, initialize);
  return log_descriptor >= 0;
}

// The path relative to the root; NULL for one outside of it.
static const char *below(const char *path) {
  if (strncmp(path, root, root_length)) return NULL;
  if (path[root_length] == 0) return path + root_length;
  return path[root_length] == '/' ? path + root_length + 1 : NULL;
}

static bool path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  if (length < 0) return false;
  path[length] = 0;
  char *deleted = strstr(path, " (deleted)");
  if (deleted) *deleted = 0;
  return true;
}

// The whole path of `name`, relative to an open folder; the folder's own links are resolved, the entry's are not.
static bool absolute(int folder, const char *name, char *path) {
  char base[PATH_MAX], joined[2 * PATH_MAX];
  if (name[0] == '/') {
    snprintf(joined, sizeof joined, "%s", name);
  } else {
    if (folder == AT_FDCWD ? !getcwd(base, sizeof base) : !path_of(folder, base)) return false;
    snprintf(joined, sizeof joined, "%s/%s", base, name);
  }
  size_t length = strlen(joined);
  while (length > 1 && joined[length - 1] == '/') joined[--length] = 0;
  char *slash = strrchr(joined, '/');
  if (!slash || slash == joined) {
    snprintf(path, PATH_MAX, "%s", joined);
    return true;
  }
  *slash = 0;
  char resolved[PATH_MAX];
  if (!realpath(joined, resolved)) return false;
  snprintf(path, PATH_MAX, "%.2000s/%.2000s", resolved, slash + 1);
  return true;
}

static uint64_t inode(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) ? 0 : status.st_ino;
}

static void put(uint32_t kind, uint64_t file, int64_t offset, int64_t result, const char *path, const char *second,
                const void *data, size_t length) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &time);
  struct powercut_entry entry = {.kind = kind,
                                 .path_length = path ? strlen(path) : 0,
                                 .second_path_length = second ? strlen(second) : 0,
                                 .data_length = length,
                                 .file = file,
                                 .offset = offset,
                                 .result = result,
                                 .instant = (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000};
  struct iovec parts[] = {{&entry, sizeof entry},
                          {(void *)path, entry.path_length},
                          {(void *)second, entry.second_path_length},
                          {(void *)data, length}};
  syscall(SYS_writev, log_descriptor, parts, 4);
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

// Whether the path has `part` in it, or at its end where that is followed by $.
static bool has_part(const char *path, const char *part) {
  size_t length = strlen(part), whole = strlen(path);
  if (!length || part[length - 1] != '$') return strstr(path, part);
  length--;
  return whole >= length && !strncmp(path + whole - length, part, length);
}

// The fault that this call on this path is to have, if any. Counts the call for each fault that it concerns.
static const struct fault *fault_of(const char *call, const char *path) {
  if (switch_path && syscall(SYS_faccessat, AT_FDCWD, switch_path, F_OK)) return NULL;
  const struct fault *found = NULL;
  for (int index = 0; index < fault_count; index++) {
    struct fault *fault = &faults[index];
    if (strcmp(fault->call, call) || !has_part(path, fault->part)) continue;
    fault->count++;
    if (fault->count < fault->first || fault->count > fault->last) continue;
    if (fault->delay) {
      struct timespec time = {fault->delay / 1000, fault->delay % 1000 * 1000000};
      // A sync that takes long holds up no write.
      bool is_sync = !strcmp(call, "fsync");
      if (is_sync) pthread_mutex_unlock(&lock);
      nanosleep(&time, NULL);
      if (is_sync) pthread_mutex_lock(&lock);
      continue;
    }
    if (fault->is_stop) {
      syscall(SYS_kill, getpid(), SIGSTOP);
      continue;
    }
    if (fault->death == killed_before) die();
    if (!found) found = fault;
  }
  return found;
}

// Whether the call is to fail. Where the process is to die after the call, it does not.
static bool fails(const struct fault *fault) {
  return fault && fault->error;
}

static void finish(const struct fault *fault) {
  if (fault && fault->death == killed_after) die();
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int opened(const char *name, int folder, const char *path, int flags, mode_t mode) {
  REAL(int, name, int, const char *, int, ...);
  char whole[PATH_MAX];
  bool changes = flags & (O_CREAT | O_TRUNC);
  if (!is_recording() || !changes || !absolute(folder, path, whole) || !below(whole))
    return real(folder, path, flags, mode);
  pthread_mutex_lock(&lock);
  int result = -1;
  const struct fault *fault = fault_of("open", below(whole));
  if (fails(fault)) {
    errno = fault->error;
  } else {
    struct stat status;
    bool existed = !fstatat(AT_FDCWD, whole, &status, AT_SYMLINK_NOFOLLOW);
    result = real(folder, path, flags, mode);
    if (result >= 0) {
      put(powercut_open, inode(result), !existed, 0, below(whole), NULL, NULL, 0);
      if (existed && flags & O_TRUNC) put(powercut_truncate, inode(result), 0, 0, below(whole), NULL, NULL, 0);
    }
  }
  finish(fault);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    return opened("openat", folder, path, flags, mode); \
  }
#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list list; \
    va_start(list, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list); \
    return opened("openat", AT_FDCWD, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)
OPEN(open)
OPEN(open64)

// Any call that writes; offset -1 where the file's own place counts.
static ssize_t written(int descriptor, const void *bytes, size_t count, off_t offset) {
  char path[PATH_MAX];
  struct stat status;
  bool is_ours = is_recording() && descriptor != log_descriptor && !fstat(descriptor, &status) &&
                 S_ISREG(status.st_mode) && path_of(descriptor, path) && below(path);
  if (!is_ours)
    return offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                      : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  pthread_mutex_lock(&lock);
  ssize_t result = -1;
  const struct fault *fault = fault_of("write", below(path));
  if (fails(fault)) {
    errno = fault->error;
  } else {
    if (fault && fault->is_short) count = (count + 1) / 2;
    off_t place = offset;
    if (offset < 0) {
      fstat(descriptor, &status);
      place = fcntl(descriptor, F_GETFL) & O_APPEND ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
    }
    result = offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                        : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    if (result > 0) put(powercut_write, inode(descriptor), place, result, below(path), NULL, bytes, result);
  }
  finish(fault);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

ssize_t write(int descriptor, const void *bytes, size_t count) { return written(descriptor, bytes, count, -1); }
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return written(descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return written(descriptor, bytes, count, offset);
}
ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  ssize_t total = 0;
  for (int index = 0; index < count; index++) {
    ssize_t result = written(descriptor, parts[index].iov_base, parts[index].iov_len, -1);
    if (result < 0) return total > 0 ? total : result;
    total += result;
    if ((size_t)result < parts[index].iov_len) break;
  }
  return total;
}

static int truncated(int descriptor, off_t length) {
  char path[PATH_MAX];
  if (!is_recording() || !path_of(descriptor, path) || !below(path))
    return (int)syscall(SYS_ftruncate, descriptor, length);
  pthread_mutex_lock(&lock);
  int result = -1;
  const struct fault *fault = fault_of("truncate", below(path));
  if (fails(fault)) {
    errno = fault->error;
  } else {
    result = (int)syscall(SYS_ftruncate, descriptor, length);
    if (!result) put(powercut_truncate, inode(descriptor), length, 0, below(path), NULL, NULL, 0);
  }
  finish(fault);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int ftruncate(int descriptor, off_t length) { return truncated(descriptor, length); }
int ftruncate64(int descriptor, off64_t length) { return truncated(descriptor, length); }

static int synced(int descriptor, long call) {
  char path[PATH_MAX];
  if (!is_recording() || !path_of(descriptor, path) || !below(path)) return (int)syscall(call, descriptor);
  uint64_t file = inode(descriptor);
  pthread_mutex_lock(&lock);
  int64_t number = ++sync_number;
  put(powercut_sync_begin, file, number, 0, below(path), NULL, NULL, 0);
  const struct fault *fault = fault_of("fsync", below(path));
  pthread_mutex_unlock(&lock);
  int result = fails(fault) ? -1 : syncs_are_off || syncs_are_free ? 0 : (int)syscall(call, descriptor);
  int error = fails(fault) ? fault->error : errno;
  pthread_mutex_lock(&lock);
  put(powercut_sync_end, file, number, result ? -1 : syncs_are_off ? 1 : 0, below(path), NULL, NULL, 0);
  finish(fault);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

// Packets that come over a socket of type SOCK_SEQPACKET: a value that was fetched is the program's, one that was not is not.
ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
  int type = 0;
  socklen_t size = sizeof type;
  if (!is_recording() || getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_SEQPACKET)
    return syscall(SYS_recvmsg, descriptor, message, flags);
  pthread_mutex_lock(&lock);
  ssize_t result = syscall(SYS_recvmsg, descriptor, message, flags);
  int error = errno;
  if (result > 0) {
    size_t length = (size_t)result < message->msg_iov[0].iov_len ? (size_t)result : message->msg_iov[0].iov_len;
    put(powercut_receive, inode(descriptor), 0, result, NULL, NULL, message->msg_iov[0].iov_base, length);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

static int renamed(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
  char whole[PATH_MAX], new_whole[PATH_MAX];
  bool is_ours = is_recording() && absolute(folder, path, whole) && absolute(new_folder, new_path, new_whole) &&
                 below(whole) && below(new_whole);
  if (!is_ours) return (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
  pthread_mutex_lock(&lock);
  int result = -1;
  const struct fault *fault = fault_of("rename", below(new_whole));
  if (fails(fault)) {
    errno = fault->error;
  } else {
    result = (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
    if (!result) put(powercut_rename, 0, 0, 0, below(whole), below(new_whole), NULL, 0);
  }
  finish(fault);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int rename(const char *path, const char *new_path) { return renamed(AT_FDCWD, path, AT_FDCWD, new_path, 0); }
int renameat(int folder, const char *path, int new_folder, const char *new_path) {
  return renamed(folder, path, new_folder, new_path, 0);
}
int renameat2(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
  return renamed(folder, path, new_folder, new_path, flags);
}

static int removed(int folder, const char *path, int flags) {
  char whole[PATH_MAX];
  if (!is_recording() || !absolute(folder, path, whole) || !below(whole))
    return (int)syscall(SYS_unlinkat, folder, path, flags);
  pthread_mutex_lock(&lock);
  int result = -1;
  const struct fault *fault = fault_of("unlink", below(whole));
  if (fails(fault)) {
    errno = fault->error;
  } else {
    result = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (!result) put(flags & AT_REMOVEDIR ? powercut_rmdir : powercut_unlink, 0, 0, 0, below(whole), NULL, NULL, 0);
  }
  finish(fault);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return removed(folder, path, flags); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }

static int made(int folder, const char *path, mode_t mode) {
  char whole[PATH_MAX];
  if (!is_recording() || !absolute(folder, path, whole) || !below(whole))
    return (int)syscall(SYS_mkdirat, folder, path, mode);
  pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_mkdirat, folder, path, mode);
  if (!result) put(powercut_mkdir, 0, 0, 0, below(whole), NULL, NULL, 0);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int mkdir(const char *path, mode_t mode) { return made(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { return made(folder, path, mode); }

static int linked(int folder, const char *path, int new_folder, const char *new_path, int flags) {
  char whole[PATH_MAX], new_whole[PATH_MAX];
  bool is_ours = is_recording() && absolute(folder, path, whole) && absolute(new_folder, new_path, new_whole) &&
                 below(whole) && below(new_whole);
  if (!is_ours) return (int)syscall(SYS_linkat, folder, path, new_folder, new_path, flags);
  pthread_mutex_lock(&lock);
  int result = (int)syscall(SYS_linkat, folder, path, new_folder, new_path, flags);
  if (!result) put(powercut_link, 0, 0, 0, below(whole), below(new_whole), NULL, 0);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int link(const char *path, const char *new_path) { return linked(AT_FDCWD, path, AT_FDCWD, new_path, 0); }
int linkat(int folder, const char *path, int new_folder, const char *new_path, int flags) {
  return linked(folder, path, new_folder, new_path, flags);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  // That of another preloaded library, where there is one.
  REAL(int, "clock_gettime", clockid_t, struct timespec *);
  int result = real(clock, time);
  pthread_once(&once, initialize);
  if (result || !clock_lead || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME)) return result;
  int64_t nanoseconds = time->tv_sec * 1000000000 + time->tv_nsec + clock_lead[clock == CLOCK_BOOTTIME] * 1000;
  time->tv_sec = nanoseconds / 1000000000;
  time->tv_nsec = nanoseconds % 1000000000;
  return 0;
}
