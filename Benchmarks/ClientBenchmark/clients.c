// Clients of a recorder, or of the bare sender.
//
//   clients ADDRESS subscribe COUNT SECONDS PREFIX   so many subscribers; prints `values N holes N least N most N p50 US p99 US`, where
//                                                    least and most are what one of them was told of, with its holes
//   clients ADDRESS flood SECONDS APPLICATION        calls as fast as it is answered; prints `answered N refused N`
//   clients ADDRESS query TYPE APPLICATION           reads all values of a type; prints `values N seconds S`
//
// A client whose application is not empty identifies itself first. The delay of a value is from the time that it says it has to the moment
// at which the last of its bytes is read from the bus, all in one thread: with many subscribers some wait for others.
#include "client.h"

static DBusMessage *call(DBusConnection *connection, const char *interface, const char *member, int first, ...) {
  DBusMessage *message = dbus_message_new_method_call("org.sensord", "/org/sensord", interface, member);
  va_list arguments;
  va_start(arguments, first);
  check(dbus_message_append_args_valist(message, first, arguments), "arguments");
  va_end(arguments);
  return message;
}

static DBusMessage *ask(DBusConnection *connection, DBusMessage *message) {
  DBusError error;
  dbus_error_init(&error);
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(connection, message, 30000, &error);
  if (reply == NULL) fprintf(stderr, "%s: %s\n", error.name, error.message);
  check(reply != NULL, dbus_message_get_member(message));
  dbus_message_unref(message);
  return reply;
}

static void append_options(DBusMessage *message) {
  DBusMessageIter body, options;
  dbus_message_iter_init_append(message, &body);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(&body, &options);
}

static void identify(DBusConnection *connection, const char *application) {
  if (*application == 0) return;
  DBusMessage *message =
      call(connection, "org.sensord.Authorization1", "Identify", DBUS_TYPE_STRING, &application, DBUS_TYPE_INVALID);
  append_options(message);
  dbus_message_unref(ask(connection, message));
}

static int compare(const void *one, const void *other) {
  int64_t difference = *(const int64_t *)one - *(const int64_t *)other;
  return (difference > 0) - (difference < 0);
}

static int subscribe(const char *address, int count, int seconds, const char *prefix) {
  DBusConnection *connections[64];
  struct pollfd ready[64];
  uint64_t first[64] = {0}, last[64] = {0};
  check(count <= 64, "more than 64 subscribers");
  for (int i = 0; i < count; i++) {
    connections[i] = open_bus(address);
    char application[64] = "";
    if (*prefix) snprintf(application, sizeof application, "%s%d", prefix, i);
    identify(connections[i], application);
    const char *none[1], **sensors = none;
    DBusMessage *message = call(
        connections[i], "org.sensord.Live1", "Subscribe", DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &sensors, 0, DBUS_TYPE_INVALID);
    dbus_message_unref(ask(connections[i], message));
    ready[i].events = POLLIN;
    dbus_connection_get_unix_fd(connections[i], &ready[i].fd);
  }
  // The connecting is over.
  int64_t begin = now_us(CLOCK_MONOTONIC) + 3000000, end = begin + (int64_t)seconds * 1000000;
  size_t capacity = 1 << 16, values = 0;
  uint64_t holes = 0;
  int64_t *delays = malloc(capacity * sizeof *delays);
  printf("ready\n");
  fflush(stdout);
  for (int64_t now; (now = now_us(CLOCK_MONOTONIC)) < end;) {
    poll(ready, count, 100);
    for (int i = 0; i < count; i++) {
      if (ready[i].revents) check(dbus_connection_read_write(connections[i], 0), "the bus");
      for (DBusMessage *message; (message = dbus_connection_pop_message(connections[i])) != NULL; dbus_message_unref(message)) {
        if (dbus_message_is_method_call(message, "org.freedesktop.DBus.Peer", "Ping")) {
          DBusMessage *reply = dbus_message_new_method_return(message);
          dbus_connection_send(connections[i], reply, NULL);
          dbus_message_unref(reply);
          dbus_connection_flush(connections[i]);
        }
        if (!dbus_message_is_signal(message, "org.sensord.Live1", "Measurement")) continue;
        const char *sensor;
        uint64_t sequence;
        int64_t time;
        check(dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &sensor, DBUS_TYPE_UINT64, &sequence, DBUS_TYPE_INT64, &time,
                                    DBUS_TYPE_INVALID), "a value");
        if (last[i]) holes += sequence - last[i] - 1;
        else first[i] = sequence;
        last[i] = sequence;
        if (now < begin) continue;
        if (values == capacity) delays = realloc(delays, (capacity *= 2) * sizeof *delays);
        delays[values++] = now_us(CLOCK_REALTIME) - time;
      }
    }
  }
  check(values > 0, "a value in that time");
  qsort(delays, values, sizeof *delays, compare);
  uint64_t least = UINT64_MAX, most = 0;
  for (int i = 0; i < count; i++) {
    uint64_t told = last[i] ? last[i] - first[i] + 1 : 0;
    if (told < least) least = told;
    if (told > most) most = told;
  }
  printf("values %zu holes %llu least %llu most %llu p50 %lld p99 %lld\n", values, (unsigned long long)holes,
         (unsigned long long)least, (unsigned long long)most, (long long)delays[values / 2], (long long)delays[values * 99 / 100]);
  return 0;
}

static int query(const char *address, const char *type, const char *application) {
  DBusConnection *connection = open_bus(address);
  identify(connection, application);
  const char *kind = "quantities", *key = "type";
  DBusMessage *message =
      call(connection, "org.sensord.HealthStore1", "Query", DBUS_TYPE_STRING, &kind, DBUS_TYPE_INVALID);
  DBusMessageIter body, options, entry, variant;
  dbus_message_iter_init_append(message, &body);
  dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_open_container(&options, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "s", &variant);
  dbus_message_iter_append_basic(&variant, DBUS_TYPE_STRING, &type);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(&options, &entry);
  dbus_message_iter_close_container(&body, &options);
  int64_t begin = now_us(CLOCK_MONOTONIC);
  DBusMessage *reply = ask(connection, message);
  int pipe;
  check(dbus_message_get_args(reply, NULL, DBUS_TYPE_UNIX_FD, &pipe, DBUS_TYPE_INVALID), "the pipe");
  static char buffer[1 << 17];
  size_t lines = 0;
  char end[19] = "";
  for (ssize_t count; (count = read(pipe, buffer, sizeof buffer)) > 0;) {
    for (ssize_t i = 0; i < count; i++) lines += buffer[i] == '\n';
    size_t kept = count < 18 ? 18 - count : 0;
    memmove(end, end + 18 - kept, kept);
    memcpy(end + kept, buffer + count - (18 - kept), 18 - kept);
  }
  check(!strcmp(end, "{\"complete\":true}\n"), "the last line");
  printf("values %zu seconds %.6f\n", lines - 1, (now_us(CLOCK_MONOTONIC) - begin) / 1e6);
  return 0;
}

static int flood(const char *address, int seconds, const char *application) {
  DBusConnection *connection = open_bus(address);
  identify(connection, application);
  int64_t end = now_us(CLOCK_MONOTONIC) + (int64_t)seconds * 1000000;
  long answered = 0, refused = 0;
  while (now_us(CLOCK_MONOTONIC) < end) {
    DBusMessage *message = call(connection, "org.sensord.Manager1", "ListSensors", DBUS_TYPE_INVALID);
    DBusMessage *reply = dbus_connection_send_with_reply_and_block(connection, message, 30000, NULL);
    dbus_message_unref(message);
    if (reply) dbus_message_unref(reply);
    *(reply ? &answered : &refused) += 1;
  }
  printf("answered %ld refused %ld\n", answered, refused);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 6 && !strcmp(argv[2], "subscribe")) return subscribe(argv[1], atoi(argv[3]), atoi(argv[4]), argv[5]);
  if (argc == 5 && !strcmp(argv[2], "flood")) return flood(argv[1], atoi(argv[3]), argv[4]);
  if (argc == 5 && !strcmp(argv[2], "query")) return query(argv[1], argv[3], argv[4]);
  check(0, "clients ADDRESS subscribe COUNT SECONDS PREFIX, or clients ADDRESS query TYPE APPLICATION");
}
