#pragma once
#include <microhttpd.h>

/// MHD_start_daemon(3), which is variadic. `listen_fd` is taken over only when this succeeds.
static inline struct MHD_Daemon *cdoc_mhd_start(
    unsigned int flags, MHD_AccessHandlerCallback handle,
    void *(*began)(void *, const char *, struct MHD_Connection *),
    MHD_RequestCompletedCallback ended, void *cls, struct MHD_OptionItem *items) {
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handle, cls,
        MHD_OPTION_URI_LOG_CALLBACK, began, cls,
        MHD_OPTION_NOTIFY_COMPLETED, ended, cls,
        MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

/// MHD_upgrade_action(3), which is variadic: the library may forget an upgraded connection.
static inline enum MHD_Result cdoc_mhd_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    return MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
