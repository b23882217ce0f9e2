// What the two programs share: times, and one value as it is sent.
#include <dbus/dbus.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline int64_t now_us(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static inline void check(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "%s failed\n", what);
  exit(1);
}

static inline DBusConnection *open_bus(const char *address) {
  DBusError error;
  dbus_error_init(&error);
  DBusConnection *connection = dbus_connection_open_private(address, &error);
  check(connection != NULL && dbus_bus_register(connection, &error), "opening the bus");
  dbus_connection_set_exit_on_disconnect(connection, FALSE);
  return connection;
}
