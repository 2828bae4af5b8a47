#include "distributed/watch.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/signals.h"

namespace transformer {
namespace {

constexpr std::chrono::milliseconds kBetweenSigns(100), kBetweenLooks(500);
constexpr std::chrono::seconds kSilence(15);   // after which a rank is given up
constexpr std::chrono::seconds kForCause(25);  // all that the watch takes to find what happened to another rank
constexpr std::chrono::seconds kStoreLimit(10);
constexpr const char* kWordKey = "word";
constexpr const char* kLookThere = "; look at that machine; the same command goes on from the last checkpoint";

/// The thread's own connection, so that a rank that waits for something does not stop its signs of life.
Store own_connection(const Store& store) {
  Store own = store->clone();
  own->setTimeout(kStoreLimit);
  return own;
}

}  // namespace

void HangRule::progress(Time now, Activity activity) {
  if (activity_ != Activity::other) longest_ = std::max(longest_ * 99 / 100, now - last_);
  activity_ = activity;
  last_ = now;
}

bool HangRule::is_hanging(Time now) const { return activity_ != Activity::other && now - last_ > limit(); }

HangRule::Time::duration HangRule::limit() const {
  static constexpr std::chrono::minutes kFirst(10);  // memory is still made, and kernels are chosen
  static constexpr std::chrono::seconds kLeast(18), kMoreForWaiting(7);
  static constexpr int kTimesLongest = 10;
  if (activity_ == Activity::first_step) return kFirst;
  const auto working = std::max<Time::duration>(kLeast, kTimesLongest * longest_);
  return activity_ == Activity::stepping ? working : working + kMoreForWaiting + longest_;
}

Watch::Watch(const Membership& membership, const Store& store)
    : membership_(membership),
      store_(own_connection(store)),
      signs_(static_cast<size_t>(membership.size), {"", Clock::now()}),
      last_answer_(Clock::now()),
      watching_([this](const std::stop_token& stop) {
        for (; !stop.stop_requested(); std::this_thread::sleep_for(kBetweenSigns)) watch();
      }),
      guarding_([this](const std::stop_token& stop) {
        for (; !stop.stop_requested(); std::this_thread::sleep_for(kBetweenLooks)) {
          if (Clock::now() - last_answer_.load() > kSilence) end_without_store();
        }
      }) {}

Watch::~Watch() = default;

void Watch::turn_to(Activity activity, const std::string& what) {
  const std::lock_guard lock(mutex_);
  rule_.progress(Clock::now(), activity);
  what_ = what;
}

void Watch::turn_to(Activity activity) {
  const std::lock_guard lock(mutex_);
  if (activity == Activity::waiting && rule_.activity() != Activity::waiting) ++waits_;
  rule_.progress(Clock::now(), activity);
}

Activity Watch::activity() {
  const std::lock_guard lock(mutex_);
  return rule_.activity();
}

void Watch::wait_for_cause() const {
  for (const auto end = Clock::now() + kForCause; Clock::now() < end;) {
    if (stop_requested()) _exit(1);  // the launcher ends all ranks and says why
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void Watch::watch() {
  try {
    show_life();
    if (Clock::now() - last_look_ < kBetweenLooks) return;
    last_look_ = Clock::now();
    if (!is_ending_ && store_->check({kWordKey})) leave(1);
    if (hangs()) {
      end_all(rank_waited_for(*store_, membership_.rank, membership_.size),
              concat("hangs: no progress for far longer than ever before", kLookThere), 1);
    }
    // Rank 0 looks at all the others, and they at rank 0.
    const bool first = membership_.rank == 0;
    for (int rank = first ? 1 : 0; rank < (first ? membership_.size : 1); ++rank) look_at(rank);
    last_answer_ = Clock::now();
  } catch (const std::exception&) {
    end_without_store();
  }
}

/// The store is gone or frozen, with who has it.
void Watch::end_without_store() const {
  const int first_left = membership_.launcher_has_store ? 0 : 1;
  if (membership_.rank == first_left) {
    log(LogLevel::error, concat(membership_.launcher_has_store ? "the launcher" : "rank 0", " at ", membership_.address,
                                ":", membership_.port,
                                " no longer answers: it has ended or is frozen; look at that "
                                "machine; the same command goes on from the last checkpoint"));
  }
  _exit(1);
}

void Watch::show_life() {
  LifeSign sign;
  sign.number = ++signs_of_life_;
  sign.host = host_name();
  {
    const std::lock_guard lock(mutex_);
    sign.what = what_;
    sign.waits_for_others = rule_.activity() == Activity::waiting;
    sign.waits = waits_;
  }
  write_life_sign(*store_, membership_.rank, sign);
}

bool Watch::hangs() {
  const std::lock_guard lock(mutex_);
  return rule_.is_hanging(Clock::now());
}

void Watch::look_at(int rank) {
  if (!store_->check({life_key(rank)})) return;  // has not come yet
  Sign& sign = signs_[static_cast<size_t>(rank)];
  const auto text = store_->get_to_str(life_key(rank));
  if (text != sign.text) {
    sign = {text, Clock::now()};
  } else if (Clock::now() - sign.since > kSilence) {
    end_all(rank, concat("has given no sign of life for ", kSilence.count(), " s", kLookThere), 1);
  }
}

void Watch::end_with(const std::string& cause, int status) {
  show_life();
  end_all(membership_.rank, cause, status);
}

void Watch::end_all(int rank, const std::string& cause, int status) {
  is_ending_ = true;
  const std::string word = describe_rank(*store_, rank, membership_.size) + cause;
  const std::string claim = concat(membership_.rank, ": ", word);  // several may have found the same
  if (store_->compareSet(kWordKey, "", claim) == claim) log(LogLevel::error, word);
  leave(status);
}

/// Not before who knows why has said so, and, where the store is here, the others have read it.
void Watch::leave(int status) const {
  const bool has_store = membership_.rank == 0 && !membership_.launcher_has_store;
  std::this_thread::sleep_for(kBetweenLooks * (has_store ? 3 : 1));
  _exit(status);
}

}  // namespace transformer
