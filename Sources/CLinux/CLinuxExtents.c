#define _GNU_SOURCE
#include "CLinuxExtents.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

_Static_assert(CDOC_SEEK_DATA == SEEK_DATA, "CDOC_SEEK_DATA is not what the system calls so");
_Static_assert(CDOC_EXTENT_LAST == FIEMAP_EXTENT_LAST, "CDOC_EXTENT_LAST is not what the system calls so");
_Static_assert(CDOC_EXTENT_UNWRITTEN == FIEMAP_EXTENT_UNWRITTEN, "CDOC_EXTENT_UNWRITTEN is not what the system calls so");
_Static_assert(CDOC_EXTENT_SHARED == FIEMAP_EXTENT_SHARED, "CDOC_EXTENT_SHARED is not what the system calls so");
_Static_assert(
    CDOC_EXTENT_ELSEWHERE ==
        (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED |
         FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL),
    "CDOC_EXTENT_ELSEWHERE is not all that it should be");
_Static_assert(CDOC_FLAG_NO_DUMP == FS_NODUMP_FL, "CDOC_FLAG_NO_DUMP is not what the system calls FS_NODUMP_FL");

// The pieces follow the head.
union request {
    struct fiemap head;
    uint8_t room[sizeof(struct fiemap) + CDOC_EXTENTS_MAX * sizeof(struct fiemap_extent)];
};

int cdoc_extents(int fd, uint64_t offset, uint64_t byte_count, int syncs, struct cdoc_extent *extents) {
    union request request = {
        .head = {
            .fm_start = offset,
            .fm_length = byte_count,
            .fm_flags = syncs ? FIEMAP_FLAG_SYNC : 0,
            .fm_extent_count = CDOC_EXTENTS_MAX,
        },
    };
    if (ioctl(fd, FS_IOC_FIEMAP, &request) == -1) return -1;
    int count = (int)request.head.fm_mapped_extents;
    for (int index = 0; index < count; index++) {
        const struct fiemap_extent *extent = &request.head.fm_extents[index];
        extents[index] = (struct cdoc_extent){
            .offset = extent->fe_logical,
            .place = extent->fe_physical,
            .byte_count = extent->fe_length,
            .flags = extent->fe_flags,
        };
    }
    return count;
}

// Both are declared to take a long, and take an int.

int cdoc_flags(int fd, uint32_t *flags) {
    return ioctl(fd, FS_IOC_GETFLAGS, flags);
}

int cdoc_set_flags(int fd, uint32_t flags) {
    return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}
