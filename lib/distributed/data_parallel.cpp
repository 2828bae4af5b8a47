#include "distributed/data_parallel.h"

#include <algorithm>
#include <mutex>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "base/clock.h"
#include "distributed/connection.h"

namespace transformer {
namespace {

using Future = c10::ivalue::Future;

/// Records when buckets were summed. The thread that communicates records when a sum ends, hence the mutex.
class Timeline {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    begin_ = Clock::now();
    buckets_.clear();
    all_sent_ = false;
  }
  double seconds() const { return seconds_since(begin_); }
  void set_all_sent() { all_sent_ = true; }
  bool all_sent() const { return all_sent_; }

  /// Returns the index of the bucket.
  size_t begin_bucket(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    buckets_.push_back({bytes, seconds(), 0});
    return buckets_.size() - 1;
  }
  void end_bucket(size_t index) {
    const std::lock_guard lock(mutex_);
    if (index < buckets_.size()) buckets_[index].end = seconds();
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

/// Communication hook of the reducer, which calls it for each bucket as soon as its gradients are complete. Starts the
/// sum over the ranks and returns a future of it.
class SumBuckets : public c10d::CommHookInterface {
 public:
  SumBuckets(const ProcessGroup& ranks, c10::intrusive_ptr<c10d::ProcessGroup> connection,
             GradientCompression compression, std::shared_ptr<Timeline> timeline)
      : ranks_(ranks), connection_(std::move(connection)), compression_(compression), timeline_(std::move(timeline)) {}

  c10::intrusive_ptr<Future> runHook(c10d::GradBucket& bucket) override {
    const bool compressed = compression_ == GradientCompression::bf16;
    const torch::Tensor gradients = bucket.getBuffer();
    std::vector<torch::Tensor> sent = {compressed ? gradients.to(torch::kBFloat16) : gradients};
    const size_t index = timeline_->begin_bucket(static_cast<int64_t>(sent[0].nbytes()));
    const auto future = rethrow_as_lost_connection([&] { return connection_->allreduce(sent); })->getFuture();
    future->addCallback([timeline = timeline_, index](Future&) { timeline->end_bucket(index); });
    if (bucket.isLast()) timeline_->set_all_sent();
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

  /// Begins with the last parameters, whose gradients are ready first.
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
  group.broadcast(parameters_, /*root=*/0);
  reducer_ = std::make_unique<Reducer>(parameters_, group, group.connection_->group, compression);
}

DataParallel::~DataParallel() = default;

void DataParallel::begin_step(int64_t step) {
  group_.begin_step(step);
  can_repeat_step_ = false;
  // Before the second step the ranks agree on the order of the buckets. A step that is repeated begins no further
  // collective, because the watchdog compares how many the ranks have begun.
  if (reducer_ && step != step_) {
    const CollectiveScope scope(group_);
    rethrow_as_lost_connection([&] { reducer_->reducer.rebuild_buckets(); });
  }
  step_ = step;
  can_repeat_step_ = true;
}

void DataParallel::backward(const torch::Tensor& loss, bool sum_gradients) {
  if (!reducer_ || !sum_gradients) {
    loss.backward();
    can_repeat_step_ = !sum_gradients;
    group_.report_progress();
    return;
  }
  const Activity activity = group_.activity();
  can_repeat_step_ = false;
  reducer_->timeline->begin();
  reducer_->reducer.prepare_for_backward({});
  try {
    loss.backward();
  } catch (const std::exception&) {
    if (!reducer_->timeline->all_sent()) throw;
    rethrow_as_lost_connection([] { throw; });  // all buckets have been sent, so that only their sum can fail
  }
  backward_seconds_ = reducer_->timeline->seconds();
  group_.set_activity(activity);
}

torch::Tensor DataParallel::zero_loss() const {
  std::vector<torch::Tensor> parts;
  for (const auto& parameter : parameters_) parts.push_back(parameter.flatten().slice(0, 0, 1).sum() * 0);
  return torch::stack(parts).sum();
}

std::vector<BucketTimes> DataParallel::bucket_times() const {
  return reducer_ ? reducer_->timeline->buckets() : std::vector<BucketTimes>();
}

}  // namespace transformer
