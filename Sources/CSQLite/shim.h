#include <sqlite3.h>

// sqlite3_db_config takes variable arguments, which do not import.
static inline int csqlite_leave_log_at_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
