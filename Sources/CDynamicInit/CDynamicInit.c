#include "CDynamicInit.h"

typedef __attribute__((swiftcall)) void *(*allocating_init)(__attribute__((swift_context)) const void *);

void *cdoc_call_allocating_init(const void *function, const void *metatype) {
    return ((allocating_init)function)(metatype);
}
