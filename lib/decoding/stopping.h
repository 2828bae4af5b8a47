#pragma once

#include <array>

#include "base/enum_names.h"

namespace transformer {

/// When the beam search of a sentence ends, before its hypotheses reach the maximal length:
/// - exact: when no live hypothesis can still beat the best finished one. Every hypothesis that ends is finished.
/// - full: when `beam_size` hypotheses have finished (CTranslate2, fairseq, transformers' `early_stopping: true`).
/// - outscored: when `beam_size` have finished, and none of the best of them scores less than the best live one does at
///   its present length (transformers' default, `early_stopping: false`).
/// - shrinking: when none is live, because each finished one leaves the beam narrower by one (Marian).
/// - topmost: when the best continuation of a step ends (OpenNMT-py).
/// Under all but the first, a hypothesis that ends is finished only if it is among the best of its step that fit into
/// the beam, and live ones of the maximal length are finished, too.
enum class Stopping { exact, full, outscored, shrinking, topmost };

template <>
struct EnumNames<Stopping> {
  static constexpr std::array names = {"exact", "full", "outscored", "shrinking", "topmost"};
};

}  // namespace transformer
