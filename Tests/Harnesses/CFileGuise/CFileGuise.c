// Stands in for the C library's calls that tell of files: an executable's own functions come before a library's.
#define _GNU_SOURCE
#include "CFileGuise.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct guise {
    dev_t device;
    unsigned long real_file, file;
    long real_changed, changed, born;
    struct guise *next;
};

enum { ROW_COUNT = 1024 };
static struct guise *rows[ROW_COUNT];
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static long nanoseconds(long seconds, long rest) { return seconds * 1000000000 + rest; }

void show_as(const char *path, unsigned long file, long changed, long born) {
    struct stat status;
    if (syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) != 0) abort();
    struct guise *guise = malloc(sizeof *guise);
    if (!guise) abort();
    pthread_rwlock_wrlock(&lock);
    struct guise **row = &rows[status.st_ino % ROW_COUNT];
    *guise = (struct guise){
        .device = status.st_dev, .real_file = status.st_ino, .file = file,
        .real_changed = nanoseconds(status.st_ctim.tv_sec, status.st_ctim.tv_nsec), .changed = changed, .born = born,
        .next = *row,
    };
    *row = guise;
    pthread_rwlock_unlock(&lock);
}

void show_as_they_are(void) {
    pthread_rwlock_wrlock(&lock);
    for (int row = 0; row < ROW_COUNT; row++) {
        while (rows[row]) {
            struct guise *guise = rows[row];
            rows[row] = guise->next;
            free(guise);
        }
    }
    pthread_rwlock_unlock(&lock);
}

// A copy, as the row may go.
static struct guise guise_of(dev_t device, unsigned long file) {
    struct guise found = { .file = 0 };
    pthread_rwlock_rdlock(&lock);
    for (struct guise *guise = rows[file % ROW_COUNT]; guise && !found.file; guise = guise->next) {
        if (guise->real_file == file && guise->device == device) found = *guise;
    }
    pthread_rwlock_unlock(&lock);
    return found;
}

static int shown(int result, struct stat *status) {
    if (result != 0) return result;
    struct guise guise = guise_of(status->st_dev, status->st_ino);
    if (!guise.file) return 0;
    status->st_ino = guise.file;
    if (nanoseconds(status->st_ctim.tv_sec, status->st_ctim.tv_nsec) == guise.real_changed) {
        status->st_ctim.tv_sec = guise.changed / 1000000000;
        status->st_ctim.tv_nsec = guise.changed % 1000000000;
    }
    return 0;
}

int fstatat(int folder, const char *path, struct stat *status, int flags) {
    return shown((int)syscall(SYS_newfstatat, folder, path, status, flags), status);
}
int fstat(int fd, struct stat *status) { return shown((int)syscall(SYS_fstat, fd, status), status); }
int stat(const char *path, struct stat *status) { return fstatat(AT_FDCWD, path, status, 0); }
int lstat(const char *path, struct stat *status) { return fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW); }

// The same on machines of 64 bits.
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "");
int fstatat64(int folder, const char *path, struct stat64 *status, int flags) {
    return fstatat(folder, path, (struct stat *)status, flags);
}
int fstat64(int fd, struct stat64 *status) { return fstat(fd, (struct stat *)status); }
int stat64(const char *path, struct stat64 *status) { return stat(path, (struct stat *)status); }
int lstat64(const char *path, struct stat64 *status) { return lstat(path, (struct stat *)status); }

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *status) {
    int result = (int)syscall(SYS_statx, folder, path, flags, mask, status);
    if (result != 0) return result;
    struct guise guise = guise_of(makedev(status->stx_dev_major, status->stx_dev_minor), status->stx_ino);
    if (!guise.file) return 0;
    status->stx_ino = guise.file;
    if (nanoseconds(status->stx_ctime.tv_sec, status->stx_ctime.tv_nsec) == guise.real_changed) {
        status->stx_ctime.tv_sec = guise.changed / 1000000000;
        status->stx_ctime.tv_nsec = (unsigned)(guise.changed % 1000000000);
    }
    if (guise.born) {
        status->stx_btime.tv_sec = guise.born / 1000000000;
        status->stx_btime.tv_nsec = (unsigned)(guise.born % 1000000000);
    }
    return 0;
}

static struct dirent *next_of(DIR *folder, const char *call) {
    struct dirent *(*next)(DIR *) = (struct dirent *(*)(DIR *))dlsym(RTLD_NEXT, call);
    struct dirent *entry = next(folder);
    struct stat status;
    if (!entry || syscall(SYS_fstat, dirfd(folder), &status) != 0) return entry;
    struct guise guise = guise_of(status.st_dev, entry->d_ino);
    if (guise.file) entry->d_ino = guise.file;
    return entry;
}

struct dirent *readdir(DIR *folder) { return next_of(folder, "readdir"); }
struct dirent64 *readdir64(DIR *folder) { return (struct dirent64 *)next_of(folder, "readdir64"); }
