#define _GNU_SOURCE
#include "CLinuxIdentity.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/msdos_fs.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

_Static_assert(CDOC_O_PATH == O_PATH, "CDOC_O_PATH is not what the system calls O_PATH");

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

struct handle {
    struct file_handle head;
    uint8_t bytes[CDOC_HANDLE_BYTES_MAX];
};

int cdoc_birth(int fd, struct cdoc_birth_time *birth) {
    struct statx status;
    int outcome = statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status);
    if (outcome == 0) {
        birth->is_known = (status.stx_mask & STATX_BTIME) != 0;
        birth->seconds = status.stx_btime.tv_sec;
        birth->nanoseconds = status.stx_btime.tv_nsec;
    }
    return outcome;
}

static int64_t nanoseconds(struct statx_timestamp time) { return time.tv_sec * 1000000000 + time.tv_nsec; }

int cdoc_status_at(int folder_fd, const char *name, struct cdoc_status *found) {
    struct statx status;
    int outcome = statx(folder_fd, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &status);
    if (outcome == 0) {
        found->inode = status.stx_ino;
        found->byte_count = (int64_t)status.stx_size;
        found->allocated_byte_count = (int64_t)status.stx_blocks * 512;
        found->modified_at = nanoseconds(status.stx_mtime);
        found->changed_at = nanoseconds(status.stx_ctime);
        found->born_at = (status.stx_mask & STATX_BTIME) != 0 ? nanoseconds(status.stx_btime) : 0;
        found->device = makedev(status.stx_dev_major, status.stx_dev_minor);
        found->mode = status.stx_mode;
        found->is_mount_root = (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) == 0
                                   ? -1
                                   : (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    }
    return outcome;
}

int cdoc_name_to_handle(int fd, int32_t *type, uint8_t *bytes, uint32_t *byte_count) {
    struct handle handle = {.head = {.handle_bytes = CDOC_HANDLE_BYTES_MAX}};
    int mount;
    int outcome = name_to_handle_at(fd, "", &handle.head, &mount, AT_EMPTY_PATH);
    if (outcome == 0) {
        *type = handle.head.handle_type;
        *byte_count = handle.head.handle_bytes;
        memcpy(bytes, handle.head.f_handle, handle.head.handle_bytes);
    }
    return outcome;
}

int cdoc_open_by_handle(int volume_fd, int32_t type, const uint8_t *bytes, uint32_t byte_count) {
    struct handle handle = {.head = {.handle_bytes = byte_count, .handle_type = type}};
    if (byte_count > CDOC_HANDLE_BYTES_MAX) {
        errno = EINVAL;
        return -1;
    }
    memcpy(handle.head.f_handle, bytes, byte_count);
    return open_by_handle_at(volume_fd, &handle.head, O_PATH | O_CLOEXEC);
}

int cdoc_openat2(int folder_fd, const char *path, uint64_t flags, uint64_t resolve) {
    struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve};
    return (int)syscall(SYS_openat2, folder_fd, path, &how, sizeof how);
}

int cdoc_fat_volume_id(int fd, uint32_t *id) { return ioctl(fd, FAT_IOCTL_GET_VOLUME_ID, id); }
