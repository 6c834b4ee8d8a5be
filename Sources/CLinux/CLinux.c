#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/fs.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(CDOC_O_NOATIME == O_NOATIME, "CDOC_O_NOATIME is not what the system calls O_NOATIME");

int cdoc_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
    return renameat2(from_fd, from, to_fd, to, flags);
}

int cdoc_is_written(int fd) {
    // SIGIO, which it is else, would end the process.
    if (fcntl(fd, F_SETSIG, SIGURG) == -1) return -1;
    if (fcntl(fd, F_SETLEASE, F_RDLCK) == -1) return errno == EAGAIN ? 1 : -1;
    return fcntl(fd, F_SETLEASE, F_UNLCK) == -1 ? -1 : 0;
}

int cdoc_fallocate(int fd, long byte_count) {
    return fallocate(fd, 0, 0, byte_count);
}

int cdoc_punch_hole(int fd, long offset, long byte_count) {
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, byte_count);
}

ssize_t cdoc_copy_file_range(int from_fd, int to_fd, size_t byte_count) {
    return copy_file_range(from_fd, NULL, to_fd, NULL, byte_count, 0);
}

int cdoc_begin_writing(int fd, long offset, long byte_count) {
    return sync_file_range(fd, offset, byte_count, SYNC_FILE_RANGE_WRITE);
}

int cdoc_reopen_uncached(int fd) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_CLOEXEC | O_DIRECT);
}

int cdoc_link_open(int fd, int folder_fd, const char *name) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, folder_fd, name, AT_SYMLINK_FOLLOW);
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

uint64_t cdoc_store_then_load(uint64_t *stored, uint64_t number, const uint64_t *loaded) {
    __atomic_store_n(stored, number, __ATOMIC_SEQ_CST);
    return __atomic_load_n(loaded, __ATOMIC_SEQ_CST);
}

ssize_t cdoc_getrandom(void *bytes, size_t count) {
    return getrandom(bytes, count, 0);
}

int cdoc_peer_credentials(int fd, pid_t *process, uid_t *user) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    *process = credentials.pid;
    *user = credentials.uid;
    return 0;
}

int cdoc_accept(int fd, struct sockaddr *address, socklen_t *byte_count) {
    return accept4(fd, address, byte_count, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

pid_t cdoc_spawn_detached(const char *path, char *const arguments[], char *const environment[]) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t process = -1;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    errno = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return errno == 0 ? process : -1;
}

void cdoc_return_pieces_from(int byte_count, int free_byte_count) {
    mallopt(M_MMAP_THRESHOLD, byte_count);
    mallopt(M_TRIM_THRESHOLD, free_byte_count);
}

void cdoc_bound_heaps(int count) { mallopt(M_ARENA_MAX, count); }

int cdoc_is_on_first_heap(void) {
    // More than is kept for the thread, which may come from anywhere, and less than what has a mapping of its own.
    void *piece = malloc(3000);
    int is_on_first = (char *)piece < (char *)sbrk(0);
    free(piece);
    return is_on_first;
}

void cdoc_make_room(long byte_count) {
    // Less than what has a mapping of its own.
    enum { piece_byte_count = 64 << 10 };
    void **last = NULL;
    for (long made = 0; made < byte_count; made += piece_byte_count) {
        void **piece = malloc(piece_byte_count);
        if (piece == NULL) break;
        *piece = last;
        last = piece;
    }
    // The heap is as large afterwards: what is free at its end counts as not used, and stays writable.
    while (last != NULL) {
        void **piece = last;
        last = *piece;
        free(piece);
    }
}

void cdoc_return_free_pages(void) { malloc_trim(0); }

// Whether the dynamic linker writes into parts of an object that are not writable otherwise.
static int has_relocated_text(const struct dl_phdr_info *object) {
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        if (header->p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + header->p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_TEXTREL) return 1;
            if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return 1;
        }
    }
    return 0;
}

// Several times as many as linkers make.
enum { HEADER_COUNT_MAX = 64 };

static int return_object_pages(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    // The kernel's own object is in no file.
    if (object->dlpi_addr == getauxval(AT_SYSINFO_EHDR) || has_relocated_text(object)) return 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    // The headers are in what is given back: to read on in them there would bring their part of it into memory again.
    ElfW(Phdr) headers[HEADER_COUNT_MAX];
    if (object->dlpi_phnum > HEADER_COUNT_MAX) return 0;
    memcpy(headers, object->dlpi_phdr, object->dlpi_phnum * sizeof headers[0]);
    int count = object->dlpi_phnum;
    for (int index = 0; index < count; index++) {
        const ElfW(Phdr) *header = &headers[index];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W)) continue;
        uintptr_t start = (object->dlpi_addr + header->p_vaddr) & ~(page - 1);
        // What comes behind may be in the last page too.
        uintptr_t end = (object->dlpi_addr + header->p_vaddr + header->p_memsz) & ~(page - 1);
        // Only advice: what cannot be returned, as it is locked, stays.
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void cdoc_return_program_pages(void) { dl_iterate_phdr(return_object_pages, NULL); }

int cdoc_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }
