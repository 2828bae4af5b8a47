#define USE_C10D_GLOO
#include "distributed/process_group.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "base/error.h"
#include "platform/device.h"
#include "distributed/connection.h"

namespace transformer {
namespace {

/// Not what ends ranks that wait in vain, which is the watch's work: the first rank may prepare data for hours.
constexpr std::chrono::hours kCollectiveLimit(24 * 7);

c10::intrusive_ptr<c10d::Backend> make_gloo(const Membership& m, const Store& store, std::chrono::seconds limit) {
  using Gloo = c10d::ProcessGroupGloo;
  const auto options = Gloo::Options::create(limit);
  options->devices.push_back(m.local_size == m.size ? Gloo::createDeviceForHostname("127.0.0.1")
                                                    : Gloo::createDefaultDevice());
  const auto gloo = c10::make_intrusive<Gloo>(store, m.rank, m.size, options);
  gloo->setTimeout(kCollectiveLimit);
  return gloo;
}

}  // namespace

ProcessGroup::ProcessGroup(const Membership& membership, std::chrono::seconds start_limit)
    : membership_(membership), start_limit_(start_limit) {
  if (membership.is_alone()) return;
  store_ = open_store(membership, start_limit);
  watch_ = std::make_unique<Watch>(membership, store_);
}

ProcessGroup::~ProcessGroup() = default;

void ProcessGroup::meet(torch::Device device) {
  if (!store_) return;
  call_the_roll(membership_, *store_, start_limit_);
  or_lost([&] {
    using c10d::ProcessGroup;
    const auto group = c10::make_intrusive<ProcessGroup>(store_, membership_.rank, membership_.size);
    group->setBackend(torch::kCPU, ProcessGroup::BackendType::GLOO, make_gloo(membership_, store_, start_limit_));
    group->setDefaultBackend(ProcessGroup::BackendType::GLOO);
    if (device.is_cuda()) cuda_part()->add_nccl(*group, store_, device.index());
    connection_ = std::make_unique<Connection>(Connection{group});
  });
  barrier();
}

void ProcessGroup::part() {
  if (!connection_) return;
  barrier();
  watch_.reset();  // from here on nobody is missed
  try {
    barrier();  // the store goes with rank 0
  } catch (const LostConnection&) {
    // the work is done
  }
}

std::vector<double> ProcessGroup::sum(const std::vector<double>& values) const {
  if (!connection_) return values;
  const auto tensor = torch::tensor(values, torch::kDouble);
  all_reduce(tensor);
  const auto* sums = tensor.const_data_ptr<double>();
  return {sums, sums + values.size()};
}

void ProcessGroup::all_reduce(const torch::Tensor& tensor) const {
  if (!connection_) return;
  const WaitingScope scope(*this);
  std::vector<torch::Tensor> one = {tensor};
  or_lost([&] { connection_->group->allreduce(one)->wait(); });
}

double ProcessGroup::from_first(double value) const { return sum({is_first() ? value : 0.0}).front(); }

void ProcessGroup::broadcast(const std::vector<torch::Tensor>& tensors, const std::vector<int>& roots) const {
  if (!connection_) return;
  const WaitingScope scope(*this);
  or_lost([&] {
    std::vector<c10::intrusive_ptr<c10d::Work>> under_way;
    for (size_t i = 0; i < tensors.size(); ++i) {
      std::vector<torch::Tensor> one = {tensors[i].detach()};
      under_way.push_back(connection_->group->broadcast(one, {.rootRank = roots[i]}));
    }
    for (const auto& work : under_way) work->wait();
  });
}

void ProcessGroup::turn_to(Activity activity, const std::string& what) const {
  if (watch_) watch_->turn_to(activity, what);
}

void ProcessGroup::turn_to(Activity activity) const {
  if (watch_) watch_->turn_to(activity);
}

void ProcessGroup::wait_for_cause() const { watch_->wait_for_cause(); }

void ProcessGroup::end_with(const std::string& cause, int status) const { watch_->end_with(cause, status); }

}  // namespace transformer
