#pragma once

#include <ATen/record_function.h>
#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace transformer {

/// LibTorch's operations that wait for a GPU, because the host has to know a value or the result's size.
inline const std::set<std::string> kWaitingOperations = {"aten::item",
                                                         "aten::_local_scalar_dense",
                                                         "aten::nonzero",
                                                         "aten::is_nonzero",
                                                         "aten::masked_select",
                                                         "aten::equal",
                                                         "aten::_unique2",
                                                         "aten::bincount",
                                                         "aten::repeat_interleave",
                                                         "aten::index"};

/// Records the operations that this thread runs while it exists, as LibTorch reports them to its profiler.
class OperationRecorder {
 public:
  struct Operation {
    std::string name;
    int64_t bytes = 0;        // of the tensors that it reads and writes
    bool has_nested = false;  // other operations do its work
    std::string around{};     // the operations that it is a part of, such as "aten::linear aten::mm "
  };

  OperationRecorder() {
    TORCH_CHECK(recorder == nullptr);
    recorder = this;
    callback_ = at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end)
                                               .scopes({at::RecordScope::FUNCTION})
                                               .needsInputs(true)
                                               .needsOutputs(true));
  }
  ~OperationRecorder() {
    at::removeCallback(callback_);
    recorder = nullptr;
  }
  OperationRecorder(const OperationRecorder&) = delete;
  OperationRecorder& operator=(const OperationRecorder&) = delete;

  const std::vector<Operation>& operations() const { return operations_; }
  bool has(const std::string& name) const {
    return std::any_of(operations_.begin(), operations_.end(), [&](const auto& o) { return o.name == name; });
  }

 private:
  // On a GPU the backward pass runs in LibTorch's autograd thread, which inherits the callbacks; its operations are not
  // recorded.
  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    if (recorder == nullptr) return nullptr;
    auto& all = recorder->operations_;
    auto& open = recorder->open_;
    Operation operation{.name = function.name()};
    if (!open.empty()) {
      all[open.back()].has_nested = true;
      operation.around = all[open.back()].around + all[open.back()].name + " ";
    }
#ifdef NDEBUG  // in a debug build inputs() checks a member that only LibTorch's debug builds have
    for (const auto& input : function.inputs()) operation.bytes += bytes_of(input);
#endif
    open.push_back(all.size());
    all.push_back(operation);
    return nullptr;
  }

  static void end(const at::RecordFunction& function, at::ObserverContext*) {
    if (recorder == nullptr) return;
    Operation& operation = recorder->operations_[recorder->open_.back()];
    recorder->open_.pop_back();
    for (const auto& output : function.outputs()) operation.bytes += bytes_of(output);
  }

  static int64_t bytes_of(const c10::IValue& value) {
    int64_t bytes = 0;
    if (value.isTensor() && value.toTensor().defined()) bytes = static_cast<int64_t>(value.toTensor().nbytes());
    if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorList()) bytes += static_cast<int64_t>(tensor.nbytes());
    }
    return bytes;
  }

  inline static thread_local OperationRecorder* recorder = nullptr;

  at::CallbackHandle callback_;
  std::vector<Operation> operations_;
  std::vector<size_t> open_;
};

}  // namespace transformer
