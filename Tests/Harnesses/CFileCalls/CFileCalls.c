// Stands in for the C library's calls that change files: an executable's own functions come before a library's. Each
// counts, goes on to the kernel by syscall(2), and is written down. What goes to a socket or a pipe is no write to a file.
#define _GNU_SOURCE
#include "CFileCalls.h"
#include <CFileTrace.h>

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
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

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t byte_count, unsigned flags) {
    begin();
    off_t start = to_offset ? *to_offset : (off_t)syscall(SYS_lseek, to, 0, SEEK_CUR);
    ssize_t copied = syscall(SYS_copy_file_range, from, from_offset, to, to_offset, byte_count, flags);
    if (copied > 0) trace_copied(to, copied, start);
    trace_unlock();
    return copied;
}

int syncfs(int fd) {
    begin();
    int result = (int)syscall(SYS_syncfs, fd);
    if (result == 0) trace_volume(fd);
    trace_unlock();
    return result;
}

// MARK: What files bear

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

int fchmod(int fd, mode_t mode) {
    trace_lock();
    int result = (int)syscall(SYS_fchmod, fd, mode);
    if (result == 0) trace_file(change_status, fd, 0, 0);
    trace_unlock();
    return result;
}

int fchmodat(int folder, const char *path, mode_t mode, int flags) {
    trace_lock();
    int result = (int)(flags ? syscall(SYS_fchmodat2, folder, path, mode, flags) : syscall(SYS_fchmodat, folder, path, mode));
    if (result == 0) trace_status(folder, path, flags);
    trace_unlock();
    return result;
}

int chmod(const char *path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }

int futimens(int fd, const struct timespec times[2]) {
    trace_lock();
    int result = (int)syscall(SYS_utimensat, fd, NULL, times, 0);
    if (result == 0) trace_file(change_status, fd, 0, 0);
    trace_unlock();
    return result;
}

int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
    trace_lock();
    int result = (int)syscall(SYS_utimensat, folder, path, times, flags);
    if (result == 0) trace_status(folder, path, flags);
    trace_unlock();
    return result;
}

// One with an empty value is written down as one that goes: none is made here.
static int attribute(long call, int fd, const char *path, const char *name, const void *bytes, size_t count, int flags) {
    trace_lock();
    int result = (int)(path ? syscall(call, path, name, bytes, count, flags) : syscall(call, fd, name, bytes, count, flags));
    int link_flags = call == SYS_lsetxattr ? AT_SYMLINK_NOFOLLOW : 0;
    if (result == 0) trace_attribute(fd, path, link_flags, name, bytes, count);
    trace_unlock();
    return result;
}

int setxattr(const char *path, const char *name, const void *bytes, size_t count, int flags) {
    return attribute(SYS_setxattr, -1, path, name, bytes, count, flags);
}
int lsetxattr(const char *path, const char *name, const void *bytes, size_t count, int flags) {
    return attribute(SYS_lsetxattr, -1, path, name, bytes, count, flags);
}
int fsetxattr(int fd, const char *name, const void *bytes, size_t count, int flags) {
    return attribute(SYS_fsetxattr, fd, NULL, name, bytes, count, flags);
}

static int no_attribute(long call, int fd, const char *path, const char *name) {
    trace_lock();
    int result = (int)(path ? syscall(call, path, name) : syscall(call, fd, name));
    int link_flags = call == SYS_lremovexattr ? AT_SYMLINK_NOFOLLOW : 0;
    if (result == 0) trace_attribute(fd, path, link_flags, name, NULL, 0);
    trace_unlock();
    return result;
}

int removexattr(const char *path, const char *name) { return no_attribute(SYS_removexattr, -1, path, name); }
int lremovexattr(const char *path, const char *name) { return no_attribute(SYS_lremovexattr, -1, path, name); }
int fremovexattr(int fd, const char *name) { return no_attribute(SYS_fremovexattr, fd, NULL, name); }

// MARK: Names

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    if (!(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, folder, path, flags, mode);
    trace_lock();
    struct stat status;
    int was_there = syscall(SYS_newfstatat, folder, path, &status, 0) == 0;
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0 && !was_there) trace_made(change_make_file, folder, path, NULL);
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
    if (result == 0) trace_made(change_make_folder, folder, path, NULL);
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

int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char *path) {
    struct stat status;
    int is_folder = syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    return unlinkat(AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}

int symlinkat(const char *text, int folder, const char *path) {
    trace_lock();
    int result = (int)syscall(SYS_symlinkat, text, folder, path);
    if (result == 0) trace_made(change_make_link, folder, path, text);
    trace_unlock();
    return result;
}

int symlink(const char *text, const char *path) { return symlinkat(text, AT_FDCWD, path); }

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    trace_lock();
    int result = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
    if (result == 0) trace_made(change_link, to_folder, to, NULL);
    trace_unlock();
    return result;
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    begin();
    struct stat source, target;
    // Renaming one link of a file onto another does nothing, rename(2).
    int is_nothing = syscall(SYS_newfstatat, from_folder, from, &source, AT_SYMLINK_NOFOLLOW) == 0
        && syscall(SYS_newfstatat, to_folder, to, &target, AT_SYMLINK_NOFOLLOW) == 0
        && source.st_dev == target.st_dev && source.st_ino == target.st_ino;
    int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    enum change_kind kind = flags & RENAME_EXCHANGE ? change_exchange : change_rename;
    if (result == 0 && !is_nothing) trace_renamed(kind, from_folder, from, to_folder, to);
    trace_unlock();
    return result;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, 0);
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
