#include "inference/translation_service.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>

#include "base/parameter_error.h"
#include "inference/encode_line.h"
#include "inference/translator.h"

namespace transformer {
namespace {

/// So many combinations of options have threads of their own at once.
constexpr size_t kMaxSettings = 8;

/// The pieces of a prefix, which messages call `name`.
std::vector<TokenId> encode_prefix(const Tokenizer& tokenizer, const std::string& prefix, const LengthLimit& limit,
                                   const std::string& name) {
  auto pieces = encode_whole_line(tokenizer, prefix, limit, name).pieces;
  if (std::find(pieces.begin(), pieces.end(), tokenizer.special_tokens().unknown) != pieces.end()) {
    throw Error(
        "{}: has a character that the model's vocabulary lacks, so no translation can begin with it; leave the "
        "character out",
        name);
  }
  return pieces;
}

}  // namespace

/// A translator and the threads that search with it.
struct RunningTranslation::Searches {
  Searches(const LoadedEnsemble& models, const DecodingConfig& config, const TranslatorOptions& options)
      : translator(models.replicas, models.tokenizers, config, options), pool(translator) {}

  const Translator translator;
  TranslatorPool pool;
};

/// The texts that are done and not yet taken.
struct RunningTranslation::Finished {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<FinishedText> texts;
};

RunningTranslation::RunningTranslation(std::shared_ptr<Searches> searches)
    : searches_(std::move(searches)), finished_(std::make_shared<Finished>()) {}

RunningTranslation::~RunningTranslation() {
  for (const SharedSentence& sentence : sentences_) {
    if (sentence) sentence->cancel();
  }
}

std::optional<FinishedText> RunningTranslation::next(std::chrono::milliseconds time) {
  std::unique_lock lock(finished_->mutex);
  if (!finished_->changed.wait_for(lock, time, [&] { return !finished_->texts.empty(); })) return std::nullopt;
  FinishedText text = std::move(finished_->texts.front());
  finished_->texts.pop_front();
  --num_left_;
  return text;
}

TranslationService::TranslationService(LoadedEnsemble models, const TranslatorOptions& options)
    : models_(std::move(models)), options_(options), num_threads_(at::get_num_threads()) {
  searches_with({});  // so that the first request need not wait for threads to start
}

TranslationService::~TranslationService() = default;

std::shared_ptr<RunningTranslation::Searches> TranslationService::searches_with(const RequestOptions& options) {
  const DecodingConfig config = options.decoding.applied_to(models_.config.decoding);
  const TranslatorOptions translator = options.applied_to(options_);
  if (config.trees && translator.replace_unknowns) {
    throw ParameterError("'replace_unknowns': outputs that are trees have no unknown pieces; give 'trees' false");
  }
  check_fits(config, translator);
  Settings settings(config, translator);
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(searches_.begin(), searches_.end(), [&](const auto& one) { return one.first == settings; });
  if (found != searches_.end()) {
    std::rotate(found, found + 1, searches_.end());
    return searches_.back().second;
  }
  if (searches_.size() == kMaxSettings) {
    const auto unused =
        std::find_if(searches_.begin(), searches_.end(), [](const auto& one) { return one.second.use_count() == 1; });
    if (unused == searches_.end()) {
      throw TooBusy("translations with {} other combinations of options are running; try again later", kMaxSettings);
    }
    searches_.erase(unused);
  }
  // The number of LibTorch's threads is a property of each thread, and that of the caller stays as it is.
  auto searches = std::async(std::launch::async, [&] {
                    at::set_num_threads(num_threads_);
                    return std::make_shared<RunningTranslation::Searches>(models_, config, translator);
                  }).get();
  searches_.emplace_back(std::move(settings), searches);
  return searches;
}

std::unique_ptr<RunningTranslation> TranslationService::begin(const std::vector<RequestedText>& texts,
                                                              const RequestOptions& options) {
  auto searches = searches_with(options);
  const Translator& translator = searches->translator;
  const bool has_trees = options.decoding.applied_to(models_.config.decoding).trees;
  std::vector<TranslationRequest> requests;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& [text, prefix] = texts[i];
    if (text.find('\n') != std::string::npos) {
      throw Error("text {}: has a line break; give each line as a text of its own", i + 1);
    }
    TranslationRequest& request = requests.emplace_back(TranslationRequest{.text = text, .sampling_key = i});
    if (prefix.empty()) continue;
    if (has_trees) throw ParameterError("'prefix': outputs that are trees take no prefix; give 'trees' false");
    request.prefix = encode_prefix(models_.tokenizers.target(), prefix, translator.max_line_length(),
                                   fmt::format("prefix {}", i + 1));
  }

  std::unique_ptr<RunningTranslation> running(new RunningTranslation(std::move(searches)));
  running->num_left_ = texts.size();
  for (size_t i = 0; i < requests.size(); ++i) {
    running->sentences_.push_back(running->searches_->pool.add(
        requests[i], [finished = running->finished_, i](TranslatedLine line, std::exception_ptr error) {
          const std::lock_guard lock(finished->mutex);
          finished->texts.push_back({i, std::move(line), std::move(error)});
          finished->changed.notify_one();
        }));
  }
  return running;
}

}  // namespace transformer
