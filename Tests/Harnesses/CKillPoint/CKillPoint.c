// Stands in for the C library's calls that change files: an executable's own functions come before a library's. Each
// counts, and goes on to the kernel by syscall(2). What goes to a socket or a pipe is no write to a file.
#define _GNU_SOURCE
#include "CKillPoint.h"

#include <fcntl.h>
#include <signal.h>
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

static void step(void) {
    if (atomic_load(&armed) && atomic_fetch_add(&count, 1) + 1 == atomic_load(&target)) kill(getpid(), SIGKILL);
}

static int is_file(int fd) {
    struct stat status;
    return syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t write(int fd, const void *bytes, size_t byte_count) {
    if (is_file(fd)) step();
    return syscall(SYS_write, fd, bytes, byte_count);
}

ssize_t pwrite(int fd, const void *bytes, size_t byte_count, off_t offset) {
    step();
    return syscall(SYS_pwrite64, fd, bytes, byte_count, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t byte_count, off64_t offset) {
    step();
    return syscall(SYS_pwrite64, fd, bytes, byte_count, offset);
}

int fsync(int fd) {
    step();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    step();
    return (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t byte_count) {
    step();
    return (int)syscall(SYS_ftruncate, fd, byte_count);
}

int ftruncate64(int fd, off64_t byte_count) {
    step();
    return (int)syscall(SYS_ftruncate, fd, byte_count);
}

int fallocate(int fd, int mode, off_t offset, off_t byte_count) {
    step();
    return (int)syscall(SYS_fallocate, fd, mode, offset, byte_count);
}

int unlink(const char *path) {
    step();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char *path, int flags) {
    step();
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    step();
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
