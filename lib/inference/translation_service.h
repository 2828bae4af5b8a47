#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "inference/encode_line.h"
#include "inference/loaded_model.h"
#include "inference/prepared_control.h"
#include "inference/request_options.h"
#include "inference/translation.h"
#include "inference/translation_choice.h"
#include "inference/translator_options.h"
#include "inference/translator_pool.h"
#include "text/sentences.h"
#include "text/source_tags.h"

namespace transformer {

/// Too many translations are running; the request may succeed later.
class TooBusy : public Error {
 public:
  using Error::Error;
};

/// A text that is translated, or why it is not.
struct FinishedText {
  size_t index = 0;  // of the text in its request
  TranslatedLine line = {};
  std::exception_ptr error = nullptr;
};

/// The texts of a request while they are translated. One thread at a time may use it.
class RunningTranslation {
 public:
  /// Cancels what has not ended.
  ~RunningTranslation();
  RunningTranslation(const RunningTranslation&) = delete;
  RunningTranslation& operator=(const RunningTranslation&) = delete;

  /// How many texts `next` has not returned.
  size_t num_left() const { return num_left_; }
  /// Returns a text as soon as it is done, in the order in which they end; null if none is done within the time.
  std::optional<FinishedText> next(std::chrono::milliseconds time);

 private:
  friend class TranslationService;
  struct Found;
  struct State;
  struct Searches;
  struct Combination;
  struct Parts;

  /// `remarks`: those on each text.
  RunningTranslation(std::shared_ptr<const Combination> combination, std::vector<std::vector<std::string>> remarks);
  /// Begins to search for `num_samples_` samples, or for the translations, among which `choose_` chooses.
  void search(const TranslationRequest& request, const TranslatorPool::OnLine& on_line);
  void search_text(size_t text, const TranslationRequest& request);
  /// Begins to search for what is to be translated next of a divided text.
  void search_parts(size_t text);
  /// Takes the translations of parts. Returns false if other parts are searched now; otherwise the text is joined.
  bool take_parts(Found& found);
  void search_alternatives(size_t text, const TranslationRequest& request, TokenId end);

  const std::shared_ptr<const Combination> combination_;  // whose searches must not end before this
  const std::shared_ptr<State> state_;                    // which the callbacks share
  std::vector<std::vector<std::string>> remarks_;
  size_t num_left_;
  int64_t num_samples_ = 1;
  std::function<void(TranslatedLine& line)> choose_;
  std::unique_ptr<Parts> parts_;  // if the texts are divided
};

/// Translates the texts of requests with one model, in threads of its own. Texts of all requests with the same options
/// but for OutputControl, a tag or a seed are searched together; those that arrive while others are searched join them.
/// Any number of threads may use it.
class TranslationService {
 public:
  /// `options` has the batch size and the number of workers; the searches share the LibTorch threads of the calling
  /// thread. `utilities` compares candidates for requests with `mbr`.
  TranslationService(LoadedEnsemble models, const TranslatorOptions& options, ExpectedUtilities utilities);
  ~TranslationService();
  TranslationService(const TranslationService&) = delete;
  TranslationService& operator=(const TranslationService&) = delete;

  /// Begins to translate the texts. What it returns must not outlive the service. Throws ParameterError if the options
  /// contradict each other or the model's config or the tag is none of the model's, Error if a text or a prefix has a
  /// line break, no translation can begin with a prefix, or a term or forbidden phrase cannot be used, and TooBusy if
  /// translations with too many different options are running.
  ///
  /// `admit`, if given, is called with the number of texts, or of their sentences if they are divided into these,
  /// before anything is searched; it may throw.
  std::unique_ptr<RunningTranslation> begin(const std::vector<RequestedText>& texts, const RequestOptions& options,
                                            const std::function<void(int64_t num_texts)>& admit = {});

  /// The sentences of a line, each with the tag with which the line begins; none of a blank one.
  std::vector<std::string> sentences_of(const std::string& line, const SentenceSplitter& splitter) const;

  const InferenceConfig& config() const { return models_.config; }

 private:
  /// All that the searches depend on; the seed of samples and most of the control belong to each request.
  struct Settings {
    DecodingConfig config;
    TranslatorOptions options;

    bool operator==(const Settings&) const = default;
  };
  /// A combination of options that requests have.
  struct UsedCombination {
    Settings settings;
    int64_t alternatives = 0;
    std::shared_ptr<const RunningTranslation::Combination> combination;
  };

  /// A control that requests have.
  struct UsedControl {
    OutputControl control;
    std::shared_ptr<const PreparedControl> prepared;
  };

  Settings settings_of(const RequestOptions& options) const;
  std::shared_ptr<const RunningTranslation::Combination> combination_of(const Settings& settings, int64_t alternatives);
  std::shared_ptr<RunningTranslation::Searches> start_searches(const Settings& settings) const;
  std::shared_ptr<const PreparedControl> control_of(const OutputControl& control);
  TranslationRequest request_of(const RequestedText& text, uint64_t number, const DecodingConfig& config,
                                const LengthLimit& limit, const SourceTags& tags) const;
  /// The texts in parts; null if the options do not divide them.
  static std::unique_ptr<RunningTranslation::Parts> divided(const std::vector<RequestedText>& texts,
                                                            const RequestOptions& options, const SourceTags& tags);

  const LoadedEnsemble models_;
  const TranslatorOptions options_;
  const ExpectedUtilities utilities_;
  const TokenId end_;  // of outputs
  const int num_threads_;
  std::mutex mutex_;                           // protects what follows
  std::vector<UsedCombination> combinations_;  // the most recently used last
  std::vector<UsedControl> controls_;          // likewise
};

}  // namespace transformer
