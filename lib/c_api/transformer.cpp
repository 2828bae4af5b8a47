#include "transformer.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/build_info.h"
#include "base/enum_names.h"
#include "base/error.h"
#include "base/format.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/similar_names.h"
#include "evaluation/minimum_bayes_risk.h"
#include "inference/loaded_model.h"
#include "inference/request_options.h"
#include "inference/scorer.h"
#include "inference/translation_answer.h"
#include "inference/translation_service.h"
#include "ops/packed_weight.h"
#include "platform/device.h"
#include "text/source_tags.h"

using namespace transformer;

namespace {

thread_local std::string last_error;
thread_local bool last_error_is_busy = false;

/// Calls `work`; if it throws, remembers why and returns `failure`.
template <class Result, class Work>
Result guarded(Result failure, const Work& work) noexcept {
  try {
    return work();
  } catch (const std::exception& error) {
    last_error = first_line(error.what());
    last_error_is_busy = dynamic_cast<const TooBusy*>(&error) != nullptr;
  } catch (...) {
    last_error = "unknown error";
    last_error_is_busy = false;
  }
  return failure;
}

void check_not_null(const void* argument, const char* name, const char* remedy) {
  if (argument == nullptr) throw Error("'{}' is NULL; {}", name, remedy);
}

/// An array of no elements may be NULL.
void check_array(const void* array, size_t size, const char* name) {
  if (size > 0) check_not_null(array, name, "give an array with an element for each text");
}

struct LoadOptions {
  std::string device = "auto";
  WeightType precision = WeightType::fp32;
  int threads = 0;
  TranslatorOptions translator;
  std::vector<std::string> ensemble;
};

/// A whole number in a range.
int64_t count_of(const Json& value, int64_t least, int64_t most) {
  const int64_t count = integer_of(value);
  if (count < least || count > most) throw Error("must be from {} to {}, got {}", least, most, count);
  return count;
}

void set_load_option(LoadOptions& options, const std::string& key, const Json& value) {
  static const std::vector<std::string> names = {"device", "precision", "threads", "workers", "batch_size", "ensemble"};
  if (key == "device") {
    options.device = string_of(value);
  } else if (key == "precision") {
    const auto type = value_named<WeightType>(string_of(value));
    if (!type) throw Error("there is no precision {}", shown_value(json_text(value)));
    options.precision = *type;
  } else if (key == "threads") {
    options.threads = static_cast<int>(count_of(value, 0, 4096));
  } else if (key == "workers") {
    if (!value.is_null()) options.translator.workers = count_of(value, 1, 1024);
  } else if (key == "batch_size") {
    options.translator.batch_size = count_of(value, 1, 65536);
  } else if (key == "ensemble") {
    for (const Json& path : array_of(value)) options.ensemble.push_back(string_of(path));
  } else {
    const auto similar = similar_names(key, names);
    throw ParameterError("unknown option, {}", similar.empty() ? "there are " + enumeration(names, "and")
                                                               : "did you mean " + alternatives(similar) + "?");
  }
}

LoadOptions read_load_options(const char* text) {
  LoadOptions options;
  if (text == nullptr) return options;
  const Json object = parse_json(text);
  for (const auto& [key, value] : object_of(object)) {
    try {
      set_load_option(options, key, value);
    } catch (const Error& misfit) {
      throw ParameterError("'{}': {}", shown_value(key), misfit.what());
    }
  }
  return options;
}

std::vector<RequestedText> read_texts(const char* const* texts, size_t num_texts) {
  check_array(texts, num_texts, "texts");
  std::vector<RequestedText> requested;
  requested.reserve(num_texts);
  for (size_t i = 0; i < num_texts; ++i) {
    if (texts[i] == nullptr) throw Error("text {}: is NULL; give \"\" for an empty text", i + 1);
    requested.push_back({.text = texts[i]});
  }
  return requested;
}

/// Sets the prefixes of the texts, if there are some, and returns the other options.
RequestOptions read_request_options(const char* text, std::vector<RequestedText>& texts) {
  RequestOptions options;
  if (text == nullptr) return options;
  const Json object = parse_json(text);
  for (const auto& [key, value] : object_of(object)) {
    if (key == "prefix") {
      set_prefixes(texts, value);
    } else {
      set_request_option(options, key, value, {"prefix"});
    }
  }
  return options;
}

/// The tag to put before each source that begins with none, if there is one.
std::optional<std::string> read_score_options(const char* text) {
  std::optional<std::string> tag;
  if (text == nullptr) return tag;
  const Json object = parse_json(text);
  for (const auto& [key, value] : object_of(object)) {
    if (key != "tag") throw ParameterError("'{}': unknown option, the only one is 'tag'", shown_value(key));
    if (!value.is_string()) throw ParameterError("'tag': must be a string, got {}", shown_value(json_text(value)));
    tag = value.get<std::string>();
  }
  return tag;
}

/// The pairs, which messages number from 1 as they do lines.
std::vector<LinePair> read_pairs(const char* const* sources, const char* const* targets, size_t num_pairs) {
  check_array(sources, num_pairs, "sources");
  check_array(targets, num_pairs, "targets");
  const auto line_of = [](const char* kind, const char* text, int64_t number) -> std::string {
    if (text == nullptr) throw Error("{}:{}: is NULL; give \"\" for an empty text", kind, number);
    if (std::strchr(text, '\n') == nullptr) return text;
    throw Error("{}:{}: has a line break; give each line as a text of its own", kind, number);
  };
  std::vector<LinePair> pairs;
  for (size_t i = 0; i < num_pairs; ++i) {
    const int64_t number = static_cast<int64_t>(i) + 1;
    pairs.push_back({line_of("sources", sources[i], number), line_of("targets", targets[i], number), number});
  }
  return pairs;
}

}  // namespace

struct transformer_model {
  void check_process() const {
    if (process == getpid()) return;
    throw Error(
        "the model was loaded before this process was forked; load it in this process, or start processes anew "
        "(multiprocessing: spawn)");
  }

  std::shared_ptr<transformer_model> self;  // until transformer_free_model; calls and translations share it
  std::vector<std::string> paths;
  LoadOptions options;
  std::unique_ptr<TranslationService> service;
  const pid_t process = getpid();
  std::mutex scored_mutex;  // protects what follows
  std::unique_ptr<LoadedModel> scored_model;
};

struct transformer_translation {
  std::shared_ptr<transformer_model> model;  // which must not end before `running`
  std::unique_ptr<RunningTranslation> running;
  RequestOptions options;
  std::vector<std::optional<TranslatedLine>> lines;  // those that are done
  std::string json;
  pid_t process = getpid();
};

namespace {

void check_usable(const transformer_model* model) {
  check_not_null(model, "model", "check what transformer_load returned");
  model->check_process();
}

/// Translation `n` of a text; null if there is none.
const Translation* find_translation(const transformer_translation* translation, size_t index, size_t n) {
  if (translation == nullptr || index >= translation->lines.size() || !translation->lines[index]) return nullptr;
  const auto& translations = translation->lines[index]->translations;
  return n < translations.size() ? &translations[n] : nullptr;
}

/// The model in fp32, which the first call loads.
const LoadedModel& scored_model_of(transformer_model& model) {
  const std::lock_guard lock(model.scored_mutex);
  if (!model.scored_model) {
    const auto device = select_device(model.options.device);
    model.scored_model = std::make_unique<LoadedModel>(load_for_inference(model.paths.front(), device));
  }
  return *model.scored_model;
}

std::vector<PairScore> score(transformer_model& model, const std::vector<LinePair>& pairs,
                             const std::optional<std::string>& tag) {
  static constexpr int64_t kBatchTokens = 4096;
  const LoadedModel& scored = scored_model_of(model);
  const SourceTags tags(scored.tokenizers.source(), scored.config.tags, tag);
  return Scorer(scored.network, scored.tokenizers, kBatchTokens, "sources", "targets", tags).score(pairs);
}

/// Waits for the next text; see transformer_next.
int take_next(transformer_translation& translation, int64_t milliseconds, size_t& index) {
  if (translation.running->num_left() == 0) return TRANSFORMER_END;
  static constexpr int64_t kLongest = 1'000'000'000;  // of one wait
  const bool is_forever = milliseconds < 0;
  std::optional<FinishedText> text;
  do {
    const int64_t wait = is_forever ? kLongest : std::min(milliseconds, kLongest);
    text = translation.running->next(std::chrono::milliseconds(wait));
  } while (is_forever && !text);
  if (!text) return TRANSFORMER_WAITING;
  index = text->index;
  if (text->error) std::rethrow_exception(text->error);
  translation.lines[index] = std::move(text->line);
  return TRANSFORMER_TEXT;
}

}  // namespace

const char* transformer_version(void) { return kBuildInfo.version; }

const char* transformer_last_error(void) { return last_error.c_str(); }

int transformer_last_error_is_busy(void) { return last_error_is_busy ? 1 : 0; }

transformer_model* transformer_load(const char* path, const char* options) {
  return guarded<transformer_model*>(nullptr, [&] {
    check_not_null(path, "path", "give the path of a model");
    set_log_level(LogLevel::warning);
    // A thread that first asks LibTorch for its number of threads later than this would get that of our searches.
    at::get_num_threads();
    const auto model = std::make_shared<transformer_model>();
    model->options = read_load_options(options);
    model->paths = {path};
    for (const std::string& other : model->options.ensemble) model->paths.push_back(other);
    // In a thread of its own, because the number of LibTorch's threads is a property of each thread, and that of the
    // caller, who may use LibTorch as well, must stay as it is.
    model->service =
        std::async(std::launch::async, [&] {
          set_num_threads(model->options.threads);
          const auto devices = select_devices(model->options.device, 1);
          return std::make_unique<TranslationService>(load_for_search(model->paths, devices, model->options.precision),
                                                      model->options.translator, expected_utilities);
        }).get();
    model->self = model;
    return model.get();
  });
}

void transformer_free_model(transformer_model* model) {
  // In a forked process its threads do not exist, and waiting for them would not end.
  if (model == nullptr || model->process != getpid()) return;
  const auto last = std::move(model->self);  // whose end deletes the model, unless others share it
}

transformer_translation* transformer_begin(transformer_model* model, const char* const* texts, size_t num_texts,
                                           const char* options) {
  return guarded<transformer_translation*>(nullptr, [&] {
    check_usable(model);
    std::vector<RequestedText> requested = read_texts(texts, num_texts);
    auto translation = std::make_unique<transformer_translation>();
    translation->model = model->self;
    translation->options = read_request_options(options, requested);
    translation->lines.resize(num_texts);
    translation->running = model->service->begin(requested, translation->options);
    return translation.release();
  });
}

int transformer_next(transformer_translation* translation, int64_t milliseconds, size_t* index) {
  return guarded<int>(TRANSFORMER_FAILED, [&] {
    check_not_null(translation, "translation", "check what transformer_begin returned");
    check_not_null(index, "index", "give the address of a number to set");
    return take_next(*translation, milliseconds, *index);
  });
}

transformer_translation* transformer_translate(transformer_model* model, const char* const* texts, size_t num_texts,
                                               const char* options) {
  transformer_translation* translation = transformer_begin(model, texts, num_texts, options);
  if (translation == nullptr) return nullptr;
  size_t index = 0;
  int state = TRANSFORMER_TEXT;
  while (state == TRANSFORMER_TEXT) state = transformer_next(translation, -1, &index);
  if (state == TRANSFORMER_END) return translation;
  transformer_free_translation(translation);
  return nullptr;
}

size_t transformer_num_translations(const transformer_translation* translation, size_t index) {
  if (find_translation(translation, index, 0) == nullptr) return 0;
  return translation->lines[index]->translations.size();
}

const char* transformer_text(const transformer_translation* translation, size_t index, size_t n) {
  const Translation* found = find_translation(translation, index, n);
  return found == nullptr ? nullptr : found->text.c_str();
}

double transformer_score(const transformer_translation* translation, size_t index, size_t n) {
  const Translation* found = find_translation(translation, index, n);
  const bool has_score = found != nullptr && !translation->options.parts.divide_lines();
  return has_score ? found->score : std::numeric_limits<double>::quiet_NaN();
}

const char* transformer_json(transformer_translation* translation, size_t index) {
  if (find_translation(translation, index, 0) == nullptr) return nullptr;
  return guarded<const char*>(nullptr, [&] {
    translation->json = json_text(answer_of(*translation->lines[index], translation->options));
    return translation->json.c_str();
  });
}

void transformer_free_translation(transformer_translation* translation) {
  if (translation != nullptr && translation->process == getpid()) delete translation;
}

int transformer_score_pairs(transformer_model* model, const char* const* sources, const char* const* targets,
                            size_t num_pairs, double* log_probs, int64_t* num_tokens) {
  return transformer_score_pairs_with_options(model, sources, targets, num_pairs, nullptr, log_probs, num_tokens);
}

int transformer_score_pairs_with_options(transformer_model* model, const char* const* sources,
                                         const char* const* targets, size_t num_pairs, const char* options,
                                         double* log_probs, int64_t* num_tokens) {
  return guarded<int>(-1, [&] {
    check_usable(model);
    check_array(log_probs, num_pairs, "log_probs");
    if (model->paths.size() > 1) throw Error("an ensemble gives no scores; load its models one by one");
    const std::shared_ptr<transformer_model> kept = model->self;  // also if it is freed meanwhile
    const auto tag = read_score_options(options);
    const auto pairs = read_pairs(sources, targets, num_pairs);
    const auto scores = std::async(std::launch::async, [&] {
                          set_num_threads(model->options.threads);
                          return score(*model, pairs, tag);
                        }).get();
    for (size_t i = 0; i < num_pairs; ++i) {
      log_probs[i] = scores[i].log_prob;
      if (num_tokens != nullptr) num_tokens[i] = scores[i].num_tokens;
    }
    return 0;
  });
}
