#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int close_after(int fd, int result) {
    int error = errno;
    close(fd);
    errno = error;
    return result;
}

static int write_all(int fd, const char *bytes, size_t byte_count) {
    while (byte_count > 0) {
        ssize_t written = write(fd, bytes, byte_count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return -1;
        bytes += written;
        byte_count -= (size_t)written;
    }
    return fsync(fd);
}

int peer_save(const char *folder, const char *name, const void *bytes, size_t byte_count) {
    char new_name[256];
    if (snprintf(new_name, sizeof new_name, ".%s.new", name) >= (int)sizeof new_name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return -1;
    int file = openat(directory, new_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return close_after(directory, -1);
    if (close_after(file, write_all(file, bytes, byte_count)) < 0) return close_after(directory, -1);
    if (renameat(directory, new_name, directory, name) < 0) return close_after(directory, -1);
    return close_after(directory, fsync(directory));
}

long peer_walk(const char *folder) {
    char *roots[] = {(char *)folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (walk == NULL) return -1;
    long count = 0;
    errno = 0;
    for (FTSENT *entry; (entry = fts_read(walk)) != NULL;) {
        if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR) {
            errno = entry->fts_errno;
            count = -1;
            break;
        }
        if (entry->fts_info != FTS_DP) count++;
    }
    int error = errno;
    fts_close(walk);
    errno = error;
    return error == 0 ? count : -1;
}

int peer_lock(const char *file) {
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    if (flock(fd, LOCK_SH) < 0) return close_after(fd, -1);
    return close_after(fd, flock(fd, LOCK_UN));
}

int peer_resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    if (resolved == NULL) return -1;
    struct stat status;
    int result = stat(resolved, &status);
    free(resolved);
    return result;
}

int peer_run(char *const arguments[]) {
    return peer_run_into("/dev/null", arguments);
}

int peer_run_into(const char *output, char *const arguments[]) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    errno = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno != 0) return -1;
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

long long peer_peak_bytes(void) {
    FILE *status = fopen("/proc/self/status", "re");
    if (status == NULL) return -1;
    char line[256];
    long long kilobytes = -1;
    while (kilobytes < 0 && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %lld kB", &kilobytes) != 1) kilobytes = -1;
    }
    fclose(status);
    return kilobytes < 0 ? -1 : kilobytes * 1024;
}

static long long monotonic_nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int peer_watch(const char *file) {
    int inotify = inotify_init1(IN_CLOEXEC);
    if (inotify < 0) return -1;
    if (inotify_add_watch(inotify, file, IN_CLOSE_WRITE) < 0) return close_after(inotify, -1);
    return inotify;
}

long long peer_next_change(int inotify) {
    char events[4096];
    ssize_t byte_count;
    do byte_count = read(inotify, events, sizeof events);
    while (byte_count < 0 && errno == EINTR);
    return byte_count <= 0 ? -1 : monotonic_nanoseconds();
}

int peer_write_time(const char *file) {
    int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) return -1;
    char text[32];
    int byte_count = snprintf(text, sizeof text, "%lld", monotonic_nanoseconds());
    if (write(fd, text, (size_t)byte_count) != byte_count) return close_after(fd, -1);
    return close(fd);
}

int peer_mark_volume(const char *folder) {
    unsigned int flags = FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_FID | FAN_REPORT_DIR_FID
        | FAN_REPORT_NAME | FAN_REPORT_TARGET_FID;
    uint64_t mask = FAN_CREATE | FAN_DELETE | FAN_RENAME | FAN_DELETE_SELF | FAN_MOVE_SELF | FAN_CLOSE_WRITE
        | FAN_ATTRIB | FAN_ONDIR;
    int queue = fanotify_init(flags, O_RDONLY);
    if (queue < 0) return -1;
    if (fanotify_mark(queue, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, mask, AT_FDCWD, folder) < 0) {
        return close_after(queue, -1);
    }
    return queue;
}

long peer_drain(int queue, int end) {
    char events[16384];
    struct pollfd waits[] = {{.fd = queue, .events = POLLIN}, {.fd = end, .events = POLLIN}};
    for (long count = 0;; count++) {
        int ready;
        do ready = poll(waits, 2, -1);
        while (ready < 0 && errno == EINTR);
        if (ready < 0) return -1;
        if (waits[1].revents != 0) return count;
        while (read(queue, events, sizeof events) > 0) {}
    }
}

int peer_make_rename_remove(const char *folder, int count) {
    int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return -1;
    for (int number = 0; number < count; number++) {
        int file = openat(directory, "made", O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0) return close_after(directory, -1);
        close(file);
        if (renameat(directory, "made", directory, "renamed") < 0) return close_after(directory, -1);
        if (unlinkat(directory, "renamed", 0) < 0) return close_after(directory, -1);
    }
    return close(directory);
}

double peer_processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int peer_pin(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    return sched_setaffinity(0, sizeof cores, &cores);
}

void peer_unpin(void) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (int core = 0; core < CPU_SETSIZE; core++) CPU_SET(core, &cores);
    sched_setaffinity(0, sizeof cores, &cores);
}

int peer_start(char *const arguments[], int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    pid_t process;
    int error = posix_spawn(&process, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return process;
    errno = error;
    return -1;
}

int peer_socketpair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

int peer_round_trip(int socket, size_t byte_count) {
    char bytes[4096] = {0};
    if (byte_count > sizeof bytes || write(socket, bytes, byte_count) != (ssize_t)byte_count) return -1;
    for (size_t got = 0; got < byte_count;) {
        ssize_t more = read(socket, bytes, byte_count - got);
        if (more <= 0) return -1;
        got += (size_t)more;
    }
    return 0;
}

void peer_echo(void) {
    char bytes[4096];
    ssize_t count;
    while ((count = read(0, bytes, sizeof bytes)) > 0) {
        if (write(0, bytes, (size_t)count) != count) return;
    }
}

static int pass_on(int from, int to) {
    char bytes[4096];
    ssize_t count = read(from, bytes, sizeof bytes);
    return count > 0 && write(to, bytes, (size_t)count) == count ? 0 : -1;
}

void peer_relay(void) {
    while (pass_on(0, 1) == 0 && pass_on(1, 0) == 0) {}
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    char bytes[4096];
    size_t byte_count;
} handed = {.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};

static void *answer(void *nothing) {
    pthread_mutex_lock(&handed.lock);
    for (;;) {
        while (handed.byte_count == 0) pthread_cond_wait(&handed.arrived, &handed.lock);
        if (write(0, handed.bytes, handed.byte_count) != (ssize_t)handed.byte_count) break;
        handed.byte_count = 0;
    }
    pthread_mutex_unlock(&handed.lock);
    return nothing;
}

int peer_answer_on_other_thread(void) {
    pthread_t thread;
    errno = pthread_create(&thread, NULL, answer, NULL);
    if (errno != 0) return -1;
    char bytes[sizeof handed.bytes];
    ssize_t count;
    while ((count = read(0, bytes, sizeof bytes)) > 0) {
        pthread_mutex_lock(&handed.lock);
        memcpy(handed.bytes, bytes, (size_t)count);
        handed.byte_count = (size_t)count;
        pthread_cond_signal(&handed.arrived);
        pthread_mutex_unlock(&handed.lock);
    }
    return 0;
}

long long peer_allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return (long long)(info.uordblks + info.hblkhd);
}
