#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/model_file.h"

namespace transformer {

struct AdamOptions {
  double beta1, beta2, epsilon;
};

/// Adam (§5.3), by LibTorch's fused kernel: one pass over parameters, gradients and moments.
class Adam {
 public:
  Adam(const torch::nn::Module& module, const AdamOptions& options);

  /// One update with the parameters' present gradients.
  void step(double learning_rate);
  /// Sets the gradients to zero, in place.
  void zero_grad();
  /// The Euclidean norm of all gradients together.
  double gradient_norm() const;
  void scale_gradients(double factor);

  /// The moments by "first.NAME" and "second.NAME", and the number of updates by "updates".
  NamedTensors state() const;
  /// Throws Error where names or shapes differ; `path` is the file in its message.
  void set_state(const NamedTensors& state, const std::string& path);

 private:
  AdamOptions options_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> parameters_, gradients_, first_moments_, second_moments_;
  std::vector<torch::Tensor> updates_;  // one count a parameter, as the kernel wants it
};

}  // namespace transformer
