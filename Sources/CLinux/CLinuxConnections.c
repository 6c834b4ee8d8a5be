#include "CLinuxConnections.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct question {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
};

union answer {
    struct nlmsghdr head;
    uint8_t room[1024];
};

// A socket of IPv6 that talks to one of IPv4 names both ends with ::ffff:0:0/96 before their addresses.
static int is_address(const uint32_t words[4], uint8_t family, uint32_t address) {
    if (family == AF_INET) return words[0] == address;
    return words[0] == 0 && words[1] == 0 && words[2] == htonl(0xffff) && words[3] == address;
}

static int read_answer(const union answer *answer, size_t byte_count, const struct question *question, struct cdoc_tcp_end *end) {
    if (byte_count < sizeof(answer->head)) return EBADMSG;
    const void *body = NLMSG_DATA(&answer->head);
    if (answer->head.nlmsg_type == NLMSG_ERROR) {
        if (byte_count < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return EBADMSG;
        int error = -((const struct nlmsgerr *)body)->error;
        return error ? error : EBADMSG;
    }
    if (answer->head.nlmsg_type != SOCK_DIAG_BY_FAMILY || byte_count < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
        return EBADMSG;
    const struct inet_diag_msg *found = body;
    const struct inet_diag_sockid *wanted = &question->body.id;
    // Where there is no such connection the kernel takes whoever listens at that port.
    if (found->id.idiag_sport != wanted->idiag_sport || found->id.idiag_dport != wanted->idiag_dport ||
        !is_address(found->id.idiag_src, found->idiag_family, wanted->idiag_src[0]) ||
        !is_address(found->id.idiag_dst, found->idiag_family, wanted->idiag_dst[0]))
        return ENOENT;
    *end = (struct cdoc_tcp_end){
        .user = found->idiag_uid, .inode = found->idiag_inode, .state = found->idiag_state,
    };
    return 0;
}

int cdoc_find_tcp_end(
    uint32_t address, uint16_t port, uint32_t other_address, uint16_t other_port, struct cdoc_tcp_end *end) {
    struct question question = {
        .head = {
            .nlmsg_len = sizeof(question),
            .nlmsg_type = SOCK_DIAG_BY_FAMILY,
            .nlmsg_flags = NLM_F_REQUEST,
        },
        .body = {
            .sdiag_family = AF_INET,
            .sdiag_protocol = IPPROTO_TCP,
            .idiag_states = ~0u,
            .id = {
                .idiag_sport = htons(port),
                .idiag_dport = htons(other_port),
                .idiag_src = {address},
                .idiag_dst = {other_address},
                .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE},
            },
        },
    };
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd == -1) return -1;
    union answer answer;
    // The answer is there when the question has been sent: the kernel gives it in the same call.
    ssize_t byte_count = send(fd, &question, sizeof(question), 0);
    if (byte_count != -1) byte_count = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
    int error = byte_count == -1 ? errno : read_answer(&answer, (size_t)byte_count, &question, end);
    close(fd);
    if (error) errno = error;
    return error ? -1 : 0;
}
