#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"

namespace transformer {

/// A line on the terminal that shows how far a job is, its rate and the time left. Silent where stderr is not a
/// terminal or the log is quieter than info.
class ProgressBar {
 public:
  ProgressBar(std::string what, int64_t total);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(int64_t done);
  /// Takes the line away, for other output, until the next update.
  void hide() const;

  /// Whether it would be seen.
  static bool is_wanted();

 private:
  std::string what_;
  int64_t total_;
  bool visible_;
  Clock::time_point start_, last_drawn_;
};

}  // namespace transformer
