#include "platform/work_meter.h"

#include <ATen/record_function.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace transformer {
namespace {

/// Which operations are which work, by the beginning of their names; the first that fits counts.
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

/// Whether what happens inside is this work too, unless it is a matrix product.
bool is_whole(Work work) { return work != Work::other && work != Work::copies; }

// Of the thread that a CPU's operations come from: forward, and backward as well.
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
  running.push_back(is_whole(around) && work != Work::matrix_products ? around : work);
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
