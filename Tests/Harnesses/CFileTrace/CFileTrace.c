#define _GNU_SOURCE
#include "CFileTrace.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// Set once, under the mutex, before anything is written down.
static int trace = -1;
static dev_t volume;

void trace_lock(void) { pthread_mutex_lock(&mutex); }
void trace_unlock(void) { pthread_mutex_unlock(&mutex); }

void write_down_changes(const char *folder, const char *path) {
    struct stat status;
    trace_lock();
    trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (trace < 0 || syscall(SYS_newfstatat, AT_FDCWD, folder, &status, 0) != 0) abort();
    volume = status.st_dev;
    trace_unlock();
}

// Called with the mutex held, after the call whose errno is the caller's.
static void put(struct change change, const char *first, const char *second, const void *bytes) {
    int code = errno;
    size_t first_count = first ? strlen(first) + 1 : 0, second_count = second ? strlen(second) + 1 : 0;
    size_t byte_count = bytes ? change.byte_count : 0;
    change.name_byte_count = (unsigned)(first_count + second_count);
    struct iovec parts[4] = {
        { &change, sizeof change }, { (void *)first, first_count }, { (void *)second, second_count },
        { (void *)bytes, byte_count },
    };
    size_t all = sizeof change + first_count + second_count + byte_count;
    // A record that is cut off would be taken for another.
    if (syscall(SYS_writev, trace, parts, 4) != (long)all) abort();
    errno = code;
}

static int status_of(int fd, struct stat *status) {
    return trace >= 0 && syscall(SYS_fstat, fd, status) == 0 && status->st_dev == volume;
}

void trace_write(int fd, const void *bytes, size_t byte_count, off_t offset) {
    struct stat status;
    if (!status_of(fd, &status)) return;
    struct change change = { .kind = change_write, .file = status.st_ino, .offset = offset, .byte_count = byte_count };
    put(change, NULL, NULL, bytes);
}

void trace_file(enum change_kind kind, int fd, off_t offset, off_t byte_count) {
    struct stat status;
    if (!status_of(fd, &status)) return;
    put((struct change){ .kind = kind, .file = status.st_ino, .offset = offset, .byte_count = byte_count }, NULL, NULL, NULL);
}

// The folder that a path's last name is in; 0 where that is on another volume.
static unsigned long folder_of(int folder, const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    char above[4096] = ".";
    if (slash == path) strcpy(above, "/");
    else if (slash) {
        if ((size_t)(slash - path) >= sizeof above) abort();
        memcpy(above, path, slash - path);
        above[slash - path] = 0;
    }
    struct stat status;
    if (syscall(SYS_newfstatat, folder, above, &status, 0) != 0 || status.st_dev != volume) return 0;
    return status.st_ino;
}

void trace_made(enum change_kind kind, int folder, const char *path) {
    struct stat status;
    const char *name;
    if (trace < 0) return;
    struct change change = { .kind = kind, .folder = folder_of(folder, path, &name) };
    if (!change.folder) return;
    if (syscall(SYS_newfstatat, folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0) abort();
    change.file = status.st_ino;
    put(change, name, NULL, NULL);
}

void trace_unlinked(int folder, const char *path) {
    const char *name;
    if (trace < 0) return;
    struct change change = { .kind = change_unlink, .folder = folder_of(folder, path, &name) };
    if (change.folder) put(change, name, NULL, NULL);
}

void trace_renamed(int from_folder, const char *from, int to_folder, const char *to) {
    const char *name, *target;
    if (trace < 0) return;
    struct change change = { .kind = change_rename, .folder = folder_of(from_folder, from, &name) };
    change.target_folder = folder_of(to_folder, to, &target);
    if (change.folder && change.target_folder) put(change, name, target, NULL);
}

void write_down_note(const char *text) {
    trace_lock();
    if (trace >= 0) put((struct change){ .kind = change_note }, text, NULL, NULL);
    trace_unlock();
}
