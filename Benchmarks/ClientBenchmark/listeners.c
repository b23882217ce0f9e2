// Listeners of a live hub beside one bare subscriber of its recorder.
//
//   listeners ADDRESS APPLICATION PORT TOKEN COUNT SECONDS
//     so many connections to /events of the hub at 127.0.0.1:PORT, and one subscription on the bus; prints `beats N bare50 US bare99 US messages N
//     unknown N hub50 US hub99 US`
//
// A delay is from the time that a value says it has to the moment at which the last of its bytes is read, all in one thread: with many
// listeners some wait for others. The hub says milliseconds only; the time is that of the same value on the bus.
#include "client.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>

enum { MOST = 256, REMEMBERED = 64 };

static int compare(const void *one, const void *other) {
  int64_t difference = *(const int64_t *)one - *(const int64_t *)other;
  return (difference > 0) - (difference < 0);
}

static void call(DBusConnection *connection, const char *interface, const char *member, int type, ...) {
  DBusMessage *message = dbus_message_new_method_call("org.sensord", "/org/sensord", interface, member);
  va_list arguments;
  va_start(arguments, type);
  check(dbus_message_append_args_valist(message, type, arguments), "arguments");
  va_end(arguments);
  if (!strcmp(member, "Identify")) {
    DBusMessageIter body, options;
    dbus_message_iter_init_append(message, &body);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &options);
    dbus_message_iter_close_container(&body, &options);
  }
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(connection, message, 30000, NULL);
  check(reply != NULL, member);
  dbus_message_unref(reply);
  dbus_message_unref(message);
}

static int listen_to(int port, const char *token) {
  int socket_number = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  check(connect(socket_number, (struct sockaddr *)&place, sizeof place) == 0, "connecting to the hub");
  char request[512];
  int count = snprintf(request, sizeof request,
                       "GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n", port, token);
  check(write(socket_number, request, count) == count, "asking the hub");
  fcntl(socket_number, F_SETFL, O_NONBLOCK);
  return socket_number;
}

// A message of the hub that came before the same value on the bus.
typedef struct {
  int64_t milliseconds, read_at;
} Early;

typedef struct {
  int64_t *all;
  size_t count, capacity;
} Delays;

static void add(Delays *delays, int64_t delay) {
  if (delays->count == delays->capacity)
    delays->all = realloc(delays->all, (delays->capacity = delays->capacity ? 2 * delays->capacity : 4096) * sizeof delay);
  delays->all[delays->count++] = delay;
}

int main(int argc, char **argv) {
  check(argc == 7, "listeners ADDRESS APPLICATION PORT TOKEN COUNT SECONDS");
  int port = atoi(argv[3]), count = atoi(argv[5]), seconds = atoi(argv[6]);
  check(count < MOST, "as many listeners");
  DBusConnection *connection = open_bus(argv[1]);
  const char *application = argv[2], *none[1], **sensors = none;
  call(connection, "org.sensord.Authorization1", "Identify", DBUS_TYPE_STRING, &application, DBUS_TYPE_INVALID);
  call(connection, "org.sensord.Live1", "Subscribe", DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &sensors, 0, DBUS_TYPE_INVALID);
  struct pollfd ready[MOST + 1];
  dbus_connection_get_unix_fd(connection, &ready[0].fd);
  for (int i = 1; i <= count; i++) ready[i].fd = listen_to(port, argv[4]);
  for (int i = 0; i <= count; i++) ready[i].events = POLLIN;
  static char text[MOST + 1][8192];
  static size_t length[MOST + 1];
  int64_t times[REMEMBERED] = {0};
  static Early early[64 * MOST];
  size_t remembered = 0, waiting = 0;
  Delays bare = {0}, hub = {0};
  // The connecting is over.
  int64_t begin = now_us(CLOCK_MONOTONIC) + 3000000, end = begin + (int64_t)seconds * 1000000;
  for (int64_t now; (now = now_us(CLOCK_MONOTONIC)) < end;) {
    poll(ready, count + 1, 100);
    if (ready[0].revents) check(dbus_connection_read_write(connection, 0), "the bus");
    for (DBusMessage *message; (message = dbus_connection_pop_message(connection)) != NULL; dbus_message_unref(message)) {
      if (dbus_message_is_method_call(message, "org.freedesktop.DBus.Peer", "Ping")) {
        DBusMessage *reply = dbus_message_new_method_return(message);
        dbus_connection_send(connection, reply, NULL);
        dbus_message_unref(reply);
        dbus_connection_flush(connection);
      }
      const char *sensor;
      uint64_t sequence;
      int64_t time;
      if (!dbus_message_is_signal(message, "org.sensord.Live1", "Measurement")) continue;
      check(dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &sensor, DBUS_TYPE_UINT64, &sequence, DBUS_TYPE_INT64, &time,
                                  DBUS_TYPE_INVALID), "a value");
      times[remembered++ % REMEMBERED] = time;
      if (now >= begin) add(&bare, now_us(CLOCK_REALTIME) - time);
      size_t kept = 0;
      for (size_t k = 0; k < waiting; k++) {
        if (early[k].milliseconds == time / 1000) add(&hub, early[k].read_at - time);
        else early[kept++] = early[k];
      }
      waiting = kept;
    }
    for (int i = 1; i <= count; i++) {
      if (!ready[i].revents) continue;
      ssize_t got = read(ready[i].fd, text[i] + length[i], sizeof text[i] - 1 - length[i]);
      int64_t read_at = now_us(CLOCK_REALTIME);
      check(got > 0 || (got < 0 && errno == EAGAIN), "the hub's connection");
      if (got < 0) continue;
      length[i] += got;
      text[i][length[i]] = 0;
      char *start = text[i];
      for (char *stop; (stop = strstr(start, "\n\n")) != NULL; start = stop + 2) {
        *stop = 0;
        char *field = strstr(start, "\"time_ms\":");
        if (field == NULL || now < begin) continue;
        int64_t milliseconds = atoll(field + 10), found = 0;
        for (int k = 0; k < REMEMBERED; k++) if (times[k] / 1000 == milliseconds) found = times[k];
        if (found) add(&hub, read_at - found);
        else if (waiting < sizeof early / sizeof *early) early[waiting++] = (Early){milliseconds, read_at};
      }
      length[i] -= start - text[i];
      memmove(text[i], start, length[i] + 1);
    }
  }
  check(bare.count > 0 && hub.count > 0, "a value in that time");
  qsort(bare.all, bare.count, sizeof *bare.all, compare);
  qsort(hub.all, hub.count, sizeof *hub.all, compare);
  printf("beats %zu bare50 %lld bare99 %lld messages %zu unknown %zu hub50 %lld hub99 %lld\n", bare.count,
         (long long)bare.all[bare.count / 2], (long long)bare.all[bare.count * 99 / 100], hub.count, waiting,
         (long long)hub.all[hub.count / 2], (long long)hub.all[hub.count * 99 / 100]);
  return 0;
}
