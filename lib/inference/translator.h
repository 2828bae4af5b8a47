#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/found_lines.h"
#include "decoding/beam_search.h"
#include "decoding/decoding_config.h"
#include "decoding/tree_constraint.h"
#include "inference/encode_line.h"
#include "inference/translation.h"
#include "inference/translator_options.h"
#include "model/transformer.h"
#include "text/tokenizers.h"

namespace transformer {

/// Counts over all lines translated so far.
struct TranslationCounts {
  int64_t num_lines = 0;
  int64_t num_output_tokens = 0;
  FoundLines truncated;  // longer than the model allows, so that only the beginning was translated
  FoundLines invalid;    // not valid UTF-8; the invalid bytes were replaced by U+FFFD
  FoundLines with_nul;   // with a NUL byte, as UTF-16 has, which was read as a space
};

/// The best text of each line.
std::vector<std::string> best_texts(const std::vector<std::vector<Translation>>& translations);

/// Warns if the beam is much wider than usual.
void warn_of_wide_beam(const DecodingConfig& config);

/// Translates lines of text: tokenizer, models and search together.
class Translator {
 public:
  /// Several models, which must have the same vocabularies, translate as an ensemble. The tokenizers must outlive the
  /// translator. Throws Error if `config.trees` is set and the vocabulary has no brackets.
  Translator(std::vector<Transformer> models, const Tokenizers& tokenizers, const DecodingConfig& config,
             const TranslatorOptions& options);

  /// Adds copies of the models on another device. `translate` then searches on all devices at once, with
  /// `options.workers` parallel searches on each.
  void add_replica(std::vector<Transformer> models) { replicas_.push_back(std::move(models)); }

  /// The maximum length of a line, beyond which it is cut, and of a prefix.
  const LengthLimit& max_line_length() const { return length_limit_; }

  /// Returns the translations of each line, best first. A blank line has one empty translation. If `prefixes` are
  /// given, pieces for each line, none of them unknown, translations begin with them, unless `config.trees` is set.
  /// Throws NonFiniteScores if the model's logits are not finite.
  std::vector<std::vector<Translation>> translate(const std::vector<std::string>& lines,
                                                  const std::vector<std::vector<int32_t>>& prefixes = {});

  const TranslationCounts& counts() const { return counts_; }

 private:
  /// A line, prepared for the search.
  struct Job {
    std::vector<int32_t> source;  // pieces; empty for a blank line
    std::vector<int64_t> prefix;
    int64_t num_words = 0;  // of the line, if outputs are trees; 0 otherwise
    uint64_t number;        // of the line, counted over all calls of translate()
  };

  Job make_job(const std::string& line, const std::vector<int32_t>& prefix);
  /// Restricts the outputs to trees or to those that begin with the prefixes; null if they are free.
  std::unique_ptr<SearchConstraint> make_constraint(const std::vector<const Job*>& jobs) const;
  /// The hypotheses of each job.
  SearchResults search(const std::vector<const Job*>& jobs);
  void add_alignments(const std::vector<const Job*>& jobs, const SearchResults& found,
                      const std::vector<std::vector<Translation>*>& translations);
  int64_t max_length(const Job& job) const;
  Translation translation_of(const Hypothesis& hypothesis) const;

  std::vector<std::vector<Transformer>> replicas_;  // the models, once for each device
  const Tokenizers& tokenizers_;
  const DecodingConfig config_;
  const TranslatorOptions options_;
  LengthLimit length_limit_;               // of an input line and of a prefix
  std::optional<BracketPieces> brackets_;  // if outputs are trees
  TranslationCounts counts_;
};

}  // namespace transformer
