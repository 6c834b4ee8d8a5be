// What the same work costs a C program that does no more than it must. Each returns 0, or -1 with errno.
#pragma once

#include <stddef.h>

/// Puts bytes in place of a file, durably: a new file, its sync, a rename, the folder's sync.
int peer_save(const char *folder, const char *name, const void *bytes, size_t byte_count);

/// Walks a tree with fts(3), which asks each item's stat(2). Returns the number of items, -1 on error.
long peer_walk(const char *folder);

/// Opens a file, takes and gives back a shared flock(2), closes it.
int peer_lock(const char *file);

/// Resolves a path with realpath(3) and asks for the item's stat(2).
int peer_resolve(const char *path);

/// Runs a program found on the PATH with its output thrown away. Returns its exit status, -1 when it died.
int peer_run(char *const arguments[]);

/* The same; what the program prints goes into a file. */
int peer_run_into(const char *output, char *const arguments[]);

/// The most memory this process ever held, VmHWM of proc(5), in bytes; -1 on error.
long long peer_peak_bytes(void);

/// Watches a file with inotify(7). Returns the descriptor.
int peer_watch(const char *file);

/// Waits until the file was closed by a writer. Returns the time in nanoseconds by CLOCK_MONOTONIC, -1 on error.
long long peer_next_change(int inotify);

/// Writes the time in nanoseconds by CLOCK_MONOTONIC, as text, into a file that is there, taken just before.
int peer_write_time(const char *file);

/// Marks the whole volume of a folder, fanotify(7), for all that Sheaf asks of a folder. Returns the queue, or -1
/// with errno: EPERM without the privilege.
int peer_mark_volume(const char *folder);

/// Reads what a queue tells and drops it, until the other descriptor can be read or has ended. Returns how often it was
/// woken, or -1.
long peer_drain(int queue, int end);

/// Makes, renames and removes a file in a folder, so many times. Returns 0, or -1 with errno.
int peer_make_rename_remove(const char *folder, int count);

/// The processor time that this process has had, in seconds.
double peer_processor_seconds(void);

/// Keeps the calling thread, and those it starts from now on, on one core. Returns 0, or -1 with errno.
int peer_pin(int core);

/// Lets the calling thread run on any core again.
void peer_unpin(void);

/// Starts this program again with other arguments, the two given descriptors as its standard input and output.
/// Returns the process, or -1 with errno.
int peer_start(char *const arguments[], int input, int output);

/// socketpair(2) of Unix streams, not inherited. Returns 0, or -1 with errno.
int peer_socketpair(int ends[2]);

/// Sends bytes, at most 4096, and waits until as many have come back. Returns 0, or -1.
int peer_round_trip(int socket, size_t byte_count);

/// Sends back what comes on the standard input, a socket, until it ends.
void peer_echo(void);

/// Passes on what comes on the standard input, a socket, to the standard output, another, and what comes back from
/// there the other way, in turn, until one of them ends.
void peer_relay(void);

/// Sends back what comes on the standard input, a socket, from another thread than the one that receives it, until it
/// ends. Returns 0, or -1 with errno.
int peer_answer_on_other_thread(void);

/// What malloc(3) has given this process and not got back, in bytes, with what it needs to keep account of it.
long long peer_allocated_bytes(void);
