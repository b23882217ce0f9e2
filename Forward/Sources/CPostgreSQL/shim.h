#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <time.h>

// Swift does not import character constants.
static const int cpostgresql_diagnostic_state = PG_DIAG_SQLSTATE;
static const int cpostgresql_diagnostic_primary = PG_DIAG_MESSAGE_PRIMARY;
static const int cpostgresql_diagnostic_detail = PG_DIAG_MESSAGE_DETAIL;

static inline long long cpostgresql_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// Connects with messages that have the SQLSTATE: a refused connection has no result to ask for it, and a server's texts may be of any
// language. How they are can be said only once there is something to say it of, so the connection is begun without waiting. libpq
// keeps connect_timeout only where it waits itself, and then goes on to the next host: after five seconds it does.
static inline PGconn *cpostgresql_connect(const char *const *keywords, const char *const *values) {
  PGconn *connection = PQconnectStartParams(keywords, values, 0);
  if (connection == NULL || PQstatus(connection) == CONNECTION_BAD) return connection;
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  long long end = cpostgresql_milliseconds() + 5000;
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
    struct pollfd entry = {PQsocket(connection), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, 0};
    long long rest = end - cpostgresql_milliseconds();
    int count = poll(&entry, 1, rest > 0 ? (int)rest : 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      PQreset(connection);
      break;
    }
    next = PQconnectPoll(connection);
  }
  return connection;
}
