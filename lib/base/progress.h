#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace transformer {

/// A progress line on the terminal with the share done, the rate and the time left. Shows nothing if stderr is not a
/// terminal or if messages of level info are not shown.
class ProgressBar {
 public:
  ProgressBar(std::string what, int64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(int64_t done);
  /// Clears the line, so that other output can be written, until the next update.
  void hide() const;

  /// Whether a progress line would be shown.
  static bool is_wanted();

 private:
  std::string what_;
  int64_t total_;
  bool visible_;
  Clock::time_point start_, last_drawn_;
};

}  // namespace transformer
