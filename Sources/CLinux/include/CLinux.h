// What Swift's view of the C library leaves out, one call each and no logic but for a question to netlink and its answer.
#pragma once

#include "CLinuxConnections.h"
#include "CLinuxExtents.h"
#include "CLinuxIdentity.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/xattr.h>

enum { CDOC_RENAME_NOREPLACE = 1, CDOC_RENAME_EXCHANGE = 2 };

/// UTIME_OMIT of utimensat(2), a macro that Swift cannot read.
enum { CDOC_UTIME_OMIT = (1 << 30) - 2 };

/// O_NOATIME of open(2); a macro of _GNU_SOURCE only. The .c file checks the value.
enum { CDOC_O_NOATIME = 01000000 };

/// renameat2(2), which the C library declares only for _GNU_SOURCE.
int cdoc_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);

/// copy_file_range(2) at both files' own offsets; declared only for _GNU_SOURCE.
ssize_t cdoc_copy_file_range(int from_fd, int to_fd, size_t byte_count);

/// fallocate(2) of a whole file; declared only for _GNU_SOURCE.
int cdoc_fallocate(int fd, long byte_count);

/// fallocate(2) with FALLOC_FL_PUNCH_HOLE and FALLOC_FL_KEEP_SIZE; declared only for _GNU_SOURCE.
int cdoc_punch_hole(int fd, long offset, long byte_count);

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE; declared only for _GNU_SOURCE.
int cdoc_begin_writing(int fd, long offset, long byte_count);

/// open(2) of a file that is open, once more, with O_WRONLY, O_CLOEXEC and O_DIRECT, which is declared only for _GNU_SOURCE.
int cdoc_reopen_uncached(int fd);

/// linkat(2) of a file that is open, by its place in /proc: what needs a privilege by its descriptor alone.
int cdoc_link_open(int fd, int folder_fd, const char *name);

/// ioctl_ficlone(2); ioctl is variadic.
int cdoc_ficlone(int to_fd, int from_fd);

/// flock(2), whose name Swift gives to struct flock.
int cdoc_flock(int fd, int operation);

/// Whether anybody has a file open for writing that is open here for reading alone: fcntl(2) with F_SETLEASE says so. A lease that
/// is had is given back at once; who opens the file for writing at that moment waits for it, and the signal that would tell
/// us is one that does nothing. 1 for yes, 0 for no, -1 with errno where it cannot be told. Declared only for _GNU_SOURCE.
int cdoc_is_written(int fd);

/// syncfs(2), declared only for _GNU_SOURCE.
int cdoc_syncfs(int fd);

/// The process and user at the other end of a Unix socket: SO_PEERCRED of unix(7), whose struct needs _GNU_SOURCE.
int cdoc_peer_credentials(int fd, pid_t *process, uid_t *user);

/// accept4(2) with SOCK_CLOEXEC and SOCK_NONBLOCK; declared only for _GNU_SOURCE. `address` may be NULL, `byte_count` then, too.
int cdoc_accept(int fd, struct sockaddr *address, socklen_t *byte_count);

/// posix_spawn(3) in a session of its own, with /dev/null as its three streams and no other descriptor; the flags and
/// actions for it are declared only for _GNU_SOURCE. Returns the process, or -1 with errno.
pid_t cdoc_spawn_detached(const char *path, char *const arguments[], char *const environment[]);

/// mallopt(3), from a header that Swift's view leaves out: pieces of memory from this size on are the system's again as soon
/// as they are free, however many of them there were; so is what is free at the end of a heap beyond so many bytes.
void cdoc_return_pieces_from(int byte_count, int free_byte_count);

/// pthread_setname_np(3) for the calling thread, which is declared only for _GNU_SOURCE.
int cdoc_name_thread(const char *name);

/// mallopt(3): threads that come from now on share so many heaps, if there are as many already.
void cdoc_bound_heaps(int count);

/// Whether the calling thread takes its memory from the heap that a program begins with, at the end of its data; else from one
/// that was made for threads.
int cdoc_is_on_first_heap(void);

/// Makes the calling thread's heap so much larger that the pieces of memory which it takes next need no system call. None of it is
/// in memory before it is used.
void cdoc_make_room(long byte_count);

/// Gives all memory that is free back to the system, page by page.
void cdoc_return_free_pages(void);

/// Has the system count as not needed what is mapped of the program's and its libraries' files and never written: code and
/// constants. What is needed again is mapped again when it is touched, from the same files, with nothing lost; what was needed
/// for a start alone is not. dl_iterate_phdr(3), which is declared only for _GNU_SOURCE; madvise(2), MADV_DONTNEED.
void cdoc_return_program_pages(void);

/// Stores a number, and only then loads another, as all processes see it that share the memory.
uint64_t cdoc_store_then_load(uint64_t *stored, uint64_t number, const uint64_t *loaded);

/// getrandom(2) without flags, from a header that Swift's view leaves out.
ssize_t cdoc_getrandom(void *bytes, size_t count);
