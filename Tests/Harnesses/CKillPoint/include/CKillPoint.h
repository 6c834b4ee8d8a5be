// Kills this process before a chosen one of its writes to files, whoever makes it: our code, or SQLite.
#pragma once

/// From now on writes count; before the one of this number the process is killed. 0 only counts.
void kill_before_write(long number);

/// How many writes there have been since.
long write_count(void);
