#include "inference/candidates.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace transformer {
namespace {

/// Removes translations of the same tokens, of which samples have many, except for the first.
void keep_first_of_equal(std::vector<Translation>& translations) {
  std::set<std::vector<TokenId>> seen;
  std::erase_if(translations, [&](const Translation& translation) { return !seen.insert(translation.tokens).second; });
}

}  // namespace

TranslationRequest sample_request(TranslationRequest request, int64_t sample) {
  static constexpr int kLineBits = 40;  // a line's sampling key has at most so many bits
  request.sampling_key += static_cast<uint64_t>(sample) << kLineBits;
  return request;
}

TranslatedLine merge_samples(std::vector<TranslatedLine> samples) {
  TranslatedLine line = std::move(samples.front());
  if (line.source_pieces.empty()) return line;  // it is blank
  for (auto sample = samples.begin() + 1; sample != samples.end(); ++sample) {
    line.translations.push_back(std::move(sample->translations.front()));
  }
  return line;
}

void choose_by_utility(TranslatedLine& line, const TranslationChoice& choice, const TranslatorOptions& options,
                       const ExpectedUtilities& expected_utilities) {
  auto& translations = line.translations;
  std::vector<std::string> texts;
  std::vector<double> weights;  // samples come as often as they are likely
  for (const Translation& translation : translations) {
    texts.push_back(translation.text);
    if (!options.sampling) weights.push_back(std::exp(translation.log_prob - line.best().log_prob));
  }
  const auto utilities = expected_utilities(texts, weights, choice.mbr_metric);
  for (size_t i = 0; i < utilities.size(); ++i) translations[i].utility = utilities[i];
  std::stable_sort(translations.begin(), translations.end(), [](const Translation& a, const Translation& b) {
    return std::pair(a.num_terms, a.utility) > std::pair(b.num_terms, b.utility);
  });
  keep_first_of_equal(translations);
  translations.resize(std::min(translations.size(), static_cast<size_t>(options.nbest)));
}

}  // namespace transformer
