#include <libpq-fe.h>

// Swift does not import character constants.
static const int cpostgresql_diagnostic_state = PG_DIAG_SQLSTATE;
static const int cpostgresql_diagnostic_primary = PG_DIAG_MESSAGE_PRIMARY;
