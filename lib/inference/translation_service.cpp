#include "inference/translation_service.h"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>

#include "base/clock.h"
#include "base/parameter_error.h"
#include "inference/alternatives.h"
#include "inference/candidates.h"
#include "inference/divided_line.h"
#include "inference/text_remarks.h"
#include "inference/translator.h"
#include "model/decoder_start.h"
#include "platform/own_threads.h"
#include "text/clean_line.h"
#include "text/placeholders.h"

namespace transformer {
namespace {

/// So many combinations of options have threads of their own at once.
constexpr size_t kMaxCombinations = 8;
/// So many controls stay prepared, for clients whose requests all have the same forbidden words or terms.
constexpr size_t kMaxControls = 8;

/// Makes the element for which `is_wanted` holds the last one. Returns whether there is one.
template <class Element, class IsWanted>
bool move_to_end(std::vector<Element>& elements, const IsWanted& is_wanted) {
  const auto found = std::find_if(elements.begin(), elements.end(), is_wanted);
  if (found == elements.end()) return false;
  std::rotate(found, found + 1, elements.end());
  return true;
}

void check_is_line(const std::string& text, const char* kind, uint64_t number) {
  if (text.find('\n') == std::string::npos) return;
  throw Error("{} {}: has a line break; give each line as a {} of its own", kind, number, kind);
}

/// The pieces of a prefix, which messages call `name`.
std::vector<TokenId> encode_prefix(const Tokenizer& tokenizer, const std::string& prefix, const LengthLimit& limit,
                                   const std::string& name) {
  auto pieces = encode_whole_line(tokenizer, prefix, limit, name).pieces;
  check_is_known_prefix(tokenizer, prefix, pieces, name);
  return pieces;
}

/// The lines that several searches find for one text.
class JoinedLines {
 public:
  using OnAll = std::function<void(std::vector<TranslatedLine> lines, std::exception_ptr error)>;

  /// Calls `on_all` when all lines have been set, with the first error of any.
  JoinedLines(size_t count, OnAll on_all) : lines_(count), num_left_(count), on_all_(std::move(on_all)) {}

  void set(size_t i, TranslatedLine line, const std::exception_ptr& error) {
    {
      const std::lock_guard lock(mutex_);
      lines_[i] = std::move(line);
      if (!error_) error_ = error;
      if (--num_left_ > 0) return;
    }
    on_all_(std::move(lines_), error_);
  }

 private:
  std::mutex mutex_;  // protects the following three
  std::vector<TranslatedLine> lines_;
  size_t num_left_;
  std::exception_ptr error_;
  const OnAll on_all_;
};

}  // namespace

/// A translator and the threads that search with it.
struct RunningTranslation::Searches {
  Searches(const LoadedEnsemble& models, const DecodingConfig& config, const TranslatorOptions& options)
      : translator(models.replicas, models.tokenizers, config, options), pool(translator) {}

  const Translator translator;
  TranslatorPool pool;
};

/// The searches of requests with the same options.
struct RunningTranslation::Combination {
  std::shared_ptr<Searches> next_pieces;  // with `alternatives`: for the pieces that may come next
  std::shared_ptr<Searches> translations;
};

/// The texts of a request that divides them, and what does so.
struct RunningTranslation::Parts {
  Parts(const PartOptions& options, SourceTags source_tags, uint64_t first)
      : tags(std::move(source_tags)), first_text(first) {
    if (options.split == LineParts::sentences) splitter.emplace(options.split_language);
    if (options.keep_placeholders()) placeholders.emplace(options.protect, options.protect_regex);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void add(const TranslationRequest& text) {
    const LineDivision division = {splitter ? &*splitter : nullptr, placeholders ? &*placeholders : nullptr, tags};
    lines.emplace_back(division, text);
  }

  /// How many texts are searched at first.
  int64_t num_requests() const {
    int64_t count = 0;
    for (const DividedLine& line : lines) count += std::ssize(line.requests());
    return count;
  }

  std::optional<SentenceSplitter> splitter;
  std::optional<Placeholders> placeholders;
  const SourceTags tags;
  const uint64_t first_text;
  std::vector<DividedLine> lines;
  std::shared_ptr<const PreparedControl> control;  // of all parts
};

/// The translated line of a text, or those of its parts; or an error.
struct RunningTranslation::Found {
  size_t text;
  std::vector<TranslatedLine> lines;
  std::exception_ptr error;
};

struct RunningTranslation::State {
  std::mutex finished_mutex;  // protects `finished`
  std::condition_variable changed;
  std::deque<Found> finished;  // and not yet taken

  std::mutex search_mutex;  // protects what follows
  std::vector<SharedSentence> sentences;
  bool is_cancelled = false;

  void finish(size_t text, std::vector<TranslatedLine> lines, std::exception_ptr error) {
    const std::lock_guard lock(finished_mutex);
    finished.push_back({text, std::move(lines), std::move(error)});
    changed.notify_one();
  }
  void finish(size_t text, TranslatedLine line, std::exception_ptr error) {
    std::vector<TranslatedLine> lines;
    lines.push_back(std::move(line));
    finish(text, std::move(lines), std::move(error));
  }

  /// Takes what has finished first; null if nothing has until the deadline.
  std::optional<Found> take(Clock::time_point deadline) {
    std::unique_lock lock(finished_mutex);
    if (!changed.wait_until(lock, deadline, [&] { return !finished.empty(); })) return std::nullopt;
    Found found = std::move(finished.front());
    finished.pop_front();
    return found;
  }

  /// Begins a search, unless all are cancelled.
  void search(TranslatorPool& pool, const TranslationRequest& request, TranslatorPool::OnLine on_line) {
    const std::lock_guard lock(search_mutex);
    if (!is_cancelled) sentences.push_back(pool.add(request, std::move(on_line)));
  }
};

RunningTranslation::RunningTranslation(std::shared_ptr<const Combination> combination,
                                       std::vector<std::vector<std::string>> remarks)
    : combination_(std::move(combination)),
      state_(std::make_shared<State>()),
      remarks_(std::move(remarks)),
      num_left_(remarks_.size()) {}

RunningTranslation::~RunningTranslation() {
  std::vector<SharedSentence> sentences;
  {
    const std::lock_guard lock(state_->search_mutex);
    state_->is_cancelled = true;
    sentences.swap(state_->sentences);
  }
  for (const SharedSentence& sentence : sentences) {
    if (sentence) sentence->cancel();
  }
}

std::optional<FinishedText> RunningTranslation::next(std::chrono::milliseconds time) {
  const auto deadline = Clock::now() + time;
  auto found = state_->take(deadline);
  while (found && parts_ != nullptr && !take_parts(*found)) found = state_->take(deadline);
  if (!found) return std::nullopt;
  FinishedText text{found->text, std::move(found->lines.front()), found->error};
  text.line.remarks = std::move(remarks_[text.index]);
  --num_left_;
  return text;
}

void RunningTranslation::search(const TranslationRequest& request, const TranslatorPool::OnLine& on_line) {
  const auto joined = std::make_shared<JoinedLines>(
      num_samples_, [choose = choose_, on_line](std::vector<TranslatedLine> samples, std::exception_ptr error) {
        TranslatedLine line;
        try {
          if (!error) {
            line = merge_samples(std::move(samples));
            choose(line);
          }
        } catch (...) {
          error = std::current_exception();
        }
        on_line(std::move(line), error);
      });
  for (int64_t sample = 0; sample < num_samples_; ++sample) {
    state_->search(combination_->translations->pool, sample_request(request, sample),
                   [joined, sample](TranslatedLine line, const std::exception_ptr& error) {
                     joined->set(static_cast<size_t>(sample), std::move(line), error);
                   });
  }
}

void RunningTranslation::search_text(size_t text, const TranslationRequest& request) {
  search(request, [state = state_, text](TranslatedLine line, std::exception_ptr error) {
    state->finish(text, std::move(line), std::move(error));
  });
}

void RunningTranslation::search_parts(size_t text) {
  const auto& requests = parts_->lines[text].requests();
  const auto joined = std::make_shared<JoinedLines>(
      requests.size(), [state = state_, text](std::vector<TranslatedLine> parts, std::exception_ptr error) {
        state->finish(text, std::move(parts), std::move(error));
      });
  for (size_t i = 0; i < requests.size(); ++i) {
    TranslationRequest request = requests[i];
    request.control = parts_->control;
    search(request, [joined, i](TranslatedLine line, const std::exception_ptr& error) {
      joined->set(i, std::move(line), error);
    });
  }
}

// In the thread of the request, not in one that searches: regular expressions of users may take long.
bool RunningTranslation::take_parts(Found& found) {
  if (found.error) return true;
  DividedLine& line = parts_->lines[found.text];
  try {
    line.add(std::exchange(found.lines, {}));
    if (!line.requests().empty()) {
      search_parts(found.text);
      return false;
    }
    JoinedLine joined = std::move(line).joined();
    found.lines.push_back(std::move(joined.line));
    auto& remarks = remarks_[found.text];
    if (joined.was_cut) {
      remarks.emplace_back("the model did not keep a placeholder; what is between placeholders was translated apart");
    }
    if (joined.lacks_placeholder) remarks.emplace_back("its translation lacks a placeholder or has another one");
  } catch (const Error& error) {
    found.lines.resize(1);
    const uint64_t number = parts_->first_text + found.text + 1;
    found.error = std::make_exception_ptr(Error("text {}: {}", number, error.what()));
  }
  return true;
}

void RunningTranslation::search_alternatives(size_t text, const TranslationRequest& request, TokenId end) {
  state_->search(combination_->next_pieces->pool, next_piece_request(request),
                 [state = state_, &pool = combination_->translations->pool, text, request, end](
                     TranslatedLine line, const std::exception_ptr& error) {
                   std::vector<Continuation> continuations;
                   if (!error) continuations = continuations_of(request, line, end);
                   if (continuations.empty()) return state->finish(text, std::move(line), error);
                   const auto joined = std::make_shared<JoinedLines>(
                       continuations.size(),
                       [state, text, line, continuations](const std::vector<TranslatedLine>& continued,
                                                          const std::exception_ptr& failure) mutable {
                         for (size_t i = 0; i < continued.size() && !failure; ++i) {
                           replace_beginning(line, continuations[i].alternative, continued[i]);
                         }
                         state->finish(text, std::move(line), failure);
                       });
                   for (size_t i = 0; i < continuations.size(); ++i) {
                     state->search(pool, continuations[i].request,
                                   [joined, i](TranslatedLine continued, const std::exception_ptr& failure) {
                                     joined->set(i, std::move(continued), failure);
                                   });
                   }
                 });
}

TranslationService::TranslationService(LoadedEnsemble models, const TranslatorOptions& options,
                                       ExpectedUtilities utilities)
    : models_(std::move(models)),
      options_(options),
      utilities_(std::move(utilities)),
      end_(special_tokens_of(models_.replicas.at(0).at(0)->config(), models_.tokenizers).target().end),
      num_threads_(at::get_num_threads()) {
  combination_of(settings_of({}), /*alternatives=*/0);  // so that the first request need not wait for threads to start
}

TranslationService::~TranslationService() = default;

TranslationService::Settings TranslationService::settings_of(const RequestOptions& options) const {
  const DecodingConfig config = options.decoding.applied_to(models_.config.decoding);
  const TranslatorOptions translator = options.applied_to(options_);
  if (config.trees && translator.replace_unknowns) {
    throw ParameterError("'replace_unknowns': outputs that are trees have no unknown pieces; give 'trees' false");
  }
  check_choice_fits(options.choice, translator, config);
  return {config, translator};
}

std::shared_ptr<RunningTranslation::Searches> TranslationService::start_searches(const Settings& settings) const {
  // The number of LibTorch's threads is a property of each thread, and that of the caller stays as it is.
  return std::async(std::launch::async,
                    [&] {
                      set_own_threads(num_threads_);
                      return std::make_shared<RunningTranslation::Searches>(models_, settings.config, settings.options);
                    })
      .get();
}

std::shared_ptr<const RunningTranslation::Combination> TranslationService::combination_of(const Settings& settings,
                                                                                          int64_t alternatives) {
  const std::lock_guard lock(mutex_);
  const bool is_known = move_to_end(combinations_, [&](const UsedCombination& one) {
    return one.settings == settings && one.alternatives == alternatives;
  });
  if (is_known) return combinations_.back().combination;
  // Requests that differ in the number of alternatives alone share the second of their searches.
  const auto similar = std::find_if(combinations_.begin(), combinations_.end(),
                                    [&](const UsedCombination& one) { return one.settings == settings; });
  auto translations = similar == combinations_.end() ? nullptr : similar->combination->translations;
  if (combinations_.size() == kMaxCombinations) {
    const auto unused = std::find_if(combinations_.begin(), combinations_.end(),
                                     [](const UsedCombination& one) { return one.combination.use_count() == 1; });
    if (unused == combinations_.end()) {
      throw TooBusy("translations with {} other combinations of options are running; try again when one has ended",
                    kMaxCombinations);
    }
    combinations_.erase(unused);
  }
  auto combination = std::make_shared<RunningTranslation::Combination>();
  if (alternatives > 0) {
    combination->next_pieces = start_searches(
        {next_piece_config(settings.config, alternatives), next_piece_options(settings.options, alternatives)});
  }
  combination->translations = translations ? std::move(translations) : start_searches(settings);
  combinations_.push_back({settings, alternatives, combination});
  return combination;
}

std::shared_ptr<const PreparedControl> TranslationService::control_of(const OutputControl& control) {
  const auto is_same = [&](const UsedControl& one) { return one.control == control; };
  {
    const std::lock_guard lock(mutex_);
    if (move_to_end(controls_, is_same)) return controls_.back().prepared;
  }
  // Without the lock: many terms take long.
  auto prepared = std::make_shared<PreparedControl>(prepare_control(control, models_.tokenizers.target()));
  const std::lock_guard lock(mutex_);
  if (move_to_end(controls_, is_same)) return controls_.back().prepared;  // of a request at the same time
  if (controls_.size() == kMaxControls) controls_.erase(controls_.begin());
  controls_.push_back({control, prepared});
  return prepared;
}

/// The text as the searches take it; messages have its number, which counts from 0.
TranslationRequest TranslationService::request_of(const RequestedText& text, uint64_t number,
                                                  const DecodingConfig& config, const LengthLimit& limit,
                                                  const SourceTags& tags) const {
  check_is_line(text.text, "text", number + 1);
  check_is_line(text.prefix, "prefix", number + 1);
  TranslationRequest request = {.text = text.text, .sampling_key = number, .tag = tags.before_line(text.text)};
  if (text.prefix.empty()) return request;
  if (config.trees) throw ParameterError("'prefix': outputs that are trees take no prefix; give 'trees' false");
  request.prefix = encode_prefix(models_.tokenizers.target(), text.prefix, limit, fmt::format("prefix {}", number + 1));
  return request;
}

std::unique_ptr<RunningTranslation::Parts> TranslationService::divided(const std::vector<RequestedText>& texts,
                                                                       const RequestOptions& options,
                                                                       const SourceTags& tags) {
  if (!options.parts.divide_lines()) return nullptr;
  auto parts = std::make_unique<RunningTranslation::Parts>(options.parts, tags, options.first_text);
  const uint64_t seed = options.sample ? options.sampling.value_or(SamplingOptions()).seed : 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const uint64_t number = options.first_text + i;
    check_is_line(texts[i].text, "text", number + 1);
    if (!texts[i].prefix.empty()) {
      throw ParameterError("'prefix': begins whole lines; leave it out with 'split' and 'protect'");
    }
    parts->add({.text = texts[i].text, .sampling_key = number, .seed = seed});
  }
  return parts;
}

std::vector<std::string> TranslationService::sentences_of(const std::string& line,
                                                          const SentenceSplitter& splitter) const {
  const std::string text = clean_line(line).text;
  const size_t tag_size = SourceTags(models_.tokenizers.source(), models_.config.tags).size_in(text);
  std::vector<std::string> sentences;
  for (const auto& [begin, end] : splitter.split(std::string_view(text).substr(tag_size))) {
    sentences.push_back(text.substr(0, tag_size) + text.substr(tag_size + begin, end - begin));
  }
  return sentences;
}

std::unique_ptr<RunningTranslation> TranslationService::begin(const std::vector<RequestedText>& texts,
                                                              const RequestOptions& options,
                                                              const std::function<void(int64_t num_texts)>& admit) {
  const TranslationChoice& choice = options.choice;
  const SourceTags tags(models_.tokenizers.source(), models_.config.tags, options.tag);
  Settings settings = settings_of(options);
  const TranslatorOptions requested = settings.options;
  settings.options = candidate_options(choice, requested);
  settings.options.control = requested.control.common();
  if (requested.sampling) settings.options.sampling->seed = 0;  // each request has its own
  auto parts = divided(texts, options, tags);
  if (admit) admit(parts ? parts->num_requests() : std::ssize(texts));
  const auto combination = combination_of(settings, choice.alternatives);
  const Translator& translator = combination->translations->translator;
  translator.check(requested.control);
  const auto control = control_of(requested.control);
  if (parts) parts->control = control;
  const LengthLimit& limit = translator.max_line_length();
  std::vector<TranslationRequest> requests;
  std::vector<std::vector<std::string>> remarks;
  for (size_t i = 0; i < texts.size(); ++i) {
    remarks.push_back(remarks_on(texts[i].text, models_, options.tag));
    if (parts) continue;
    requests.push_back(request_of(texts[i], options.first_text + i, settings.config, limit, tags));
    requests.back().control = control;
    if (requested.sampling) requests.back().seed = requested.sampling->seed;
  }

  std::unique_ptr<RunningTranslation> running(new RunningTranslation(combination, std::move(remarks)));
  running->num_samples_ = choice.num_samples(requested);
  running->choose_ = [this, choice, requested](TranslatedLine& line) {
    if (choice.mbr > 0) choose_by_utility(line, choice, requested, utilities_);
  };
  running->parts_ = std::move(parts);
  for (size_t i = 0; i < texts.size() && running->parts_ != nullptr; ++i) running->search_parts(i);
  for (size_t i = 0; i < requests.size(); ++i) {
    if (choice.alternatives > 0) {
      running->search_alternatives(i, requests[i], end_);
    } else {
      running->search_text(i, requests[i]);
    }
  }
  return running;
}

}  // namespace transformer
