#pragma once

#include <functional>
#include <optional>
#include <string>

#include "serialization/archive.h"

namespace transformer {

/// The tensors of another program's model under its names. Each is taken once; what is left in the end is what the
/// import does not know.
class ForeignTensors {
 public:
  /// `path` is the file in messages.
  ForeignTensors(NamedTensors tensors, std::string path) : tensors_(std::move(tensors)), path_(std::move(path)) {}

  bool has(const std::string& name) const { return tensors_.contains(name); }
  void add(const std::string& name, const torch::Tensor& tensor) { tensors_.insert(name, tensor); }
  /// The tensor as fp32. Throws Error if there is none.
  torch::Tensor take(const std::string& name);
  std::optional<torch::Tensor> take_if_any(const std::string& name);
  /// A tensor with an element for each unit of its only dimension that is larger than 1.
  torch::Tensor take_vector(const std::string& name) { return take(name).flatten(); }
  /// The tensor in its own type, which stays. Throws Error if there is none.
  torch::Tensor peek(const std::string& name) const;
  /// Removes the tensors for which `is_known` is true, of which the import has no need.
  void drop(const std::function<bool(const std::string& name)>& is_known);
  /// Throws Error if a tensor is left.
  void check_all_are_taken() const;
  /// The number of layers: one more than the largest number n for which `name(n)` exists without a gap.
  int64_t count_layers(const std::function<std::string(int64_t n)>& name) const;

  const std::string& path() const { return path_; }

 private:
  NamedTensors tensors_;
  std::string path_;
};

}  // namespace transformer
