#pragma once

#if __has_include(<catch2/catch_all.hpp>)  // Catch2 3, in which these names have moved

#define CATCH_CONFIG_ENABLE_PAIR_STRINGMAKER  // instead of LibTorch's operator<<, which cannot write pairs of our types
#include <catch2/catch_all.hpp>
#include <string>

using Catch::Approx;

namespace Catch {

using Matchers::EndsWith;
using Matchers::Matches;
using Matchers::StartsWith;
using Matchers::VectorContains;

inline auto Contains(const std::string& text, CaseSensitive case_sensitive = CaseSensitive::Yes) {
  return Matchers::ContainsSubstring(text, case_sensitive);
}

}  // namespace Catch

#else

#include <catch2/catch.hpp>

#endif
