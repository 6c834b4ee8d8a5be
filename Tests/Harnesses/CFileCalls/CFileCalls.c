// Stands in for the C library's calls that change files: an executable's own functions come before a library's. Each
// counts, goes on to the kernel by syscall(2), and is written down. What goes to a socket or a pipe is no write to a file.
#define _GNU_SOURCE
#include "CFileCalls.h"
#include <CFileTrace.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool armed;
static atomic_long count, target;

void kill_before_write(long number) {
    atomic_store(&target, number);
    atomic_store(&count, 0);
    atomic_store(&armed, 1);
}

long write_count(void) { return atomic_load(&count); }

// Before a call: counts it, and keeps others' calls from happening between it and its record.
static void begin(void) {
    if (atomic_load(&armed) && atomic_fetch_add(&count, 1) + 1 == atomic_load(&target)) kill(getpid(), SIGKILL);
    trace_lock();
}

static int is_file(int fd) {
    struct stat status;
    return syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode);
}

// MARK: Bytes

ssize_t write(int fd, const void *bytes, size_t byte_count) {
    if (!is_file(fd)) return syscall(SYS_write, fd, bytes, byte_count);
    begin();
    ssize_t written = syscall(SYS_write, fd, bytes, byte_count);
    // Where the file ends for whoever appends, or else where it is read and written next, is known only now.
    if (written > 0) trace_write(fd, bytes, written, syscall(SYS_lseek, fd, 0, SEEK_CUR) - written);
    trace_unlock();
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t byte_count, off_t offset) {
    begin();
    ssize_t written = syscall(SYS_pwrite64, fd, bytes, byte_count, offset);
    if (written > 0) trace_write(fd, bytes, written, offset);
    trace_unlock();
    return written;
}

ssize_t pwrite64(int fd, const void *bytes, size_t byte_count, off64_t offset) {
    return pwrite(fd, bytes, byte_count, offset);
}

static int sync_by(long call, int fd) {
    begin();
    int result = (int)syscall(call, fd);
    if (result == 0) trace_file(change_sync, fd, 0, 0);
    trace_unlock();
    return result;
}

int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }

int ftruncate(int fd, off_t byte_count) {
    begin();
    int result = (int)syscall(SYS_ftruncate, fd, byte_count);
    if (result == 0) trace_file(change_truncate, fd, 0, byte_count);
    trace_unlock();
    return result;
}

int ftruncate64(int fd, off64_t byte_count) { return ftruncate(fd, byte_count); }

int fallocate(int fd, int mode, off_t offset, off_t byte_count) {
    begin();
    int result = (int)syscall(SYS_fallocate, fd, mode, offset, byte_count);
    if (result == 0) trace_file(mode & FALLOC_FL_PUNCH_HOLE ? change_punch : change_allocate, fd, offset, byte_count);
    trace_unlock();
    return result;
}

// MARK: Names

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    if (!(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, folder, path, flags, mode);
    trace_lock();
    struct stat status;
    int was_there = syscall(SYS_newfstatat, folder, path, &status, 0) == 0;
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0 && !was_there) trace_made(change_make_file, folder, path);
    if (fd >= 0 && was_there && flags & O_TRUNC) trace_file(change_truncate, fd, 0, 0);
    trace_unlock();
    return fd;
}

// The mode is there when a file may be made.
#define MODE(last) ({ \
    mode_t mode = 0; \
    if (flags & O_CREAT) { va_list rest; va_start(rest, last); mode = va_arg(rest, mode_t); va_end(rest); } \
    mode; })

int open(const char *path, int flags, ...) { return open_at(AT_FDCWD, path, flags, MODE(flags)); }
int open64(const char *path, int flags, ...) { return open_at(AT_FDCWD, path, flags, MODE(flags)); }
int openat(int folder, const char *path, int flags, ...) { return open_at(folder, path, flags, MODE(flags)); }
int openat64(int folder, const char *path, int flags, ...) { return open_at(folder, path, flags, MODE(flags)); }

int mkdirat(int folder, const char *path, mode_t mode) {
    trace_lock();
    int result = (int)syscall(SYS_mkdirat, folder, path, mode);
    if (result == 0) trace_made(change_make_folder, folder, path);
    trace_unlock();
    return result;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char *path, int flags) {
    begin();
    int result = (int)syscall(SYS_unlinkat, folder, path, flags);
    if (result == 0) trace_unlinked(folder, path);
    trace_unlock();
    return result;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    begin();
    int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    if (result == 0) trace_renamed(from_folder, from, to_folder, to);
    trace_unlock();
    return result;
}
