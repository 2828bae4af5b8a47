#pragma once

namespace transformer {

/// Throws Error if this machine cannot connect to its own address 127.0.0.1, as in a container or a network namespace
/// whose loopback interface is down.
void check_loopback();

}  // namespace transformer
