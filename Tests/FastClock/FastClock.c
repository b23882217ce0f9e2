// Loaded into programs under test (LD_PRELOAD): from an instant on, their boot clock and their wall clock run FASTCLOCK_SPEED
// times as fast, and their timers with them. Programs that are given the same instant share one time.
//   FASTCLOCK_SPEED   how many seconds pass in one
//   FASTCLOCK_START   the instant: what CLOCK_BOOTTIME read then, in nanoseconds
#define _GNU_SOURCE
#include "FastClock.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int64_t speed = 1;
static int64_t boot_start, wall_start;

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  syscall(SYS_clock_gettime, clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void initialize(void) {
  const char *factor = getenv("FASTCLOCK_SPEED"), *start = getenv("FASTCLOCK_START");
  if (!factor || !start || atoll(factor) < 1) return;
  speed = atoll(factor);
  boot_start = atoll(start);
  wall_start = read_clock(CLOCK_REALTIME) - (read_clock(CLOCK_BOOTTIME) - boot_start);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  pthread_once(&once, initialize);
  if (result || (clock != CLOCK_REALTIME && clock != CLOCK_BOOTTIME)) return result;
  int64_t start = clock == CLOCK_BOOTTIME ? boot_start : wall_start;
  int64_t now = start + ((int64_t)time->tv_sec * 1000000000 + time->tv_nsec - start) * speed;
  time->tv_sec = now / 1000000000;
  time->tv_nsec = now % 1000000000;
  return 0;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
  pthread_once(&once, initialize);
  struct itimerspec real = *value;
  int64_t due = (int64_t)value->it_value.tv_sec * 1000000000 + value->it_value.tv_nsec;
  // Timers to an instant are the boot clock's here. The time is rounded up, so that none is early.
  if (flags & TFD_TIMER_ABSTIME && due > boot_start) due = boot_start + (due - boot_start + speed - 1) / speed;
  real.it_value.tv_sec = due / 1000000000;
  real.it_value.tv_nsec = due % 1000000000;
  return (int)syscall(SYS_timerfd_settime, timer, flags, &real, old);
}
