#pragma once

#include <string>
#include <string_view>

namespace transformer {

// Writing to stderr, which may be a terminal whose last line shows a status. All functions may be called by several
// threads at once.

/// Writes `text`, which is empty or ends with a newline, to stderr. A status is erased first and shown again below the
/// text.
void write_to_stderr(std::string_view text);

/// Whether a thread is writing to stderr or waiting to. This stays true while the terminal is suspended with Ctrl-S, so
/// a watchdog must not take such a process for hung.
bool is_writing_to_stderr();

/// Shows `text`, one line, as the last line of the terminal in place of the status shown before, cut to the terminal's
/// width. An empty text removes the status. Does nothing if `can_show_status` is false.
void show_status(const std::string& text);

/// Whether a status can be shown: stderr is a terminal, TERM is neither unset nor "dumb", and neither close_status()
/// nor leave_status_to_another_process() was called.
bool can_show_status();

/// Removes the status and shows none from now on, because the program is about to end.
void close_status();

/// Declares that another process may show its status on the same terminal. From now on this process shows none and
/// erases the last line of the terminal before it writes.
void leave_status_to_another_process();

/// The characters that erase the last line of the terminal.
inline constexpr std::string_view kEraseLine = "\r\033[K";

}  // namespace transformer
