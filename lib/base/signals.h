#pragma once

namespace transformer {

/// A closed pipe and a file over the size limit become ordinary write errors.
void make_write_signals_errors();

/// From now on SIGTERM and SIGINT ask for an orderly stop, for work that looks at `stop_requested`; a second one ends
/// the program at once. Without this the first one does, which loses nothing where files are written atomically.
void catch_stop_signals();

/// Whether an orderly stop was asked for: finish the step, save, leave.
bool stop_requested();

}  // namespace transformer
