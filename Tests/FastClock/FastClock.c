// Loaded into programs under test (LD_PRELOAD): they share one boot clock and one wall clock, which pass faster than the
// machine's, and which wait for them. Time goes on by a small step only when every event loop of every one of these programs
// has looked at its descriptors since the last step and found nothing to do. So a program that a busy machine keeps from
// running, or that is just starting, costs no time at all: what happens is the same on any machine, only later.
//   FASTCLOCK_FILE      what the programs share; made by the test: struct shared
//   FASTCLOCK_SPEED     how many seconds pass in one, at most
//   FASTCLOCK_HOLDS     this program's first event loop stops time so many seconds later,
//   FASTCLOCK_RELEASES  until the first event loop of a program that has this is there
//   FASTCLOCK_STAMPLESS  this program is not told when packets were sent
// A test may excuse one process from having to look, to stop it: time goes on without it. When a packet was sent, which the
// kernel says in the machine's wall time, is said in this one: a history of the steps tells which instant it was.
#define _GNU_SOURCE
#include "FastClock.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
  LOOPS = 32,
  TIMERS = 64,
  // Steps that are remembered.
  HISTORY = 1 << 16,
  // Nanoseconds of the machine's clock: the longest step, and after how long a loop that is behind may be one of a dead program.
  LONGEST_STEP = 4000000,
  LONG_WAIT = 100000000,
};

struct shared {
  // Nanoseconds: the boot clock, what the wall clock is ahead of it, and where the boot clock stops.
  _Atomic int64_t now, wall_lead, limit;
  // Counts the steps; the machine's monotonic clock at the last one.
  _Atomic int64_t step, stepped;
  struct {
    // Process and descriptor of an event loop, 0 for none; and the step after which it was seen idle.
    _Atomic int64_t name, idle;
  } loops[LOOPS];
  // A process that is not waited for, 0 for none.
  _Atomic int64_t excused;
  // The machine's wall clock at a step, and the boot clock from then on; the step itself is written last.
  struct {
    _Atomic int64_t wall, now, step;
  } history[HISTORY];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct shared *shared;
static int64_t speed = 1;

// When timers of this process are due by the shared clock.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int descriptor;
  int64_t due;
} timers[TIMERS];

// A timer that the kernel would cancel when the wall clock is set, -1 for none, and what the shared one was ahead of the boot clock.
static _Atomic int set_watch = -1;
static _Atomic int64_t watched_lead;

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  syscall(SYS_clock_gettime, clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void initialize(void) {
  const char *path = getenv("FASTCLOCK_FILE"), *factor = getenv("FASTCLOCK_SPEED");
  if (!path || !factor || atoll(factor) < 1) return;
  speed = atoll(factor);
  int file = open(path, O_RDWR | O_CLOEXEC);
  void *memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) syscall(SYS_close, file);
  if (memory != MAP_FAILED) shared = memory;
}

static int is_shared(void) {
  pthread_once(&once, initialize);
  return shared != NULL;
}

static int64_t name_of(int loop) { return (int64_t)getpid() << 32 | (int64_t)(loop + 1); }

// The place of a loop, or NULL.
static _Atomic int64_t *idle_step(int64_t name) {
  for (int i = 0; i < LOOPS; i++)
    if (shared->loops[i].name == name) return &shared->loops[i].idle;
  return NULL;
}

static void join(int loop) {
  for (int i = 0; i < LOOPS; i++) {
    int64_t none = 0;
    if (!atomic_compare_exchange_strong(&shared->loops[i].name, &none, name_of(loop))) continue;
    shared->loops[i].idle = 0;
    break;
  }
  static atomic_flag has_joined = ATOMIC_FLAG_INIT;
  if (atomic_flag_test_and_set(&has_joined)) return;
  const char *hold = getenv("FASTCLOCK_HOLDS");
  if (hold) shared->limit = shared->now + atoll(hold) * 1000000000;
  if (getenv("FASTCLOCK_RELEASES")) shared->limit = INT64_MAX;
}

static void leave(int64_t name) {
  for (int i = 0; i < LOOPS; i++) atomic_compare_exchange_strong(&shared->loops[i].name, &(int64_t){name}, 0);
}

__attribute__((destructor)) static void end(void) {
  if (!shared) return;
  for (int i = 0; i < LOOPS; i++)
    if (shared->loops[i].name >> 32 == getpid()) leave(shared->loops[i].name);
}

// Lets time go on if every loop was idle after step `step`.
static void advance(int64_t step) {
  int64_t now = read_clock(CLOCK_MONOTONIC), passed = now - shared->stepped;
  for (int i = 0; i < LOOPS; i++) {
    int64_t name = shared->loops[i].name;
    if (name == 0 || name >> 32 == shared->excused || shared->loops[i].idle >= step) continue;
    if (passed > LONG_WAIT && kill((pid_t)(name >> 32), 0) && errno == ESRCH) leave(name);
    return;
  }
  if (!atomic_compare_exchange_strong(&shared->step, &step, step + 1)) return;
  shared->stepped = now;
  int64_t length = (passed < LONGEST_STEP ? passed : LONGEST_STEP) * speed, left = shared->limit - shared->now;
  if (left > 0) atomic_fetch_add(&shared->now, length < left ? length : left);
  shared->history[step % HISTORY].wall = read_clock(CLOCK_REALTIME);
  shared->history[step % HISTORY].now = shared->now;
  shared->history[step % HISTORY].step = step;
}

// The shared boot clock when the machine's wall clock was `wall`; 0 where nobody remembers.
static int64_t boot_time(int64_t wall) {
  int64_t step = shared->step;
  for (int64_t i = step; i >= 0 && i > step - HISTORY; i--)
    if (shared->history[i % HISTORY].step == i && shared->history[i % HISTORY].wall <= wall)
      return shared->history[i % HISTORY].now;
  return 0;
}

ssize_t recvmsg(int socket, struct msghdr *header, int flags) {
  ssize_t count = syscall(SYS_recvmsg, socket, header, flags);
  if (count < 0 || !is_shared()) return count;
  for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    struct timespec time;
    memcpy(&time, CMSG_DATA(part), sizeof time);
    int64_t now = boot_time((int64_t)time.tv_sec * 1000000000 + time.tv_nsec);
    // The wall clock's beginning is believed by nobody.
    now = now == 0 || getenv("FASTCLOCK_STAMPLESS") ? 0 : now + shared->wall_lead;
    time.tv_sec = now / 1000000000;
    time.tv_nsec = now % 1000000000;
    memcpy(CMSG_DATA(part), &time, sizeof time);
  }
  return count;
}

static int set_timer(int timer, int64_t nanoseconds) {
  struct itimerspec real = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
  return (int)syscall(SYS_timerfd_settime, timer, 0, &real, NULL);
}

static void fire_timers(void) {
  int64_t lead = shared->wall_lead;
  if (set_watch >= 0 && atomic_exchange(&watched_lead, lead) != lead) set_timer(set_watch, 1);
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < TIMERS; i++) {
    if (timers[i].due == 0 || timers[i].due > shared->now) continue;
    timers[i].due = 0;
    set_timer(timers[i].descriptor, 1);
  }
  pthread_mutex_unlock(&mutex);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if ((clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME) || !is_shared())
    return (int)syscall(SYS_clock_gettime, clock, time);
  int64_t now = shared->now + (clock == CLOCK_REALTIME ? shared->wall_lead : 0);
  time->tv_sec = now / 1000000000;
  time->tv_nsec = now % 1000000000;
  return 0;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
  if ((flags & TFD_TIMER_CANCEL_ON_SET) && is_shared()) {
    watched_lead = shared->wall_lead;
    set_watch = timer;
    return (int)syscall(SYS_timerfd_settime, timer, flags, value, old);
  }
  // Timers to an instant are the boot clock's here.
  if (!(flags & TFD_TIMER_ABSTIME) || !is_shared())
    return (int)syscall(SYS_timerfd_settime, timer, flags, value, old);
  int64_t due = (int64_t)value->it_value.tv_sec * 1000000000 + value->it_value.tv_nsec;
  pthread_mutex_lock(&mutex);
  int place = -1;
  for (int i = 0; i < TIMERS; i++) {
    if (timers[i].due != 0 && timers[i].descriptor == timer) timers[i].due = 0;
    if (timers[i].due == 0) place = i;
  }
  if (place < 0) abort();
  timers[place].descriptor = timer;
  timers[place].due = due;
  int result = set_timer(timer, 0);
  pthread_mutex_unlock(&mutex);
  return result;
}

int epoll_create1(int flags) {
  int loop = (int)syscall(SYS_epoll_create1, flags);
  if (loop >= 0 && is_shared()) join(loop);
  return loop;
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor == set_watch) set_watch = -1;
  if (shared && descriptor >= 0) leave(name_of(descriptor));
  return (int)syscall(SYS_close, descriptor);
}

static int wait_for(int loop, struct epoll_event *events, int capacity, int milliseconds) {
  return (int)syscall(SYS_epoll_pwait, loop, events, capacity, milliseconds, NULL, (size_t)8);
}

int epoll_wait(int loop, struct epoll_event *events, int capacity, int milliseconds) {
  if (!is_shared()) return wait_for(loop, events, capacity, milliseconds);
  int64_t end = milliseconds < 0 ? INT64_MAX : read_clock(CLOCK_MONOTONIC) + (int64_t)milliseconds * 1000000;
  while (1) {
    fire_timers();
    int64_t step = shared->step;
    int count = wait_for(loop, events, capacity, milliseconds == 0 ? 0 : 1);
    // One that does not wait has more to do.
    if (count != 0 || milliseconds == 0) return count;
    _Atomic int64_t *idle = idle_step(name_of(loop));
    if (idle) *idle = step;
    advance(step);
    if (read_clock(CLOCK_MONOTONIC) >= end) return 0;
  }
}
