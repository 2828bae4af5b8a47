#include "base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/format.h"
#include "base/log.h"

namespace transformer {

ProgressBar::ProgressBar(std::string what, int64_t total)
    : what_(std::move(what)), total_(total), visible_(is_wanted()), start_(Clock::now()), last_drawn_(start_) {}

ProgressBar::~ProgressBar() { hide(); }

void ProgressBar::hide() const {
  if (visible_) std::fputs("\r\033[K", stderr);
}

bool ProgressBar::is_wanted() { return isatty(STDERR_FILENO) != 0 && log_shows(LogLevel::info); }

void ProgressBar::update(int64_t done) {
  static constexpr auto kInterval = std::chrono::milliseconds(200);
  static constexpr int64_t kWidth = 30;
  const auto now = Clock::now();
  if (!visible_ || total_ <= 0 || now - last_drawn_ < kInterval) return;
  last_drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done) / seconds;
  const auto filled = static_cast<size_t>(std::min(kWidth, kWidth * done / total_));
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  const std::string left = rate > 0 ? human_duration(static_cast<double>(total_ - done) / rate) : "?";
  const std::string text = fmt::format("\r\033[K{} [{}] {} %, {}/s, {} left", what_, bar, 100 * done / total_,
                                       with_thousands(static_cast<int64_t>(rate)), left);
  std::fputs(text.c_str(), stderr);
}

}  // namespace transformer
