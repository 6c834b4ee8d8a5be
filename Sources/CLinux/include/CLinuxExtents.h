// The calls that tell where a file's bytes are on its volume, and which flags the volume keeps for an item, one each and
// no logic.
#pragma once

#include <stdint.h>

/// Flags of a piece of a file, macros of ioctl_fiemap that Swift's view leaves out: FIEMAP_EXTENT_LAST, _UNWRITTEN and
/// _SHARED, and all those together that say that its bytes are not, or not as they are, where it says: _UNKNOWN,
/// _DELALLOC, _ENCODED, _DATA_ENCRYPTED, _NOT_ALIGNED, _DATA_INLINE and _DATA_TAIL. The .c file checks the values.
enum {
    CDOC_EXTENT_LAST = 0x1,
    CDOC_EXTENT_ELSEWHERE = 0x78e,
    CDOC_EXTENT_UNWRITTEN = 0x800,
    CDOC_EXTENT_SHARED = 0x2000,
};

/// FS_NODUMP_FL of ioctl_iflags(2). The .c file checks the value.
enum { CDOC_FLAG_NO_DUMP = 0x40 };

/// SEEK_DATA of lseek(2), a macro for those who ask for all of GNU. The .c file checks the value.
enum { CDOC_SEEK_DATA = 3 };

/// The most pieces of a file that one call tells.
enum { CDOC_EXTENTS_MAX = 128 };

/// A piece of a file that is in one piece on the volume, in bytes.
struct cdoc_extent {
    /// In the file.
    uint64_t offset;
    /// On the volume.
    uint64_t place;
    uint64_t byte_count;
    uint32_t flags;
};

/// FS_IOC_FIEMAP of a part of a file, for CDOC_EXTENTS_MAX pieces; with FIEMAP_FLAG_SYNC or without. Returns how many there
/// are; ioctl is variadic.
int cdoc_extents(int fd, uint64_t offset, uint64_t byte_count, int syncs, struct cdoc_extent *extents);

/// FS_IOC_GETFLAGS of ioctl_iflags(2); ioctl is variadic.
int cdoc_flags(int fd, uint32_t *flags);

/// FS_IOC_SETFLAGS of ioctl_iflags(2); ioctl is variadic.
int cdoc_set_flags(int fd, uint32_t flags);
