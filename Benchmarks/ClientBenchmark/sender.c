// The least that sends a value to subscribers over D-Bus: what a recorder's door is compared with.
//
//   sender ADDRESS STRAPS VALUES-PER-SECOND
//
// A second process stands for the straps: it sends the values over a socket, each at a moment of its own. This one reads a value and sends it
// to everybody who has called, one signal each, with the members of a sensord `Measurement`. It ends with its input.
#include "client.h"

static char *subscribers[64];
static int count;

static void straps(int socket, int straps, int rate) {
  int64_t step = 1000000 / ((int64_t)straps * rate);
  int64_t next = now_us(CLOCK_MONOTONIC);
  unsigned seed = 1;
  for (;;) {
    // Not evenly: sensors keep no time together.
    next += step / 2 + rand_r(&seed) % step;
    int64_t wait = next - now_us(CLOCK_MONOTONIC);
    if (wait > 0) usleep(wait);
    int64_t sent = now_us(CLOCK_REALTIME);
    if (send(socket, &sent, sizeof sent, 0) < 0) exit(0);
  }
}

static void send_value(DBusConnection *connection, int64_t time, uint64_t sequence) {
  const char *sensor = "C0:FF:EE:00:00:01";
  uint16_t rate = 60, intervals[1] = {1024};
  const uint16_t *pointer = intervals;
  for (int i = 0; i < count; i++) {
    DBusMessage *message = dbus_message_new_signal("/org/sensord", "org.sensord.Live1", "Measurement");
    dbus_message_set_destination(message, subscribers[i]);
    DBusMessageIter body, array, details, entry, variant;
    dbus_message_iter_init_append(message, &body);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_STRING, &sensor);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_UINT64, &sequence);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_INT64, &time);
    dbus_message_iter_append_basic(&body, DBUS_TYPE_UINT16, &rate);
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "q", &array);
    dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_UINT16, &pointer, 1);
    dbus_message_iter_close_container(&body, &array);
    const char *key = "contact";
    dbus_bool_t contact = TRUE;
    dbus_message_iter_open_container(&body, DBUS_TYPE_ARRAY, "{sv}", &details);
    dbus_message_iter_open_container(&details, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
    dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
    dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, "b", &variant);
    dbus_message_iter_append_basic(&variant, DBUS_TYPE_BOOLEAN, &contact);
    dbus_message_iter_close_container(&entry, &variant);
    dbus_message_iter_close_container(&details, &entry);
    dbus_message_iter_close_container(&body, &details);
    check(dbus_connection_send(connection, message, NULL), "sending");
    dbus_message_unref(message);
  }
  dbus_connection_flush(connection);
}

int main(int argc, char **argv) {
  check(argc == 4, "usage: sender ADDRESS STRAPS VALUES-PER-SECOND");
  int pair[2];
  check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, "socketpair");
  DBusConnection *connection = open_bus(argv[1]);
  check(dbus_bus_request_name(connection, "org.sensord", 0, NULL) == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, "owning the name");
  if (fork() == 0) {
    close(pair[0]);
    straps(pair[1], atoi(argv[2]), atoi(argv[3]));
  }
  close(pair[1]);
  int bus = -1;
  dbus_connection_get_unix_fd(connection, &bus);
  uint64_t sequence = 0;
  for (;;) {
    struct pollfd ready[] = {{bus, POLLIN, 0}, {pair[0], POLLIN, 0}, {0, POLLIN, 0}};
    poll(ready, 3, -1);
    if (ready[2].revents) return 0;
    if (ready[1].revents) {
      int64_t time;
      if (recv(pair[0], &time, sizeof time, 0) != sizeof time) return 0;
      send_value(connection, time, ++sequence);
    }
    if (ready[0].revents) check(dbus_connection_read_write(connection, 0), "the bus");
    DBusMessage *message;
    while ((message = dbus_connection_pop_message(connection)) != NULL) {
      if (dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL) {
        check(count < 64, "more than 64 subscribers");
        subscribers[count++] = strdup(dbus_message_get_sender(message));
        DBusMessage *reply = dbus_message_new_method_return(message);
        dbus_connection_send(connection, reply, NULL);
        dbus_message_unref(reply);
      }
      dbus_message_unref(message);
    }
  }
}
