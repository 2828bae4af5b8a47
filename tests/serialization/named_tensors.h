#pragma once

#include <string>

#include "catch.h"
#include "serialization/archive.h"

namespace transformer {

/// Tensors of every type, without elements, with a part of their storage only, and many.
inline NamedTensors tensors_of_every_kind() {
  NamedTensors tensors;
  for (const auto type : {torch::kFloat, torch::kDouble, torch::kBFloat16, torch::kHalf, torch::kLong, torch::kInt,
                          torch::kShort, torch::kChar, torch::kByte}) {
    tensors.insert(c10::toString(type), torch::arange(6).view({2, 3}).to(type));
  }
  tensors.insert("empty", torch::empty({0, 3}));
  tensors.insert("part", torch::arange(100, torch::kFloat).slice(0, 50, 60));
  for (int i = 0; i < 300; ++i) tensors.insert("number " + std::to_string(i), torch::tensor(i));
  return tensors;
}

/// Checks names, types and elements.
inline void check_same_tensors(const NamedTensors& found, const NamedTensors& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& entry : expected) {
    INFO(entry.key());
    CHECK(found.at(entry.key()).scalar_type() == entry.value().scalar_type());
    CHECK(torch::equal(found.at(entry.key()), entry.value()));
  }
}

}  // namespace transformer
