#pragma once
#include <sqlite3.h>

/// sqlite3_bind_text and sqlite3_bind_blob with SQLITE_TRANSIENT, a cast that Swift cannot read: the bytes are copied.
static inline int cdoc_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int byte_count) {
    return sqlite3_bind_text(statement, index, text, byte_count, SQLITE_TRANSIENT);
}
static inline int cdoc_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int byte_count) {
    return sqlite3_bind_blob(statement, index, bytes, byte_count, SQLITE_TRANSIENT);
}

/// sqlite3_db_config, which is variadic, for the switches that are on or off.
static inline int cdoc_sqlite_configure(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}
