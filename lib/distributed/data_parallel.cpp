#include "distributed/data_parallel.h"

#include <algorithm>
#include <mutex>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "platform/out_of_memory.h"
#include "distributed/connection.h"

namespace transformer {
namespace {

using Future = c10::ivalue::Future;

/// When buckets were summed; the end is noted by the thread that communicates.
class Timeline {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    begin_ = Clock::now();
    buckets_.clear();
    all_sent_ = false;
  }
  double seconds() const { return seconds_since(begin_); }
  void note_all_sent() { all_sent_ = true; }
  bool all_sent() const { return all_sent_; }

  /// The bucket's place.
  size_t begin_bucket(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    buckets_.push_back({bytes, seconds(), 0});
    return buckets_.size() - 1;
  }
  void end_bucket(size_t place) {
    const std::lock_guard lock(mutex_);
    if (place < buckets_.size()) buckets_[place].end = seconds();
  }
  std::vector<BucketTimes> buckets() const {
    const std::lock_guard lock(mutex_);
    return buckets_;
  }

 private:
  mutable std::mutex mutex_;
  Clock::time_point begin_;
  bool all_sent_ = false;
  std::vector<BucketTimes> buckets_;
};

/// What the reducer calls for each bucket whose gradients are complete: begins their sum over the ranks, and returns
/// what will hold it.
class SumBuckets : public c10d::CommHookInterface {
 public:
  SumBuckets(const ProcessGroup& ranks, c10::intrusive_ptr<c10d::ProcessGroup> connection,
             GradientCompression compression, std::shared_ptr<Timeline> timeline)
      : ranks_(ranks), connection_(std::move(connection)), compression_(compression), timeline_(std::move(timeline)) {}

  c10::intrusive_ptr<Future> runHook(c10d::GradBucket& bucket) override {
    const bool compressed = compression_ == GradientCompression::bf16;
    const torch::Tensor gradients = bucket.getBuffer();
    std::vector<torch::Tensor> sent = {compressed ? gradients.to(torch::kBFloat16) : gradients};
    const size_t place = timeline_->begin_bucket(static_cast<int64_t>(sent[0].nbytes()));
    const auto future = connection_->allreduce(sent)->getFuture();
    future->addCallback([timeline = timeline_, place](Future&) { timeline->end_bucket(place); });
    if (bucket.isLast()) timeline_->note_all_sent();
    const bool waits = bucket.isLast() && ranks_.activity() == Activity::stepping;
    ranks_.turn_to(waits ? Activity::waiting : ranks_.activity());
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
  std::shared_ptr<Timeline> timeline_;
};

}  // namespace

struct DataParallel::Reducer {
  Reducer(const std::vector<torch::Tensor>& parameters, const ProcessGroup& ranks,
          const c10::intrusive_ptr<c10d::ProcessGroup>& connection, GradientCompression compression)
      : reducer(parameters, buckets(parameters), connection, std::vector<bool>(parameters.size(), false),
                c10d::kDefaultBucketBytesCap, /*find_unused_parameters=*/false, /*gradient_as_bucket_view=*/true,
                /*param_names=*/{}, c10d::kDefaultFirstBucketBytes, /*skip_all_reduce_unused_params=*/false,
                /*use_python_reducer=*/false, /*bucket_bytes_cap_list=*/{}) {
    reducer.register_comm_hook(std::make_unique<SumBuckets>(ranks, connection, compression, timeline));
  }

  /// The last parameters first: their gradients are ready first.
  static std::vector<std::vector<size_t>> buckets(const std::vector<torch::Tensor>& parameters) {
    auto indices = std::get<0>(c10d::compute_bucket_assignment_by_size(
        parameters, {c10d::kDefaultFirstBucketBytes, c10d::kDefaultBucketBytesCap}));
    std::reverse(indices.begin(), indices.end());
    return indices;
  }

  std::shared_ptr<Timeline> timeline = std::make_shared<Timeline>();
  c10d::Reducer reducer;
};

DataParallel::DataParallel(torch::nn::Module& module, const ProcessGroup& group, GradientCompression compression)
    : group_(group), parameters_(module.parameters()) {
  if (!group.connection_) return;
  group.broadcast(parameters_, std::vector<int>(parameters_.size(), 0));
  reducer_ = std::make_unique<Reducer>(parameters_, group, group.connection_->group, compression);
}

DataParallel::~DataParallel() = default;

void DataParallel::begin_step() {
  if (!reducer_) return;
  const WaitingScope scope(group_);  // before the second step the ranks agree on the buckets' order
  or_lost([&] { reducer_->reducer.rebuild_buckets(); });
}

void DataParallel::backward(const torch::Tensor& loss, bool is_last) {
  if (!reducer_ || !is_last) {
    loss.backward();
    return;
  }
  const Activity activity = group_.activity();
  reducer_->timeline->begin();
  reducer_->reducer.prepare_for_backward({});
  try {
    loss.backward();
  } catch (const std::exception& failure) {
    // With all buckets on their way it can only be their sum that failed.
    if (reducer_->timeline->all_sent()) throw LostConnection(failure.what());
    // Too late to do the step again: others wait for its sums.
    if (is_out_of_memory(failure)) throw Error(kOutOfMemory);
    throw;
  }
  backward_seconds_ = reducer_->timeline->seconds();
  group_.turn_to(activity);
}

torch::Tensor DataParallel::no_loss() const {
  std::vector<torch::Tensor> parts;
  for (const auto& parameter : parameters_) parts.push_back(parameter.flatten().slice(0, 0, 1).sum() * 0);
  return torch::stack(parts).sum();
}

std::vector<BucketTimes> DataParallel::bucket_times() const {
  return reducer_ ? reducer_->timeline->buckets() : std::vector<BucketTimes>();
}

}  // namespace transformer
