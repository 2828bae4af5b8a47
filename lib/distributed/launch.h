#pragma once

namespace transformer {

/// Runs `count` copies of the running program, with the same arguments, as ranks of one world on this machine, and
/// waits for them. Passes SIGTERM and SIGINT on. A rank that fails ends the others. Throws AlreadySaid where the failed
/// rank said why itself, Error where it could not.
void launch_ranks(int count);

}  // namespace transformer
