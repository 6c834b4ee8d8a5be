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
// Set under the mutex, before anything is written down.
static int trace = -1;
static dev_t volume;

void trace_lock(void) { pthread_mutex_lock(&mutex); }
void trace_unlock(void) { pthread_mutex_unlock(&mutex); }

static int status_at(int folder, const char *path, struct stat *status, int flags) {
    return syscall(SYS_newfstatat, folder, path, status, flags) == 0;
}

void write_down_changes(const char *folder, const char *path) {
    struct stat status;
    trace_lock();
    trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (trace < 0 || !status_at(AT_FDCWD, folder, &status, 0)) abort();
    volume = status.st_dev;
    trace_unlock();
}

void stop_writing_down_changes(void) {
    trace_lock();
    if (trace >= 0) syscall(SYS_close, trace);
    trace = -1;
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

static long nanoseconds(struct timespec time) { return time.tv_sec * 1000000000 + time.tv_nsec; }

static struct change_status like(const struct stat *status) {
    return (struct change_status){
        .mode = status->st_mode, .modified = nanoseconds(status->st_mtim), .changed = nanoseconds(status->st_ctim),
    };
}

static int status_of(int fd, struct stat *status) {
    return trace >= 0 && syscall(SYS_fstat, fd, status) == 0 && status->st_dev == volume;
}

void trace_write(int fd, const void *bytes, size_t byte_count, off_t offset) {
    struct stat status;
    if (!status_of(fd, &status)) return;
    struct change change = {
        .kind = change_write, .file = status.st_ino, .offset = offset, .byte_count = byte_count,
        .file_status = like(&status),
    };
    put(change, NULL, NULL, bytes);
}

void trace_copied(int fd, size_t byte_count, off_t offset) {
    char bytes[1 << 16], path[32];
    struct stat status;
    if (!status_of(fd, &status)) return;
    // It may be open for writing alone.
    strcpy(path, "/proc/self/fd/");
    char digits[12], *digit = digits + sizeof digits;
    *--digit = 0;
    for (int rest = fd; digit == digits + sizeof digits - 1 || rest; rest /= 10) *--digit = (char)('0' + rest % 10);
    strcat(path, digit);
    int readable = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (readable < 0) abort();
    while (byte_count > 0) {
        size_t part = byte_count < sizeof bytes ? byte_count : sizeof bytes;
        long count = syscall(SYS_pread64, readable, bytes, part, offset);
        if (count <= 0) abort();
        trace_write(fd, bytes, count, offset);
        byte_count -= count;
        offset += count;
    }
    syscall(SYS_close, readable);
}

void trace_file(enum change_kind kind, int fd, off_t offset, off_t byte_count) {
    struct stat status;
    if (!status_of(fd, &status)) return;
    struct change change = {
        .kind = kind, .file = status.st_ino, .offset = offset, .byte_count = byte_count, .file_status = like(&status),
    };
    put(change, NULL, NULL, NULL);
}

void trace_status(int folder, const char *path, int flags) {
    struct stat status;
    if (trace < 0 || !status_at(folder, path, &status, flags) || status.st_dev != volume) return;
    put((struct change){ .kind = change_status, .file = status.st_ino, .file_status = like(&status) }, NULL, NULL, NULL);
}

void trace_attribute(int fd, const char *path, int flags, const char *name, const void *bytes, size_t byte_count) {
    struct stat status;
    if (trace < 0) return;
    if (path ? !status_at(AT_FDCWD, path, &status, flags) : syscall(SYS_fstat, fd, &status) != 0) return;
    if (status.st_dev != volume) return;
    struct change change = {
        .kind = bytes ? change_attribute : change_no_attribute, .file = status.st_ino, .byte_count = byte_count,
        .file_status = like(&status),
    };
    put(change, name, NULL, bytes);
}

// The folder that a path's last name is in; 0 where that is on another volume.
static unsigned long folder_of(int folder, const char *path, const char **name, struct change_status *like_it) {
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
    if (!status_at(folder, above, &status, 0) || status.st_dev != volume) return 0;
    *like_it = like(&status);
    return status.st_ino;
}

void trace_made(enum change_kind kind, int folder, const char *path, const char *text) {
    struct stat status;
    const char *name;
    if (trace < 0) return;
    struct change change = { .kind = kind };
    change.folder = folder_of(folder, path, &name, &change.folder_status);
    if (!change.folder) return;
    if (!status_at(folder, path, &status, AT_SYMLINK_NOFOLLOW)) abort();
    change.file = status.st_ino;
    change.file_status = like(&status);
    put(change, name, text, NULL);
}

void trace_unlinked(int folder, const char *path) {
    const char *name;
    if (trace < 0) return;
    struct change change = { .kind = change_unlink };
    change.folder = folder_of(folder, path, &name, &change.folder_status);
    if (change.folder) put(change, name, NULL, NULL);
}

void trace_renamed(enum change_kind kind, int from_folder, const char *from, int to_folder, const char *to) {
    const char *name, *target;
    struct stat status;
    if (trace < 0) return;
    struct change change = { .kind = kind };
    change.folder = folder_of(from_folder, from, &name, &change.folder_status);
    change.target_folder = folder_of(to_folder, to, &target, &change.target_status);
    if (!change.folder || !change.target_folder) return;
    if (!status_at(to_folder, to, &status, AT_SYMLINK_NOFOLLOW)) abort();
    change.file = status.st_ino;
    change.file_status = like(&status);
    if (kind == change_exchange) {
        if (!status_at(from_folder, from, &status, AT_SYMLINK_NOFOLLOW)) abort();
        change.other = status.st_ino;
        change.other_status = like(&status);
    }
    put(change, name, target, NULL);
}

void trace_volume(int fd) { trace_file(change_sync_all, fd, 0, 0); }

void write_down_note(const char *text) {
    trace_lock();
    if (trace >= 0) put((struct change){ .kind = change_note }, text, NULL, NULL);
    trace_unlock();
}
