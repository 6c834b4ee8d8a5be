// The changes that a process makes of the files of a volume, written down in the order in which they happen, which is one for
// all threads.
#pragma once
#include <sys/types.h>

/// From now on all changes are written down in a new file, those of whatever is on the volume of `folder`. Ends the process
/// when it cannot write.
void write_down_changes(const char *folder, const char *trace);

/// Writes down a line among the changes.
void write_down_note(const char *text);

/// What a record is about.
enum change_kind {
    change_make_file = 1, change_make_folder, change_write, change_truncate, change_allocate, change_punch, change_sync,
    change_unlink, change_rename, change_note
};

/// The head of a record. The names follow it, each ended by a zero, then the bytes of a write.
struct change {
    unsigned kind;
    /// How many bytes the names have, with their zeros.
    unsigned name_byte_count;
    /// Inodes: of the file, of the folder that its name is in, and of the folder that a rename leads to.
    unsigned long file, folder, target_folder;
    unsigned long offset, byte_count;
};

// For those who make the calls. The lock is held from before a call until it is written down.
void trace_lock(void);
void trace_unlock(void);

void trace_write(int fd, const void *bytes, size_t byte_count, off_t offset);
void trace_file(enum change_kind kind, int fd, off_t offset, off_t byte_count);
void trace_made(enum change_kind kind, int folder, const char *path);
void trace_unlinked(int folder, const char *path);
void trace_renamed(int from_folder, const char *from, int to_folder, const char *to);
