// What Swift's view of the C library leaves out, one call each and no logic.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/types.h>
#include <sys/xattr.h>

enum { CDOC_RENAME_NOREPLACE = 1, CDOC_RENAME_EXCHANGE = 2 };

/// renameat2(2), which the C library declares only for _GNU_SOURCE.
int cdoc_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);

/// getrandom(2) without flags, from a header that Swift's view leaves out.
ssize_t cdoc_getrandom(void *bytes, size_t count);
