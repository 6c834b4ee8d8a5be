#pragma once
#include <arpa/inet.h>
#include <microhttpd.h>
#include <sys/socket.h>

/// MHD_start_daemon(3), which is variadic.
static inline struct MHD_Daemon *cdoc_mhd_start(
    unsigned int flags, MHD_AcceptPolicyCallback admit, MHD_AccessHandlerCallback handle,
    void *(*began)(void *, const char *, struct MHD_Connection *),
    MHD_RequestCompletedCallback ended, MHD_NotifyConnectionCallback connected, void *cls,
    struct MHD_OptionItem *items) {
    return MHD_start_daemon(
        flags, 0, admit, cls, handle, cls,
        MHD_OPTION_URI_LOG_CALLBACK, began, cls,
        MHD_OPTION_NOTIFY_COMPLETED, ended, cls,
        MHD_OPTION_NOTIFY_CONNECTION, connected, cls,
        MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

/// MHD_upgrade_action(3), which is variadic: the library may forget an upgraded connection.
static inline enum MHD_Result cdoc_mhd_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    return MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

/// MHD_get_connection_info(3), which is variadic, for the other end's numeric address. Returns 1 when there is one.
static inline int cdoc_mhd_peer(struct MHD_Connection *connection, char *text, unsigned int byte_count) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info || !info->client_addr) return 0;
    const void *address = info->client_addr->sa_family == AF_INET6
        ? (const void *)&((const struct sockaddr_in6 *)info->client_addr)->sin6_addr
        : (const void *)&((const struct sockaddr_in *)info->client_addr)->sin_addr;
    return inet_ntop(info->client_addr->sa_family, address, text, byte_count) != 0;
}
