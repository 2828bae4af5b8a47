#include "base/status_line.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/format.h"
#include "base/log.h"
#include "base/terminal.h"

namespace transformer {

StatusLine::StatusLine() {
  if (can_show_status() && log_shows(LogLevel::info)) {
    thread_ = std::jthread([this](const std::stop_token& stop) { redraw_until(stop); });
  }
}

StatusLine::~StatusLine() {
  if (!is_visible()) return;
  thread_.request_stop();
  thread_.join();
  show_status("");
}

void StatusLine::begin(const std::string& activity) {
  {
    const std::lock_guard lock(mutex_);
    text_ = activity;
    begin_ = Clock::now();
    shows_time_ = true;
  }
  if (is_visible()) show_status(activity);
}

void StatusLine::update(const std::string& text) {
  const std::lock_guard lock(mutex_);
  text_ = text;
  shows_time_ = false;
}

void StatusLine::hide() {
  {
    const std::lock_guard lock(mutex_);
    text_.clear();
  }
  const std::lock_guard drawing(drawing_mutex_);
  if (is_visible()) show_status("");
}

void StatusLine::redraw_until(const std::stop_token& stop) {
  static constexpr std::chrono::milliseconds kInterval(500);
  while (!stop.stop_requested()) {
    redraw();
    std::unique_lock lock(mutex_);
    wakeup_.wait_for(lock, stop, kInterval, [] { return false; });
  }
}

void StatusLine::redraw() {
  const std::lock_guard drawing(drawing_mutex_);
  const std::string text = current_text();
  if (!text.empty()) show_status(text);
}

std::string StatusLine::current_text() {
  const std::lock_guard lock(mutex_);
  if (text_.empty() || !shows_time_) return text_;
  return fmt::format("{}  {}", text_, human_duration(seconds_since(begin_)));
}

std::string progress_text(const std::string& activity, const std::string& unit, int64_t done, int64_t total,
                          double seconds) {
  std::string text = fmt::format("{}{}{} of {} {} ({} %)", activity, activity.empty() ? "" : "  ", with_thousands(done),
                                 with_thousands(total), unit, 100 * done / std::max<int64_t>(total, 1));
  if (done == 0 || seconds <= 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  return text + fmt::format("  {} {}/s  {} left", with_thousands(static_cast<int64_t>(rate)), unit,
                            human_duration(static_cast<double>(std::max<int64_t>(total - done, 0)) / rate));
}

}  // namespace transformer
