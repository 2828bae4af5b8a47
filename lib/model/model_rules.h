#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/model_config.h"
#include "settings/rules.h"

namespace transformer {

/// The rules about the architecture, which prevent building a network. `max_length` is `data.max_length` where it is
/// known.
inline void check_model(const ModelConfig& m, std::optional<int64_t> max_length, Rules& rules) {
  if (!(m.d_k && m.d_v)) {
    rules.require(m.d_model % m.h == 0, {"model.h", "model.d_model", "model.d_k", "model.d_v"},
                  "does not divide d_model: {} / {}; choose another h, or give d_k and d_v", m.d_model, m.h);
  }
  if (m.position == Position::learned) {
    rules.require(m.max_positions.has_value(), {"model.position", "model.max_positions", "data.max_length"},
                  "is learned, which needs a maximum; give model.max_positions{}",
                  max_length ? fmt::format(", above data.max_length ({})", *max_length) : "");
    rules.require(!m.max_positions || !max_length || *m.max_positions > *max_length,
                  {"model.max_positions", "model.position", "data.max_length"},
                  "must be above data.max_length ({}) to leave room for the end symbol", max_length.value_or(0));
    rules.require(m.sinusoids == Sinusoids::interleaved, {"model.sinusoids", "model.position"},
                  "has no effect with learned positions; remove it");
    rules.require(m.first_position == 0, {"model.first_position", "model.position"},
                  "has no effect with learned positions, of which the first row belongs to the first token; remove it");
  } else {
    rules.require(!m.max_positions, {"model.max_positions", "model.position"},
                  "has no effect with sinusoidal positions; remove it");
    rules.require(m.sinusoids == Sinusoids::interleaved || m.d_model % 2 == 0, {"model.sinusoids", "model.d_model"},
                  "divides the channels into halves, so that d_model must be even, got {}", m.d_model);
  }
}

}  // namespace transformer
