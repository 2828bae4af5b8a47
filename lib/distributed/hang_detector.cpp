#include "distributed/hang_detector.h"

#include <algorithm>

namespace transformer {

void HangDetector::progress(Time now, Activity activity) {
  if (activity_ != Activity::unlimited) longest_ = std::max(longest_ * 99 / 100, now - last_);
  activity_ = activity;
  last_ = now;
}

bool HangDetector::is_hanging(Time now) const { return activity_ != Activity::unlimited && now - last_ > limit(); }

HangDetector::Time::duration HangDetector::limit() const {
  static constexpr std::chrono::seconds kMinimum(18);
  static constexpr int kTimesLongest = 10;
  if (activity_ == Activity::first_step) return kFirstStep;
  return std::max<Time::duration>(kMinimum, kTimesLongest * longest_);
}

}  // namespace transformer
