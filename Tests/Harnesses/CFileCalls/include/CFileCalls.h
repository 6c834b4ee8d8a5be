// Sees this process's changes of files, whoever makes them: our code, or SQLite. It kills the process before a chosen one of
// them; where `write_down_changes` was called, it writes all of them down.
#pragma once

/// From now on writes count; before the one of this number the process is killed. 0 only counts.
void kill_before_write(long number);

/// How many writes there have been since.
long write_count(void);
