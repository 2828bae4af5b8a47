#pragma once

namespace transformer {

/// Ignores SIGPIPE and SIGXFSZ, so that a closed pipe and a file above the size limit are ordinary write errors.
void make_write_signals_errors();

/// Makes the first SIGTERM or SIGINT request a clean stop, which the work in progress sees in `stop_requested`; a
/// second one of the same kind ends the program immediately, SIGTERM only after two seconds. With `acknowledge`, the
/// first one is acknowledged on stderr at once. SIGHUP, which a terminal sends when it is closed, requests a stop as
/// well; a second SIGHUP changes nothing. SIGINT and SIGHUP stay ignored if the process was started so, by a script in
/// the background or by nohup. Commands that do not call this end at the first signal, which loses nothing, since files
/// are written atomically.
void catch_stop_signals(bool acknowledge);

/// Whether this process ignores the signal.
bool is_ignored(int signal);

/// What the acknowledgement says about the work in progress, "stopping after this step". The text must be a literal,
/// because a signal handler reads it.
void set_stop_message(const char* message);

/// Makes SIGUSR1 request a checkpoint, which the work in progress sees in `save_requested`.
void catch_save_signal();
/// Whether a checkpoint was requested since the start or since `clear_save_request`.
bool save_requested();
void clear_save_request();

/// Whether a clean stop was requested: finish the step, save, exit.
bool stop_requested();

}  // namespace transformer
