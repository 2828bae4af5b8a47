#pragma once

namespace transformer {

/// From now on gives large blocks back to the system as soon as they are freed, until keep_freed_memory. The C library
/// itself soon puts them among the small ones, which keep their room from what is too large for it.
void give_back_large_blocks();

/// From now on keeps freed memory in the program instead of giving it back to the system. The steps of a training or a
/// search free and take the same large blocks again and again, and fresh memory is several times slower to fill than
/// memory already mapped.
void keep_freed_memory();

/// Gives all freed memory back to the system.
void give_back_freed_memory();

}  // namespace transformer
