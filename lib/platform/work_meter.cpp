#include "platform/work_meter.h"

#include <ATen/record_function.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <array>
#include <atomic>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace transformer {
namespace {

/// The kind of work of each operation, by the beginning of its name; the first entry that fits counts.
constexpr auto kOperations = std::to_array<std::pair<std::string_view, Work>>({
    {"aten::mm", Work::matrix_products},
    {"aten::addmm", Work::matrix_products},
    {"aten::_addmm", Work::matrix_products},
    {"aten::bmm", Work::matrix_products},
    {"aten::baddbmm", Work::matrix_products},
    {"product", Work::matrix_products},
    {"aten::_scaled_dot_product", Work::attention},
    {"aten::_fused_sdp", Work::attention},
    {"aten::_flash_attention", Work::attention},
    {"aten::_efficient_attention", Work::attention},
    {"aten::scaled_dot_product", Work::attention},
    {"attention", Work::attention},
    {"dropout", Work::dropout},
    {"gpu::dropout", Work::dropout},
    {"normalization", Work::normalization},
    {"gpu::add_norm", Work::normalization},
    {"aten::native_layer_norm", Work::normalization},
    {"loss", Work::loss},
    {"gpu::cross_entropy", Work::loss},
    {"optimizer", Work::optimizer},
    {"batch", Work::batches},
    {"aten::copy_", Work::copies},
    {"aten::_to_copy", Work::copies},
    {"aten::clone", Work::copies},
    {"aten::contiguous", Work::copies},
    {"aten::cat", Work::copies},
    {"aten::index_select", Work::copies},
    {"aten::index_add", Work::copies},
    {"aten::embedding", Work::copies},
    {"gpu::embed_tokens", Work::copies},
    {"aten::zero_", Work::copies},
    {"aten::fill_", Work::copies},
    {"aten::reshape", Work::copies},
});

std::optional<Work> work_of(std::string_view operation) {
  for (const auto& [beginning, work] : kOperations) {
    if (operation.starts_with(beginning)) return work;
  }
  return std::nullopt;
}

/// Whether operations inside this kind of work count as the same work, except matrix products.
bool includes_nested_operations(Work work) { return work != Work::other && work != Work::copies; }

/// The processor time of the threads that begin operations, so that those which wait are not counted.
class CpuTimer {
 public:
  CpuTimer() { charge(Work::other); }

  /// Adds the time since this thread's last call to `work`.
  void charge(Work work) {
    static thread_local Charge last;
    const Charge now = {number_, processor_nanoseconds()};
    if (last.timer == number_) nanoseconds_[static_cast<size_t>(work)] += now.nanoseconds - last.nanoseconds;
    last = now;
  }
  WorkSeconds seconds() const {
    WorkSeconds seconds{};
    for (size_t i = 0; i < seconds.size(); ++i) seconds[i] = 1e-9 * static_cast<double>(nanoseconds_[i]);
    return seconds;
  }

 private:
  struct Charge {
    int64_t timer = 0, nanoseconds = 0;
  };

  /// Of this thread.
  static int64_t processor_nanoseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
  }

  static inline std::atomic<int64_t> num_timers_ = 0;

  int64_t number_ = ++num_timers_;  // distinguishes this timer's charges from those of an earlier one
  std::array<std::atomic<int64_t>, std::tuple_size_v<WorkSeconds>> nanoseconds_{};
};

/// The time on a GPU's current stream, between events in the order in which work is launched.
class GpuTimer {
 public:
  explicit GpuTimer(torch::Device device) : device_(device) { charge(Work::other); }

  void charge(Work work) {
    events_.emplace_back(work, c10::Event(device_.type(), c10::EventFlag::BACKEND_DEFAULT));
    events_.back().second.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  }
  WorkSeconds seconds() const {
    WorkSeconds seconds{};
    events_.back().second.synchronize();
    for (size_t i = 1; i < events_.size(); ++i) {
      seconds[static_cast<size_t>(events_[i].first)] += events_[i - 1].second.elapsedTime(events_[i].second) / 1000;
    }
    return seconds;
  }

 private:
  torch::Device device_;
  std::vector<std::pair<Work, c10::Event>> events_;  // each with the work that ends there
};

// On a CPU the backward pass runs in the calling thread. For a GPU it runs in LibTorch's autograd thread, which
// inherits the callbacks, while the calling thread waits; so GpuTimer needs no lock.
thread_local std::vector<Work> running;
std::variant<CpuTimer, GpuTimer> timer;

Work current_work() { return running.empty() ? Work::other : running.back(); }

/// Adds the time since the last call to `work`.
void charge(Work work) {
  std::visit([&](auto& device) { device.charge(work); }, timer);
}

// Most operations are parts of another one and of the same kind. They are not charged for themselves, since an event on
// a GPU takes about as long as launching a kernel.

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& operation) {
  const Work around = current_work();
  Work work = work_of(operation.name()).value_or(around);
  if (includes_nested_operations(around) && work != Work::matrix_products) work = around;
  if (work != around) charge(around);
  running.push_back(work);
  return nullptr;
}

void end(const at::RecordFunction& /*operation*/, at::ObserverContext* /*context*/) {
  const Work ended = current_work();
  running.pop_back();
  if (ended != current_work()) charge(ended);
}

}  // namespace

WorkMeter::WorkMeter(torch::Device device) {
  running.clear();
  if (device.is_cpu()) {
    timer.emplace<CpuTimer>();
  } else {
    timer.emplace<GpuTimer>(device);
  }
  callback_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(begin, end).scopes({at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE}));
}

WorkMeter::~WorkMeter() {
  at::removeCallback(callback_);
  timer.emplace<CpuTimer>();  // frees a GPU's events before CUDA shuts down
}

WorkSeconds WorkMeter::seconds() const {
  charge(current_work());
  return std::visit([](const auto& device) { return device.seconds(); }, timer);
}

}  // namespace transformer
