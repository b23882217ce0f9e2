#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

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
// keeps connect_timeout only where it waits itself, and then goes on to the next host: after five seconds it does. Each round reads
// at most 32 KiB, which libpq may keep: a thousand rounds are more than any handshake has.
static inline PGconn *cpostgresql_connect(const char *const *keywords, const char *const *values) {
  PGconn *connection = PQconnectStartParams(keywords, values, 0);
  if (connection == NULL || PQstatus(connection) == CONNECTION_BAD) return connection;
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  long long end = cpostgresql_milliseconds() + 5000;
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  for (int round = 0; next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING;) {
    struct pollfd entry = {PQsocket(connection), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, 0};
    long long rest = end - cpostgresql_milliseconds();
    int count = poll(&entry, 1, rest > 0 ? (int)rest : 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      PQreset(connection);
      break;
    }
    if (++round > 1000) break;
    next = PQconnectPoll(connection);
  }
  return connection;
}

// Puts a pair of sockets between libpq and the server, whose bytes are then carried, and counted, by cpostgresql_wait: libpq itself
// keeps whatever a server sends in memory, up to 1 GiB for one message. `ends` are the server's socket and the near end.
static inline int cpostgresql_divert(PGconn *connection, int ends[2]) {
  int own = PQsocket(connection), pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) return -1;
  ends[0] = fcntl(own, F_DUPFD_CLOEXEC, 0);
  ends[1] = pair[1];
  if (ends[0] < 0 || dup2(pair[0], own) < 0) {
    if (ends[0] >= 0) close(ends[0]);
    close(pair[0]);
    close(pair[1]);
    return -1;
  }
  fcntl(own, F_SETFD, FD_CLOEXEC);
  close(pair[0]);
  return PQsetnonblocking(connection, 1);
}

// Carries a piece from one socket to another. 1: bytes were carried; 0: none came; -1: the other one is full; -2: one has ended.
static inline int cpostgresql_carry(int from, int to, long long *budget) {
  char piece[65536];
  ssize_t count = recv(from, piece, sizeof piece, MSG_PEEK | MSG_DONTWAIT);
  if (count == 0) return -2;
  if (count < 0) return errno == EAGAIN || errno == EINTR ? 0 : -2;
  ssize_t sent = send(to, piece, (size_t)count, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0) return errno == EAGAIN || errno == EINTR ? -1 : -2;
  recv(from, piece, (size_t)sent, MSG_DONTWAIT);
  *budget -= sent;
  return 1;
}

// Bytes that the other side has not acknowledged: of a slow link the kernel holds what takes minutes.
static inline int cpostgresql_unsent(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

// Waits for a result. 0: PQgetResult has one, or an error, without waiting; 1: nothing came or went for so many milliseconds; 2: more
// bytes came than `budget` allows.
static inline int cpostgresql_wait(PGconn *connection, const int ends[2], long long budget, int milliseconds) {
  for (;;) {
    int flushed = PQflush(connection), sent;
    long long any = 0;
    while ((sent = cpostgresql_carry(ends[1], ends[0], &any)) == 1) {}
    // Also what TLS has of its last record, at most 16 KiB: libpq reads at least 8 KiB each time.
    struct pollfd own = {PQsocket(connection), POLLIN, 0};
    for (int rest = 0; rest < 3; rest += poll(&own, 1, 0) <= 0) {
      if (!PQconsumeInput(connection) || !PQisBusy(connection)) return 0;
    }
    if (budget < 0) return 2;
    int received = cpostgresql_carry(ends[0], ends[1], &budget);
    if (received == -2) {
      shutdown(ends[1], SHUT_WR);
      while (PQconsumeInput(connection) && PQisBusy(connection)) {}
      return 0;
    }
    if (received != 0 || (flushed == 1 && sent == 0)) continue;
    struct pollfd entry = {ends[0], sent == -1 ? POLLIN | POLLOUT : POLLIN, 0};
    int unsent = cpostgresql_unsent(ends[0]);
    if (poll(&entry, 1, milliseconds) == 0 && cpostgresql_unsent(ends[0]) == unsent) return 1;
  }
}

// Ends the connection, with libpq's farewell to the server.
static inline void cpostgresql_finish(PGconn *connection, const int ends[2]) {
  long long any = 0;
  PQfinish(connection);
  if (ends[0] < 0) return;
  while (cpostgresql_carry(ends[1], ends[0], &any) == 1) {}
  close(ends[0]);
  close(ends[1]);
}
