#pragma once

namespace transformer {

/// SIGTERM and SIGINT ask for an orderly stop (a second one ends the program at once). A closed pipe and a file
/// over the size limit become ordinary write errors.
void install_signal_handlers();

/// Whether an orderly stop was asked for: finish the step, save, leave.
bool stop_requested();

}  // namespace transformer
