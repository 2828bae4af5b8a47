#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.h"

namespace transformer {

/// Shows on the last line of the terminal what the program is doing, redrawn by a thread twice a second, until the end
/// of its life. Log messages appear above it. Shows nothing if stderr is not a terminal (`can_show_status`) or if
/// messages of level info are not shown. There is at most one at a time.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether anything is shown. If not, the other functions have no effect.
  bool is_visible() const { return thread_.joinable(); }
  /// Shows at once "learning the vocabulary  12 s": the activity and the time since this call.
  void begin(const std::string& activity);
  /// Shows this text at the next redraw.
  void update(const std::string& text);
  /// Erases the line, so that other output can be written, until the next begin() or update().
  void hide();

 private:
  void redraw_until(const std::stop_token& stop);
  void redraw();
  std::string current_text();

  std::mutex drawing_mutex_;  // locked while the thread draws, which takes long if the terminal is suspended
  std::mutex mutex_;          // protects text_, begin_ and shows_time_
  std::string text_;
  Clock::time_point begin_;
  bool shows_time_ = false;
  std::condition_variable_any wakeup_;
  std::jthread thread_;
};

/// "encoding the training corpus  20,000 of 80,000 pairs (25 %)  5,000 pairs/s  12 s left": how far the work is after
/// `seconds`; `activity` may be empty.
std::string progress_text(const std::string& activity, const std::string& unit, int64_t done, int64_t total,
                          double seconds);

}  // namespace transformer
