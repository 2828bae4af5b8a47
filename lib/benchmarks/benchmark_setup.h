#pragma once

#include <torch/types.h>

#include <string>
#include <vector>

#include "model/model_config.h"
#include "text/source_and_target.h"

namespace transformer {

/// "2 threads of AMD EPYC"; of a GPU its name.
std::string describe_machine(torch::Device device);

/// What a benchmark measures, for its first line: the model's shape, `how` it is run ("int8, beam size 4") and the
/// machine.
std::string benchmark_setup(const ModelConfig& model, VocabularySizes vocabularies, const std::string& how,
                            torch::Device device);

/// The median of at least one value; of an even number the mean of the middle two.
double median(std::vector<double> values);

}  // namespace transformer
