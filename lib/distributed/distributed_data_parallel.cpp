#include "distributed/distributed_data_parallel.h"

#include <fmt/core.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "distributed/connection.h"

namespace transformer {
namespace {

using Future = c10::ivalue::Future;

/// A backward pass that sums gradients.
struct BackwardPass {
  Clock::time_point begin;
  bool all_sent = false;  // whether all buckets were sent, so that only their sums can fail
};

/// For --verbose: logs when the gradients of a bucket, which are complete now, have been summed; on a GPU, when their
/// sum has been launched.
void log_sum(Future& sum, int64_t bytes, const BackwardPass& pass) {
  if (!log_shows(LogLevel::debug)) return;
  sum.addCallback([bytes, begin = pass.begin, complete = seconds_since(pass.begin)](Future& finished) {
    if (finished.hasError()) return;
    log_debug("  {} of gradients: complete after {:.3f} s of the backward pass, summed after {:.3f} s",
              human_bytes(bytes), complete, seconds_since(begin));
  });
}

/// Communication hook of the reducer, which calls it for each bucket as soon as its gradients are complete. Starts the
/// sum over the ranks and returns a future of it.
class SumBuckets : public c10d::CommHookInterface {
 public:
  SumBuckets(const ProcessGroup& ranks, c10::intrusive_ptr<c10d::ProcessGroup> connection,
             GradientCompression compression, BackwardPass& pass)
      : ranks_(ranks), connection_(std::move(connection)), compression_(compression), pass_(pass) {}

  c10::intrusive_ptr<Future> runHook(c10d::GradBucket& bucket) override {
    const bool compressed = compression_ == GradientCompression::bf16;
    const torch::Tensor gradients = bucket.getBuffer();
    std::vector<torch::Tensor> sent = {compressed ? gradients.to(torch::kBFloat16) : gradients};
    const auto future = rethrow_as_lost_connection([&] { return connection_->allreduce(sent); })->getFuture();
    log_sum(*future, static_cast<int64_t>(sent[0].nbytes()), pass_);
    if (bucket.isLast()) pass_.all_sent = true;
    if (bucket.isLast() && ranks_.activity() == Activity::step) {
      ranks_.set_activity(Activity::collective);
    } else {
      ranks_.report_progress();
    }
    if (!compressed) return future;
    return future->then(
        [gradients](Future& sum) {
          gradients.copy_(sum.value().toTensorVector()[0]);
          return c10::IValue(std::vector<torch::Tensor>{gradients});
        },
        future->elementType());
  }

  torch::Tensor parseHookResult(const c10::IValue& result) override {
    return c10d::detail::parseCppCommHookResult(result);
  }

 private:
  const ProcessGroup& ranks_;
  c10::intrusive_ptr<c10d::ProcessGroup> connection_;
  GradientCompression compression_;
  BackwardPass& pass_;
};

}  // namespace

struct DistributedDataParallel::Reducer {
  Reducer(const std::vector<torch::Tensor>& parameters, const ProcessGroup& ranks,
          const c10::intrusive_ptr<c10d::ProcessGroup>& connection, GradientCompression compression)
      : reducer(parameters, buckets(parameters), connection, std::vector<bool>(parameters.size(), false),
                c10d::kDefaultBucketBytesCap, /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true,
                /*param_names=*/{}, c10d::kDefaultFirstBucketBytes, /*skip_all_reduce_unused_params=*/false,
                /*use_python_reducer=*/false, /*bucket_bytes_cap_list=*/{}) {
    reducer.register_comm_hook(std::make_unique<SumBuckets>(ranks, connection, compression, pass));
  }

  /// Begins with the last parameters, whose gradients are ready first.
  static std::vector<std::vector<size_t>> buckets(const std::vector<torch::Tensor>& parameters) {
    auto indices = std::get<0>(c10d::compute_bucket_assignment_by_size(
        parameters, {c10d::kDefaultFirstBucketBytes, c10d::kDefaultBucketBytesCap}));
    std::reverse(indices.begin(), indices.end());
    return indices;
  }

  BackwardPass pass;
  c10d::Reducer reducer;
};

DistributedDataParallel::DistributedDataParallel(torch::nn::Module& module, const ProcessGroup& group,
                                                 GradientCompression compression)
    : group_(group), parameters_(module.parameters()) {
  if (!group.connection_) return;
  group.broadcast(parameters_, /*root=*/0);
  reducer_ = std::make_unique<Reducer>(parameters_, group, group.connection_->group, compression);
  // After its first backward pass, the reducer divides the gradients anew into buckets, in the order in which they
  // became complete. With three ranks or more, the order of the terms of a sum depends on the position in the bucket.
  // So this pass comes before the steps, with the same order in every process; else a resumed run would not take the
  // same steps as an uninterrupted one, whose buckets were divided after its first step.
  backward(zero_loss(), /*sum_gradients=*/true);
  rethrow_as_lost_connection([&] { reducer_->reducer.rebuild_buckets(); });
}

DistributedDataParallel::~DistributedDataParallel() = default;

void DistributedDataParallel::begin_step(int64_t step) {
  group_.set_activity(Activity::step, fmt::format("step {}", with_thousands(step)));
  can_repeat_step_ = true;
}

void DistributedDataParallel::backward(const torch::Tensor& loss, bool sum_gradients) {
  if (!reducer_ || !sum_gradients) {
    loss.backward();
    can_repeat_step_ = !sum_gradients;
    group_.report_progress();
    return;
  }
  const Activity activity = group_.activity();
  can_repeat_step_ = false;
  reducer_->pass = {.begin = Clock::now()};
  reducer_->reducer.prepare_for_backward({});
  try {
    loss.backward();
  } catch (const std::exception&) {
    if (!reducer_->pass.all_sent) throw;
    rethrow_as_lost_connection([] { throw; });
  }
  log_debug("  backward pass {:.3f} s", seconds_since(reducer_->pass.begin));
  group_.set_activity(activity);
}

void DistributedDataParallel::sum_gradients() {
  if (reducer_) return backward(zero_loss(), /*sum_gradients=*/true);
  can_repeat_step_ = false;
}

torch::Tensor DistributedDataParallel::zero_loss() const {
  std::vector<torch::Tensor> parts;
  for (const auto& parameter : parameters_) parts.push_back(parameter.flatten().slice(0, 0, 1).sum() * 0);
  return torch::stack(parts).sum();
}

}  // namespace transformer
