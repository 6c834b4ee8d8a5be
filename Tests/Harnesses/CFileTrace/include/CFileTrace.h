// The changes that a process makes of the files of a volume, written down in the order in which they happen, which is one for
// all threads.
#pragma once
#include <sys/types.h>

/// From now on all changes are written down in a new file, those of whatever is on the volume of `folder`. Ends the process
/// when it cannot write.
void write_down_changes(const char *folder, const char *trace);

/// Writes down no more.
void stop_writing_down_changes(void);

/// Writes down a line among the changes.
void write_down_note(const char *text);

/// What a record is about.
enum change_kind {
    change_make_file = 1, change_make_folder, change_write, change_truncate, change_allocate, change_punch, change_sync,
    change_unlink, change_rename, change_note,
    /// A symbolic link, whose text is the second name; one more name of a file; two names that change places.
    change_make_link, change_link, change_exchange,
    /// All of the volume lasts.
    change_sync_all,
    /// An extended attribute, whose name is the first one, gets bytes, or goes.
    change_attribute, change_no_attribute,
    /// Permissions or times.
    change_status
};

/// What a file or a folder is like after a change.
struct change_status {
    unsigned mode;
    /// Nanoseconds since 1970; 0 for not known.
    long modified, changed;
};

/// The head of a record. The names follow it, each ended by a zero, then the bytes of a write or an attribute.
struct change {
    unsigned kind;
    /// How many bytes the names have, with their zeros.
    unsigned name_byte_count;
    /// Inodes: of the file, of the folder that its name is in, and of the folder that a rename leads to; where two names change
    /// places, of the other file.
    unsigned long file, folder, target_folder, other;
    unsigned long offset, byte_count;
    struct change_status file_status, folder_status, target_status, other_status;
};

// For those who make the calls. The lock is held from before a call until it is written down.
void trace_lock(void);
void trace_unlock(void);

void trace_write(int fd, const void *bytes, size_t byte_count, off_t offset);
/// Bytes that the kernel has written by itself, from an offset on: they are read again.
void trace_copied(int fd, size_t byte_count, off_t offset);
void trace_file(enum change_kind kind, int fd, off_t offset, off_t byte_count);
/// Of a file by its path, whose own link is meant with AT_SYMLINK_NOFOLLOW.
void trace_status(int folder, const char *path, int flags);
void trace_attribute(int fd, const char *path, int flags, const char *name, const void *bytes, size_t byte_count);
void trace_made(enum change_kind kind, int folder, const char *path, const char *text);
void trace_unlinked(int folder, const char *path);
void trace_renamed(enum change_kind kind, int from_folder, const char *from, int to_folder, const char *to);
void trace_volume(int fd);
