// The calls that tell one file from any other, one each and no logic.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/statfs.h>

/// The most bytes that a handle of name_to_handle_at(2) can have: MAX_HANDLE_SZ.
enum { CDOC_HANDLE_BYTES_MAX = 128 };

/// O_PATH of open(2); a macro of _GNU_SOURCE only. The .c file checks the value.
enum { CDOC_O_PATH = 010000000 };

/// RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS of openat2(2), macros that Swift's view leaves out.
enum { CDOC_RESOLVE_BENEATH = 0x08, CDOC_RESOLVE_NO_MAGICLINKS = 0x02 };

/// What of statx(2)'s answer stat(2) does not tell.
struct cdoc_birth_time {
    int64_t seconds;
    uint32_t nanoseconds;
    /// 0 where the volume keeps no birth times.
    int is_known;
};

/// statx(2) for the birth time of an open file; declared only for _GNU_SOURCE.
int cdoc_birth(int fd, struct cdoc_birth_time *birth);

/// What statx(2) tells of a file, in nanoseconds since 1970 where it is a time.
struct cdoc_status {
    uint64_t inode;
    int64_t byte_count;
    /// Of the volume.
    int64_t allocated_byte_count;
    int64_t modified_at;
    /// When its contents or what is known of it changed last, by the kernel's clock.
    int64_t changed_at;
    /// 0 where the volume keeps no birth times.
    int64_t born_at;
    /// Of the volume, as stat(2) has it.
    uint64_t device;
    uint32_t mode;
    /// Whether something is mounted there: 1 or 0, and -1 where the kernel does not tell (before Linux 5.8).
    int is_mount_root;
};

/// statx(2) of a member of a folder, or of a path; a symbolic link is not followed. Declared only for _GNU_SOURCE.
int cdoc_status_at(int folder_fd, const char *name, struct cdoc_status *status);

/// name_to_handle_at(2) for an open file; declared only for _GNU_SOURCE.
int cdoc_name_to_handle(int fd, int32_t *type, uint8_t *bytes, uint32_t *byte_count);

/// open_by_handle_at(2) with O_PATH; declared only for _GNU_SOURCE.
int cdoc_open_by_handle(int volume_fd, int32_t type, const uint8_t *bytes, uint32_t byte_count);

/// FAT_IOCTL_GET_VOLUME_ID of a file or folder on a volume of kind FAT: the number that it got when it was made; ioctl is variadic.
int cdoc_fat_volume_id(int fd, uint32_t *id);

/// openat2(2), for which there is no wrapper.
int cdoc_openat2(int folder_fd, const char *path, uint64_t flags, uint64_t resolve);
