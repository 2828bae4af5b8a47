#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decoding/decoding_config.h"
#include "decoding/search_step.h"
#include "decoding/sentence_queue.h"
#include "decoding/tree_processor.h"
#include "inference/encode_line.h"
#include "inference/prepared_control.h"
#include "inference/translation.h"
#include "inference/translator_options.h"
#include "model/transformer.h"
#include "text/tokenizers.h"

namespace transformer {

/// The lines as requests; the sampling keys are their numbers, beginning with `first_number`.
std::vector<TranslationRequest> requests_of(const std::vector<std::string>& lines, uint64_t first_number = 0);

/// The best text of each line.
std::vector<std::string> best_texts(const std::vector<TranslatedLine>& lines);

/// Warns if the beam is much wider than usual.
void warn_of_wide_beam(const DecodingConfig& config);

/// Translates lines of text: tokenizer, models and search together. Any number of threads may use one translator.
class Translator {
 public:
  /// `replicas` has the models for each device, at least one; searches run on all devices, with `options.workers`
  /// parallel searches on each. Several models, which must have the same vocabularies, translate as an ensemble; they
  /// must be in evaluation mode. The tokenizers must outlive the translator. Throws Error if `config.trees` is set and
  /// the vocabulary has no brackets, and as forbidden_tokens, `check` and prepare_control do.
  ///
  /// `on_search_step`, if given, is called in each step of a beam search. A sentence's id is its index among the lines
  /// that are not blank, the longest first. With several workers or devices several threads call it at once.
  Translator(std::vector<std::vector<Transformer>> replicas, const Tokenizers& tokenizers, const DecodingConfig& config,
             const TranslatorOptions& options, SearchStepCallback on_search_step = {});
  /// On the device of one model.
  Translator(Transformer model, const Tokenizers& tokenizers, const DecodingConfig& config,
             const TranslatorOptions& options, SearchStepCallback on_search_step = {})
      : Translator(std::vector(1, std::vector(1, std::move(model))), tokenizers, config, options,
                   std::move(on_search_step)) {}

  /// The maximum length of a line, beyond which it is cut, and of a prefix.
  const LengthLimit& max_line_length() const { return length_limit_; }
  /// Throws ParameterError as check_control does, and if no output can be as long as `control` demands. Requests with a
  /// control of their own must pass this.
  void check(const OutputControl& control) const;
  /// How many searches for so many sentences, or for sentences that arrive one by one, run at once.
  int64_t num_workers(int64_t num_sentences = std::numeric_limits<int64_t>::max()) const;

  /// Returns the translations of each line. `on_progress`, if given, is called whenever a line is done, with the number
  /// of lines that are, by one thread at a time; blank lines are not counted. Throws NonFiniteScores if the model's
  /// logits are not finite.
  std::vector<TranslatedLine> translate(const std::vector<TranslationRequest>& lines,
                                        const std::function<void(int64_t num_lines)>& on_progress = {}) const;

  // The parts of `translate`, for sentences that arrive one by one (TranslatorPool).

  /// A line as the search takes it.
  struct EncodedRequest {
    TranslatedLine line;   // without translations, unless it is blank
    SearchRequest search;  // without on_result; its source is empty if the line is blank
  };
  EncodedRequest encode(const TranslationRequest& line) const;
  SearchCapacity capacity() const;
  /// Searches for the outputs of the queue's sentences on the device of the worker with this number, until the queue is
  /// closed and empty. Throws as `translate` does.
  void search(SentenceQueue& queue, int64_t worker) const;
  /// Sets the translations of the line, whose pieces are `source`, to the hypotheses that the search has found.
  void add_translations(TranslatedLine& line, const std::vector<TokenId>& source,
                        const std::vector<Hypothesis>& hypotheses) const;

 private:
  std::vector<Translation> without_alignments(const std::vector<Hypothesis>& hypotheses) const;
  /// `translations[i]` are of the source `sources[i]`.
  void add_alignments(const std::vector<const std::vector<TokenId>*>& sources,
                      const std::vector<std::vector<Translation>*>& translations) const;
  /// Adds the coverage penalty to the scores, and keeps as many of the best translations as are requested.
  void rank_by_coverage(const std::vector<const std::vector<TokenId>*>& sources,
                        const std::vector<std::vector<Translation>*>& translations) const;
  /// Sets the words and the word alignments of the translations, as far as they are requested.
  void add_words(TranslatedLine& line) const;
  /// Whether the translations of the line must be aligned.
  bool needs_alignment(const TranslatedLine& line) const;
  /// Puts the characters of unknown source pieces in the place of the unknown pieces that are aligned with them.
  void replace_unknowns(TranslatedLine& line) const;
  int64_t max_length(const SearchRequest& request, int64_t shortest, std::optional<int64_t> longest) const;

  std::vector<std::vector<Transformer>> replicas_;  // the models, once for each device
  const Tokenizers& tokenizers_;
  const SourceAndTarget<SpecialTokens> special_tokens_;
  const DecodingConfig config_;
  const TranslatorOptions options_;
  const SearchStepCallback on_search_step_;
  LengthLimit length_limit_;                                   // of an input line and of a prefix
  std::optional<BracketPieces> brackets_;                      // if outputs are trees
  LogitsProcessors processors_;                                // of all sentences, the banned tokens first
  std::shared_ptr<const PreparedControl> control_;             // of requests that have none of their own
  std::shared_ptr<const LogitsProcessor> banned_but_unknown_;  // for sources with unknown pieces that are replaced
  std::vector<int64_t> removed_;  // the tokens without which probabilities are computed (`decoding.renormalize`)
};

}  // namespace transformer
