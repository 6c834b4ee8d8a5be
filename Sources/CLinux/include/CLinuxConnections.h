// Whose the ends of TCP connections within this machine are, which only netlink tells.
#pragma once

#include <stdint.h>

/// One end of a connection: a socket of this machine.
struct cdoc_tcp_end {
    /// Its owner, as this process's user namespace has it.
    uint32_t user;
    /// 0 where no process holds it any longer: then its owner says nothing.
    uint32_t inode;
    /// Of tcp(7), as /proc/net/tcp has it.
    uint8_t state;
};

/// Asks sock_diag(7) for the socket at `address` and `port` whose other end is at `other_address` and `other_port`. Addresses are
/// of IPv4 as inet(7) has them; ports are in this machine's order. -1 with errno where the kernel does not tell: ENOENT where
/// there is none, and where the kernel lacks what would answer.
int cdoc_find_tcp_end(
    uint32_t address, uint16_t port, uint32_t other_address, uint16_t other_port, struct cdoc_tcp_end *end);
