#pragma once

#include <torch/torch.h>

#include <vector>

#include "distributed/process_group.h"
#include "model/model_file.h"

namespace transformer {

struct AdamOptions {
  double beta1, beta2, epsilon;
};

/// Adam (§5.3), by LibTorch's fused kernel: one pass over parameters, gradients and moments.
class Adam {
 public:
  /// With `sharers` (ZeRO-1) each rank keeps the moments of its share of the parameters' elements only, updates that
  /// share, and gets the others' from them. Both must outlive this.
  Adam(const torch::nn::Module& module, const AdamOptions& options, const ProcessGroup* sharers = nullptr);

  /// One update with the parameters' present gradients.
  void step(double learning_rate);
  /// Sets the gradients to zero, in place.
  void zero_grad();
  /// The Euclidean norm of all gradients together.
  double gradient_norm() const;
  void scale_gradients(double factor);

  /// The moments by "first.NAME" and "second.NAME", and the number of updates by "updates": whole, whoever keeps them.
  /// Sharers call it together.
  NamedTensors state() const;
  /// Throws Error where names or shapes differ; `path` is the file in its message.
  void set_state(const NamedTensors& state, const std::string& path);

  /// Bytes of the moments that this rank keeps.
  int64_t moment_bytes() const;

 private:
  /// Elements of one parameter, counted as in memory, that one rank updates.
  struct Piece {
    size_t parameter;
    int64_t begin, end;
    int owner;
  };

  void cut_into_pieces();
  bool is_own(const Piece& piece) const { return sharers_ == nullptr || piece.owner == sharers_->rank(); }
  /// The elements that this rank updates, of what has the parameters' shapes: flat views.
  std::vector<torch::Tensor> own_part(const std::vector<torch::Tensor>& tensors) const;
  std::vector<torch::Tensor> gradients() const;
  /// All elements for parameter number `parameter`, from what each rank keeps; in the parameter's shape, on the CPU.
  torch::Tensor whole(const std::vector<torch::Tensor>& moments, size_t parameter) const;
  void send_own_part() const;

  AdamOptions options_;
  const ProcessGroup* sharers_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> parameters_;
  std::vector<Piece> pieces_;                                  // of all ranks, in the parameters' order
  std::vector<torch::Tensor> first_moments_, second_moments_;  // of this rank's pieces, flat
  std::vector<torch::Tensor> updates_;                         // one count a piece, as the kernel wants it
};

}  // namespace transformer
