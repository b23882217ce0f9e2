#define _GNU_SOURCE
#include "PowerCut.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static bool syncs_are_off;
static int64_t sync_number;

struct fault {
  char call[16];
  int error;
  bool is_short;
  long delay;
  long first, last;
};
static struct fault faults[16];
static int fault_count;
struct counter {
  const char *call;
  long count;
};
static struct counter counters[] = {{"write", 0}, {"open", 0}, {"fsync", 0}, {"truncate", 0}, {"rename", 0}, {"unlink", 0}};

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
    if (sscanf(part, "%15[^:]:%15[^:]:%ld:%ld", fault.call, action, &fault.first, &fault.last) != 4) continue;
    fault.error = error_number(action);
    fault.is_short = !strcmp(action, "SHORT");
    if (!strncmp(action, "DELAY", 5)) fault.delay = atol(action + 5);
    faults[fault_count++] = fault;
  }
}

static void initialize(void) {
  const char *folder = getenv("POWERCUT_ROOT"), *path = getenv("POWERCUT_LOG");
  if (!folder || !path || !realpath(folder, root)) return;
  root_length = strlen(root);
  // Straight to the kernel: our own calls are not to be recorded.
  log_descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char *sync = getenv("POWERCUT_SYNC");
  syncs_are_off = sync && !strcmp(sync, "off");
  const char *list = getenv("POWERCUT_FAULTS");
  if (list) read_faults(list);
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
  struct powercut_entry entry = {kind, path ? strlen(path) : 0, second ? strlen(second) : 0, length, file, offset, result};
  struct iovec parts[] = {{&entry, sizeof entry},
                          {(void *)path, entry.path_length},
                          {(void *)second, entry.second_path_length},
                          {(void *)data, length}};
  syscall(SYS_writev, log_descriptor, parts, 4);
}

// The fault that this call is to have, if any.
static const struct fault *fault_of(const char *call) {
  long number = 0;
  for (size_t index = 0; index < sizeof counters / sizeof *counters; index++)
    if (!strcmp(counters[index].call, call)) number = ++counters[index].count;
  for (int index = 0; index < fault_count; index++) {
    const struct fault *fault = &faults[index];
    if (strcmp(fault->call, call) || number < fault->first || number > fault->last) continue;
    if (fault->delay) {
      struct timespec time = {fault->delay / 1000, fault->delay % 1000 * 1000000};
      nanosleep(&time, NULL);
      continue;
    }
    return fault;
  }
  return NULL;
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
  const struct fault *fault = fault_of("open");
  if (fault) {
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
  const struct fault *fault = fault_of("write");
  if (fault && !fault->is_short) {
    errno = fault->error;
  } else {
    if (fault) count = (count + 1) / 2;
    off_t place = offset;
    if (offset < 0) {
      fstat(descriptor, &status);
      place = fcntl(descriptor, F_GETFL) & O_APPEND ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
    }
    result = offset < 0 ? syscall(SYS_write, descriptor, bytes, count)
                        : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    if (result > 0) put(powercut_write, inode(descriptor), place, result, below(path), NULL, bytes, result);
  }
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
  const struct fault *fault = fault_of("truncate");
  if (fault) {
    errno = fault->error;
  } else {
    result = (int)syscall(SYS_ftruncate, descriptor, length);
    if (!result) put(powercut_truncate, inode(descriptor), length, 0, below(path), NULL, NULL, 0);
  }
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
  const struct fault *fault = fault_of("fsync");
  pthread_mutex_unlock(&lock);
  int result = fault ? -1 : syncs_are_off ? 0 : (int)syscall(call, descriptor);
  int error = fault ? fault->error : errno;
  pthread_mutex_lock(&lock);
  put(powercut_sync_end, file, number, result ? -1 : syncs_are_off ? 1 : 0, below(path), NULL, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int fsync(int descriptor) { return synced(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synced(descriptor, SYS_fdatasync); }

static int renamed(int folder, const char *path, int new_folder, const char *new_path, unsigned flags) {
  char whole[PATH_MAX], new_whole[PATH_MAX];
  bool is_ours = is_recording() && absolute(folder, path, whole) && absolute(new_folder, new_path, new_whole) &&
                 below(whole) && below(new_whole);
  if (!is_ours) return (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
  pthread_mutex_lock(&lock);
  int result = -1;
  const struct fault *fault = fault_of("rename");
  if (fault) {
    errno = fault->error;
  } else {
    result = (int)syscall(SYS_renameat2, folder, path, new_folder, new_path, flags);
    if (!result) put(powercut_rename, 0, 0, 0, below(whole), below(new_whole), NULL, 0);
  }
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
  const struct fault *fault = fault_of("unlink");
  if (fault) {
    errno = fault->error;
  } else {
    result = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (!result) put(flags & AT_REMOVEDIR ? powercut_rmdir : powercut_unlink, 0, 0, 0, below(whole), NULL, NULL, 0);
  }
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
