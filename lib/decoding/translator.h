#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/tokenizer.h"
#include "decoding/alignment.h"
#include "decoding/beam_search.h"
#include "decoding/decoding_config.h"
#include "decoding/sampling.h"
#include "decoding/tree_constraint.h"
#include "model/transformer.h"

namespace transformer {

/// What happened to the lines so far, for the closing summary.
struct TranslationCounts {
  int64_t lines = 0;
  int64_t output_tokens = 0;
  int64_t cut = 0;       // longer than the model takes; their beginning was translated
  int64_t repaired = 0;  // held bytes that are not UTF-8, replaced by U+FFFD
};

struct TranslatorOptions {
  int64_t batch_size = 64;                       // sentences searched together, by each worker
  int64_t workers = 1;                           // searches beside each other, which share the threads
  int64_t output_pieces = 0;                     // that every output has, end symbol included, for measurements; 0: any
  int64_t nbest = 1;                             // translations of each line, at most the beam's size
  bool alignment = false;                        // whether translations come with theirs
  std::optional<SamplingOptions> sampling = {};  // in place of the search; one translation of each line
};

/// One translation of a line.
struct Translation {
  std::string text;                           // without line ends
  double score = 0;                           // log_prob / length penalty
  double log_prob = 0;                        // in nats
  std::vector<std::string> pieces;            // and the end symbol, where it came to that
  std::vector<float> piece_log_probs;         // of which log_prob is the sum
  std::vector<AlignedPieces> alignment = {};  // where asked for: of each piece but the end symbol
};

/// The best text of each line.
std::vector<std::string> best_texts(const std::vector<std::vector<Translation>>& translations);

/// Lines in, lines out: tokenizer, models and search together.
class Translator {
 public:
  /// Several models, of one vocabulary, translate as an ensemble. The tokenizer must outlive the translator. Throws
  /// Error where `config.trees` asks for what the vocabulary does not have.
  Translator(std::vector<Transformer> models, const Tokenizer& tokenizer, const DecodingConfig& config,
             const TranslatorOptions& options);

  /// The translations of each line, best first, in order. Blank lines have an empty one. Where `prefixes` are given,
  /// one for each line, translations begin with them; they hold no character that the vocabulary lacks.
  std::vector<std::vector<Translation>> translate(const std::vector<std::string>& lines,
                                                  const std::vector<std::string>& prefixes = {});

  const TranslationCounts& counts() const { return counts_; }

 private:
  /// A line as the search takes it.
  struct Job {
    std::vector<int32_t> source;  // its pieces; empty for a blank line
    std::vector<int64_t> prefix;
    int64_t num_words;
    uint64_t number;  // of the line, among all
  };

  Job make_job(const std::string& line, const std::string& prefix);
  /// The hypotheses of each job.
  SearchResults search(const std::vector<const Job*>& jobs);
  void add_alignments(const std::vector<const Job*>& jobs, const SearchResults& found,
                      const std::vector<std::vector<Translation>*>& translations);
  int64_t max_length(const Job& job) const;
  Translation translation_of(const Hypothesis& hypothesis) const;

  std::vector<Transformer> models_;
  const Tokenizer& tokenizer_;
  const DecodingConfig config_;
  const TranslatorOptions options_;
  int64_t most_positions_;                 // of an input and of an output
  std::optional<BracketPieces> brackets_;  // where outputs are trees
  TranslationCounts counts_;
};

}  // namespace transformer
