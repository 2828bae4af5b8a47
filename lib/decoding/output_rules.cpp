#include "decoding/output_rules.h"

#include "ops/to_device.h"

namespace transformer {

std::vector<PermittedTokens> permitted_tokens(const OutputRules& rules, const std::vector<PartialOutput>& outputs) {
  std::vector<PermittedTokens> all;
  for (const PartialOutput& output : outputs) {
    PermittedTokens& permitted = all.emplace_back();
    permitted.banned = rules.banned;
    if (std::ssize(*output.tokens) + 1 < rules.min_length) permitted.banned.push_back(rules.end);
    if (rules.constraint == nullptr) continue;
    permitted.only = rules.constraint->allowed(output.sentence_id, *output.tokens);
    if (permitted.only) std::erase_if(*permitted.only, [&](int64_t token) { return permitted.bans(token); });
  }
  return all;
}

torch::Tensor mask_log_probs(torch::Tensor log_probs, const OutputRules& rules,
                             const std::vector<PartialOutput>& outputs) {
  std::vector<int64_t> restricted_rows;  // indices of rows
  std::vector<int64_t> listed, banned;   // indices of elements, in all rows one after another
  int64_t row = 0;
  for (const PermittedTokens& permitted : permitted_tokens(rules, outputs)) {
    const int64_t first = row * log_probs.size(1);
    if (permitted.only) {
      restricted_rows.push_back(row);
      for (const int64_t token : *permitted.only) listed.push_back(first + token);
    } else {
      for (const int64_t token : permitted.banned) banned.push_back(first + token);
    }
    ++row;
  }
  const auto device = log_probs.device();
  const auto all_rows = log_probs.view(-1);  // [rows * vocab]
  if (!restricted_rows.empty()) {
    const auto indices = to_device(listed, device);
    const auto kept = all_rows.index_select(0, indices);
    log_probs.index_fill_(0, to_device(restricted_rows, device), kImpossible);
    all_rows.index_copy_(0, indices, kept);
  }
  if (!banned.empty()) all_rows.index_fill_(0, to_device(banned, device), kImpossible);
  return log_probs;
}

}  // namespace transformer
