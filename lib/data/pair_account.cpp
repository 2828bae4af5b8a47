#include "data/pair_account.h"

#include <fmt/core.h>

#include <numeric>

#include "base/format.h"

namespace transformer {
namespace {

/// What the pairs with a fault are, and how to drop those that are kept.
struct Description {
  const char* text;
  const char* remedy = "";
};

Description description(PairFault fault) {
  switch (fault) {
    case PairFault::empty:
      return {"with an empty side"};
    case PairFault::too_long:
      return {"too long"};
    case PairFault::length_ratio:
      return {"with sides of very different lengths"};
    case PairFault::copy:
      return {"with the same text on both sides", "data.remove_copies drops them"};
    case PairFault::duplicate:
      return {"that occurred before", "data.remove_duplicates drops them"};
    case PairFault::script:
      return {"in another script"};
    case PairFault::invalid_utf8:
      return {"not UTF-8", "the invalid bytes are replaced by U+FFFD"};
    case PairFault::held_out:
      return {"found in the validation or test text, too", "remove them from one of the two"};
  }
  return {""};
}

}  // namespace

void FaultyPairs::add(const std::string& place) {
  static constexpr size_t kMaxExamples = 10;
  ++count;
  if (examples.size() < kMaxExamples) examples.push_back(place);
}

int64_t PairsByFault::total() const {
  return std::accumulate(pairs_.begin(), pairs_.end(), int64_t{0},
                         [](int64_t sum, const FaultyPairs& pairs) { return sum + pairs.count; });
}

std::string PairAccount::lines() const {
  static constexpr size_t kShown = 3;
  std::string text;
  for (const bool are_dropped : {true, false}) {
    for (size_t i = 0; i < kNumPairFaults; ++i) {
      const auto fault = static_cast<PairFault>(i);
      const FaultyPairs& pairs = (are_dropped ? dropped : kept)[fault];
      if (pairs.count == 0) continue;
      const auto [what, remedy] = description(fault);
      const bool is_minimum = fault == PairFault::duplicate && !are_dropped && !knows_all_duplicates;
      text += fmt::format("\n    {}  {}{} {}{}: {}", are_dropped ? "dropped" : "kept   ", is_minimum ? "at least " : "",
                          counted(pairs.count, "pair"), what, are_dropped ? "" : in_parentheses(remedy),
                          enumeration(pairs.examples, "and", kShown, static_cast<size_t>(pairs.count)));
    }
  }
  return text;
}

}  // namespace transformer
