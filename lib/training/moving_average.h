#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/model_file.h"

namespace transformer {

/// An exponential moving average (EMA) of a module's parameters, which often translates better than the parameters of
/// a single step. The paper averages checkpoints instead (§6.1).
class MovingAverage {
 public:
  /// Starts with the present parameters. `module` must outlive the average.
  MovingAverage(const torch::nn::Module& module, double decay);

  /// Call after the update of the parameters in step `step`: average = d * average + (1 - d) * parameters, with
  /// d = min(decay, (1 + step) / (10 + step)), so that the initial parameters are soon forgotten.
  void update(int64_t step);

  /// Copies of the average, by the names of the parameters, on the CPU.
  NamedTensors state() const;
  /// Throws Error if a tensor is missing or has another shape; the message names the file `path`.
  void set_state(const NamedTensors& state, const std::string& path);

  /// While it exists, the module has the average as its parameters.
  class Scope {
   public:
    explicit Scope(MovingAverage& average) : average_(average) { average_.exchange(); }
    ~Scope() { average_.exchange(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    MovingAverage& average_;
  };

 private:
  /// Exchanges the values of the module's parameters and of the average.
  void exchange();

  double decay_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> parameters_, average_;
};

}  // namespace transformer
