#pragma once

#include <vector>

#include "decoding/alignment.h"

namespace transformer {

/// The coverage penalty of Wu et al. (2016, Equation 14) of each pair, not multiplied by beta:
///   sum over source tokens i of log(min(sum over output tokens j of p_ij, 1)),
/// where p_ij is the weight of the last decoder layer's cross-attention, averaged over its heads and the models. End
/// symbols count as tokens, as in CTranslate2; the paper does not say. It is 0 if the output attends to all of the
/// source, and negative otherwise.
std::vector<double> coverage_penalties(const std::vector<Transformer>& models,
                                       const std::vector<SourceAndOutput>& pairs,
                                       const SourceAndTarget<SpecialTokens>& special_tokens);

}  // namespace transformer
