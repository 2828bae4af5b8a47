#include "decoding/renormalized_model.h"

#include "decoding/next_token_rules.h"

namespace transformer {

torch::Tensor RenormalizedModel::step(const std::vector<StepRow>& rows) {
  return model_.step(rows).index_fill_(1, removed_, kVeryUnlikely);
}

}  // namespace transformer
