#define USE_C10D_GLOO
#include "distributed/process_group.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>

#include "base/error.h"
#include "base/host_name.h"
#include "base/log.h"
#include "distributed/connection.h"
#include "distributed/gloo_devices.h"
#include "distributed/heartbeat.h"
#include "distributed/loopback.h"
#include "distributed/own_failure.h"
#include "platform/cuda_loader.h"

namespace transformer {
namespace {

/// Longer than any legitimate wait: rank 0 may prepare data for hours. The watchdog detects ranks that wait in vain.
constexpr std::chrono::hours kCollectiveTimeout(24 * 7);

constexpr int64_t kBucketFloats = (25 << 20) / sizeof(float);  // typical number of gradients that are summed together

c10::intrusive_ptr<c10d::Backend> make_gloo(const Membership& m, const Store& store, std::chrono::seconds timeout) {
  using Gloo = c10d::ProcessGroupGloo;
  const bool is_one_machine = m.local_world_size == m.world_size;
  const auto options = Gloo::Options::create(timeout);
  if (is_one_machine) check_loopback();
  options->devices = is_one_machine ? std::vector{Gloo::createDeviceForHostname("127.0.0.1")} : gloo_devices();
  try {
    const auto gloo = c10::make_intrusive<Gloo>(store, m.rank, m.world_size, options);
    gloo->setTimeout(kCollectiveTimeout);
    return gloo;
  } catch (const std::exception& failure) {
    if (is_one_machine || is_own_failure(failure)) throw;
    throw LostConnection(
        fmt::format("could not connect to all ranks within {} s ({}); if no other rank has failed, set "
                    "GLOO_SOCKET_IFNAME on each machine to its network interface to the others, or let its host name "
                    "resolve to an address that they reach",
                    timeout.count(), first_line(failure.what())));
  }
}

/// After an error in NCCL or CUDA, LibTorch's own watchdog would end this process before ours has told the other ranks,
/// and leave files behind. torchrun sets the first of these variables, too.
void leave_errors_to_our_watchdog() {
  for (const char* variable :
       {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_RETHROW_CUDA_ERRORS", "TORCH_NCCL_DUMP_ON_TIMEOUT"}) {
    setenv(variable, "0", /*overwrite=*/1);
  }
}

}  // namespace

ProcessGroup::ProcessGroup(const Membership& membership, const RankTimeouts& timeouts)
    : membership_(membership), timeouts_(timeouts) {
  if (membership.is_alone()) return;
  leave_errors_to_our_watchdog();
  allow_connections(membership.world_size);
  store_ = rendezvous(membership, open_store(membership, timeouts.start), timeouts.start);
  rethrow_as_lost_connection([&] {
    membership_ = count_local_ranks(membership, store_);
    watchdog_ = std::make_unique<Watchdog>(membership_, store_, timeouts.step);
  });
}

ProcessGroup::~ProcessGroup() = default;

void ProcessGroup::connect(torch::Device device) {
  if (!store_) return;
  rethrow_as_lost_connection([&] {
    using c10d::ProcessGroup;
    const auto group = c10::make_intrusive<ProcessGroup>(store_, membership_.rank, membership_.world_size);
    group->setBackend(torch::kCPU, ProcessGroup::BackendType::GLOO, make_gloo(membership_, store_, timeouts_.start));
    group->setDefaultBackend(ProcessGroup::BackendType::GLOO);
    connection_ = std::make_unique<Connection>(Connection{group});
  });
  check_all_ranks_use(device.type());
  if (device.is_cuda()) {
    rethrow_as_lost_connection(
        [&] { cuda_library()->add_nccl(*connection_->group, store_, device.index(), kCollectiveTimeout); });
    // At its first collective, NCCL exchanges an id through the store, which waits no longer than the start timeout.
    // So the first one runs here, where all ranks are present; later, rank 0 may prepare data for hours. The tensor is
    // as large as a bucket of gradients, so that NCCL's memory for it is taken before the size of a micro-batch is
    // chosen.
    // The watchdog ends all ranks if NCCL, which waits for all of them at its first collective, cannot connect them
    // within the time limit of a step.
    const ActivityScope scope(*this, Activity::collective);
    all_reduce(torch::zeros({kBucketFloats}, device));
  }
  barrier();
}

void ProcessGroup::check_all_ranks_use(torch::DeviceType type) const {
  const auto num_on_gpus = static_cast<int>(sum({type == torch::kCUDA ? 1.0 : 0.0}).front());
  if (num_on_gpus == 0 || num_on_gpus == size()) return;
  fail_together(
      fmt::format("{} of {} ranks would train on a GPU and the others on a CPU; give --device cpu, or see what "
                  "`transformer doctor` reports on each machine",
                  num_on_gpus, size()));
}

void ProcessGroup::disconnect() {
  if (!connection_) return;
  barrier();
  watchdog_.reset();  // all ranks have done their work: from here on a rank may exit
  try {
    barrier();  // rank 0 may hold the store, so it must not exit while others' watchdogs still use it
    rethrow_as_lost_connection([&] { connection_->group->shutdown(); });
  } catch (const std::exception&) {
    // All ranks have done their work, so that no failure matters from here on.
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
  std::vector<torch::Tensor> one = {tensor};
  rethrow_as_lost_connection([&] {
    const auto work = connection_->group->allreduce(one);
    const CollectiveScope scope(*this);  // a rank that hangs before it takes part does not wait for others
    work->wait();
  });
}

double ProcessGroup::broadcast_from_first(double value) const { return sum({is_first() ? value : 0.0}).front(); }

std::string ProcessGroup::broadcast_from_first(std::string text) const {
  text.resize(static_cast<size_t>(broadcast_from_first(static_cast<double>(text.size()))));
  if (!text.empty()) broadcast({torch::from_blob(text.data(), {std::ssize(text)}, torch::kByte)}, /*root=*/0);
  return text;
}

void ProcessGroup::check_same_as_first(double value, const std::string& message) const {
  if (broadcast_from_first(value) != value) throw Error("{}", message);
  barrier();
}

void ProcessGroup::fail_together(const std::string& message) const {
  if (is_first()) throw Error("{}", message);
  throw LostConnection(message);
}

void ProcessGroup::broadcast(const std::vector<torch::Tensor>& tensors, int root) const {
  static constexpr size_t kMessageBytes = 4 << 20;  // two messages are copied at a time, so large ones take memory
  if (!connection_) return;
  const CollectiveScope scope(*this);
  torch::NoGradGuard no_grad;
  rethrow_as_lost_connection([&] { c10d::broadcast_coalesced(connection_->group, tensors, kMessageBytes, root); });
}

void ProcessGroup::set_activity(Activity activity, const std::string& description) const {
  if (watchdog_) watchdog_->set_activity(activity, description);
}

void ProcessGroup::set_activity(Activity activity) const {
  if (watchdog_) watchdog_->set_activity(activity);
}

void ProcessGroup::wait_for_cause() const {
  if (watchdog_) watchdog_->wait_for_cause();
}

void ProcessGroup::end_all_ranks(const std::string& cause, int status) const {
  if (watchdog_) watchdog_->end_all_ranks(cause, status);
  log(LogLevel::error, describe_rank(rank(), size(), host_name(), "the end") + cause);
  _exit(status);
}

}  // namespace transformer
