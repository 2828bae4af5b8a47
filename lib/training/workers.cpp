#include "training/workers.h"

#include <condition_variable>
#include <map>
#include <mutex>

namespace transformer {
namespace {

/// A network whose parameters are the model's, in the same memory, but which has gradients of its own.
Transformer share_parameters(const Transformer& model) {
  Transformer copy(model->config(), model->embeddings().vocabularies);
  auto parameters = copy->parameters();
  const auto shared = model->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i].set_data(shared[i].detach());
  copy->train();
  return copy;
}

/// Releases the gradients of a model to the caller.
std::vector<torch::Tensor> take_gradients(const Transformer& model) {
  std::vector<torch::Tensor> gradients;
  for (torch::Tensor& parameter : model->parameters()) {
    gradients.push_back(parameter.grad());
    parameter.mutable_grad().reset();
  }
  return gradients;
}

/// Adds the gradients of micro-batches, which workers complete in any order, in the order of the micro-batches.
class OrderedSum {
 public:
  /// Adds to the gradients of these parameters. At most `max_waiting` micro-batches wait for an earlier one.
  OrderedSum(std::vector<torch::Tensor> parameters, int max_waiting)
      : parameters_(std::move(parameters)), max_waiting_(static_cast<size_t>(max_waiting)) {}

  /// Adds the gradients of the micro-batch i now or, if those of an earlier one are missing, later in another thread.
  void add(int64_t i, std::vector<torch::Tensor> gradients) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return i == next_ || waiting_.size() < max_waiting_ || is_cancelled_; });
    waiting_.emplace(i, std::move(gradients));
    if (is_adding_) return;
    is_adding_ = true;
    for (auto first = waiting_.extract(next_); first; first = waiting_.extract(next_)) {
      lock.unlock();
      add_to_sum(std::move(first.mapped()));
      lock.lock();
      ++next_;
      changed_.notify_all();
    }
    is_adding_ = false;
  }

  /// Lets nobody wait any longer, because a micro-batch will not come.
  void cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    changed_.notify_all();
  }

 private:
  void add_to_sum(std::vector<torch::Tensor> gradients) {
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> sums, terms;
    for (size_t p = 0; p < parameters_.size(); ++p) {
      torch::Tensor& sum = parameters_[p].mutable_grad();
      if (!sum.defined()) {
        sum = std::move(gradients[p]);
      } else {
        sums.push_back(sum);
        terms.push_back(std::move(gradients[p]));
      }
    }
    if (!sums.empty()) torch::_foreach_add_(sums, terms);
  }

  std::vector<torch::Tensor> parameters_;
  size_t max_waiting_;
  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::map<int64_t, std::vector<torch::Tensor>> waiting_;  // by micro-batch
  int64_t next_ = 0;                                       // the micro-batch to add next
  bool is_adding_ = false, is_cancelled_ = false;
};

}  // namespace

Workers::Workers(const Transformer& model, int count) : model_(model), threads_(count) {
  for (int i = 0; count > 1 && i < count; ++i) copies_.push_back(share_parameters(model));
}

void Workers::add_gradients(int64_t count, const MicroBatchLoss& loss) {
  OrderedSum sum(model_->parameters(), size());
  threads_.for_each(count, [&](int worker, int64_t i) {
    Transformer& model = copies_.at(static_cast<size_t>(worker));
    try {
      loss(model, i).backward();
      sum.add(i, take_gradients(model));
    } catch (...) {
      take_gradients(model);
      sum.cancel();
      throw;
    }
  });
}

}  // namespace transformer
