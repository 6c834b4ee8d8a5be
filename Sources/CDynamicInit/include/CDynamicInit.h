// Calls a Swift class's allocating initializer, whose calling convention C can speak and Swift cannot name.
#pragma once

/// Calls `function`, an allocating initializer without arguments, for the class `metatype`.
/// Returns the new object, retained once.
void *_Nonnull cdoc_call_allocating_init(const void *_Nonnull function, const void *_Nonnull metatype);
