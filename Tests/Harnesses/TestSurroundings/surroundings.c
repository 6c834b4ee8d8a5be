#include <stdlib.h>

#include "surroundings.h"

// Before anything of the tests runs. Who sets SHEAF_VAULT has chosen a vault for them. Nor are their apps' small values the user's.
__attribute__((constructor)) static void keep_no_versions(void) {
    setenv("SHEAF_VAULT", "off", 0);
    setenv("SHEAF_KEY_VALUES", "off", 0);
}
