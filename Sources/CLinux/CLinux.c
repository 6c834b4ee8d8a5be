#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

int cdoc_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
    return renameat2(from_fd, from, to_fd, to, flags);
}

ssize_t cdoc_copy_file_range(int from_fd, int to_fd, size_t byte_count) {
    return copy_file_range(from_fd, NULL, to_fd, NULL, byte_count, 0);
}

int cdoc_ficlone(int to_fd, int from_fd) {
    return ioctl(to_fd, FICLONE, from_fd);
}

int cdoc_flock(int fd, int operation) {
    return flock(fd, operation);
}

int cdoc_syncfs(int fd) {
    return syncfs(fd);
}

ssize_t cdoc_getrandom(void *bytes, size_t count) {
    return getrandom(bytes, count, 0);
}
