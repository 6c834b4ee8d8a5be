#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

int cdoc_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
    return renameat2(from_fd, from, to_fd, to, flags);
}

ssize_t cdoc_getrandom(void *bytes, size_t count) {
    return getrandom(bytes, count, 0);
}
