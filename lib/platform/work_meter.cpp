#include "platform/work_meter.h"

#include <ATen/record_function.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace transformer {
namespace {

/// The kind of work of each operation, by the beginning of its name; the first entry that fits counts.
constexpr std::array<std::pair<std::string_view, Work>, 25> kOperations = {{
    {"aten::mm", Work::matrix_products},
    {"aten::addmm", Work::matrix_products},
    {"aten::bmm", Work::matrix_products},
    {"aten::baddbmm", Work::matrix_products},
    {"aten::_scaled_dot_product", Work::attention},
    {"aten::_fused_sdp", Work::attention},
    {"aten::scaled_dot_product", Work::attention},
    {"attention", Work::attention},
    {"dropout", Work::dropout},
    {"normalization", Work::normalization},
    {"aten::native_layer_norm", Work::normalization},
    {"loss", Work::loss},
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
    {"aten::zero_", Work::copies},
    {"aten::fill_", Work::copies},
    {"aten::reshape", Work::copies},
}};

std::optional<Work> work_of(std::string_view operation) {
  for (const auto& [beginning, work] : kOperations) {
    if (operation.starts_with(beginning)) return work;
  }
  return std::nullopt;
}

/// Whether operations inside this kind of work count as the same work, except matrix products.
bool includes_nested_operations(Work work) { return work != Work::other && work != Work::copies; }

// State of the thread that runs a CPU's operations; the backward pass on a CPU runs on the same thread.
thread_local std::vector<Work> running;
thread_local Clock::time_point since;
std::array<double, kWorkNames.size()> seconds_of_work;

void charge() {
  const auto now = Clock::now();
  const Work work = running.empty() ? Work::other : running.back();
  seconds_of_work[static_cast<size_t>(work)] += std::chrono::duration<double>(now - since).count();
  since = now;
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& operation) {
  charge();
  const Work around = running.empty() ? Work::other : running.back();
  const Work work = work_of(operation.name()).value_or(around);
  running.push_back(includes_nested_operations(around) && work != Work::matrix_products ? around : work);
  return nullptr;
}

void end(const at::RecordFunction& /*operation*/, at::ObserverContext* /*context*/) {
  charge();
  running.pop_back();
}

}  // namespace

WorkMeter::WorkMeter() {
  seconds_of_work.fill(0);
  running.clear();
  since = Clock::now();
  callback_ = at::addThreadLocalCallback(
      at::RecordFunctionCallback(begin, end).scopes({at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE}));
}

WorkMeter::~WorkMeter() { at::removeCallback(callback_); }

double WorkMeter::seconds(Work work) const {
  charge();
  return seconds_of_work[static_cast<size_t>(work)];
}

}  // namespace transformer
