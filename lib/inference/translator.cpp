#include "inference/translator.h"

#include <ATen/ceil_div.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <set>

#include "base/format.h"
#include "base/log.h"
#include "base/parameter_error.h"
#include "base/splitmix64.h"
#include "base/words.h"
#include "data/batch.h"
#include "decoding/beam_search.h"
#include "decoding/coverage_penalty.h"
#include "decoding/ensemble.h"
#include "decoding/forbidden_tokens.h"
#include "decoding/output_processors.h"
#include "decoding/renormalized_model.h"
#include "decoding/sampling.h"
#include "model/decoder_start.h"
#include "ops/to_device.h"
#include "platform/load_adaptive_threads.h"
#include "platform/worker_threads.h"
#include "text/words_of_pieces.h"
#include "trees/bracket_state.h"

namespace transformer {
namespace {

/// Upper bound on the summed length limits of the sentences that are searched together. For each hypothesis of the
/// beam, the decoder's key/value cache then has at most about so many slots.
constexpr int64_t kMaxTokens = 16384;

/// Beams above this size are translated with a warning.
constexpr int64_t kMaxUsualBeam = 100;

/// Adapts a Transformer to the search.
class TransformerSearch : public SearchModel {
 public:
  TransformerSearch(Transformer model, const SpecialTokens& source_tokens, const SentenceQueue& queue)
      : queue_(queue), model_(std::move(model)), source_tokens_(source_tokens), state_(model_->empty_state()) {}

  void begin(const std::vector<SearchSource>& sentences) override {
    std::vector<int64_t> ids;
    std::vector<std::vector<TokenId>> sources;
    for (const auto& [sentence_id, pieces] : sentences) {
      ids.push_back(sentence_id);
      sources.push_back(*pieces);
    }
    model_->begin(ids, make_sources(sources, source_tokens_).to(model_->device()), state_);
  }

  torch::Tensor step(const std::vector<StepRow>& rows) override {
    threads_.adapt(static_cast<int>(queue_.shares()));
    return model_->step(rows, state_);
  }

 private:
  const SentenceQueue& queue_;
  LoadAdaptiveThreads threads_;
  Transformer model_;
  const SpecialTokens& source_tokens_;
  DecoderState state_;
};

/// Throws the error of a search, with the line if it is one of the line alone.
[[noreturn]] void throw_error_of(const std::string& line, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const NoPermittedToken& none) {
    throw Error("the line '{}': {}", shown_value(line), none.what());
  }
}

bool contains(const std::vector<TokenId>& tokens, TokenId token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

}  // namespace

void warn_of_wide_beam(const DecodingConfig& config) {
  if (config.beam_size <= kMaxUsualBeam) return;
  log_warning(
      "a beam of {} hypotheses takes about {} times the time and memory of the usual 4 and seldom translates better; "
      "decoding.beam_size or an option sets it",
      config.beam_size, config.beam_size / 4);
}

std::vector<TranslationRequest> requests_of(const std::vector<std::string>& lines, uint64_t first_number) {
  std::vector<TranslationRequest> requests;
  for (const auto& line : lines) requests.push_back({.text = line, .sampling_key = first_number++});
  return requests;
}

std::vector<std::string> best_texts(const std::vector<TranslatedLine>& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line.best().text);
  return texts;
}

Translator::Translator(std::vector<std::vector<Transformer>> replicas, const Tokenizers& tokenizers,
                       const DecodingConfig& config, const TranslatorOptions& options,
                       SearchStepCallback on_search_step)
    : replicas_(std::move(replicas)),
      tokenizers_(tokenizers),
      special_tokens_(special_tokens_of(replicas_.at(0).at(0)->config(), tokenizers)),
      config_(config),
      options_(options),
      on_search_step_(std::move(on_search_step)),
      length_limit_(length_limit(replicas_.at(0).at(0)->config())) {
  for (const auto& model : replicas_.front()) {
    TORCH_CHECK(!model->is_training(), "a model that translates must be in evaluation mode");
    const LengthLimit limit = length_limit(model->config());
    if (limit.positions < length_limit_.positions) length_limit_ = limit;
  }
  TORCH_CHECK(options.sampling || (options.nbest >= 1 && options.nbest <= config.beam_size), "nbest ", options.nbest,
              " of a beam of ", config.beam_size);
  check(options.control);
  if (config.trees) brackets_.emplace(tokenizers.target());
  auto banned = forbidden_tokens(config, tokenizers.target());
  processors_.push_back(std::make_shared<BannedTokens>(banned));
  if (options.replace_unknowns) {
    std::erase(banned, special_tokens_.target().unknown);
    banned_but_unknown_ = std::make_shared<BannedTokens>(banned);
  }
  if (config.renormalize) removed_.assign(banned.begin(), banned.end());
  if (options.output_tokens > 0) {
    processors_.push_back(std::make_shared<MinLength>(options.output_tokens, special_tokens_.target().end));
  }
  control_ = std::make_shared<PreparedControl>(prepare_control(options.control, tokenizers.target()));
}

void Translator::check(const OutputControl& control) const {
  check_control(control, options_, config_);
  if (control.min_length <= length_limit_.positions) return;
  throw ParameterError("'min_length' {} is too much, because {}; give a smaller one", control.min_length,
                       length_limit_.reason);
}

std::vector<TranslatedLine> Translator::translate(const std::vector<TranslationRequest>& requests,
                                                  const std::function<void(int64_t num_lines)>& on_progress) const {
  std::vector<TranslatedLine> lines;
  std::vector<SearchRequest> searches;  // of the lines that are not blank
  std::vector<size_t> searched_lines;   // their indices
  for (const auto& request : requests) {
    auto [line, search] = encode(request);
    lines.push_back(std::move(line));
    if (search.source.empty()) continue;
    searches.push_back(std::move(search));
    searched_lines.push_back(lines.size() - 1);
  }

  // Sentences of similar lengths are searched together, longest first.
  std::vector<size_t> order(searches.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return searches[a].source.size() > searches[b].source.size(); });
  std::vector<std::vector<Hypothesis>> found(searches.size());
  std::mutex mutex;  // protects num_done and the first error
  int64_t num_done = 0;
  std::exception_ptr first_error;
  size_t line_of_error = 0;
  // On a GPU all workers launch on one stream, so each also waits for the work of the others.
  WorkerThreads workers(static_cast<int>(num_workers(std::ssize(order))));
  SearchCapacity fair = capacity();  // so that the last worker has no fewer sentences than the first
  fair.sentences = std::clamp<int64_t>(at::ceil_div<int64_t>(std::ssize(order), workers.size()), 1, fair.sentences);
  SentenceQueue queue(fair, workers.size());
  std::vector<SharedSentence> sentences;  // in the order of the queue
  for (const size_t i : order) {
    searches[i].on_result = [&, i](SearchResult result) {
      std::unique_lock lock(mutex);
      if (result.error) {
        if (!first_error) {
          first_error = result.error;
          line_of_error = searched_lines[i];
        }
        lock.unlock();  // the sentences that are cancelled call this, too
        return queue.cancel_all();
      }
      found[i] = std::move(result.hypotheses);
      if (on_progress) on_progress(++num_done);
    };
    sentences.push_back(queue.add(std::move(searches[i])));
  }
  queue.close();
  workers.run([&](int worker) {
    try {
      search(queue, worker);
    } catch (...) {
      queue.cancel_all();  // so that the other workers end soon
      throw;
    }
  });
  if (first_error) throw_error_of(requests[line_of_error].text, first_error);

  std::vector<const std::vector<TokenId>*> sources, aligned_sources;
  std::vector<std::vector<Translation>*> translations, aligned;
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t i = order[k];
    TranslatedLine& line = lines[searched_lines[i]];
    line.translations = without_alignments(found[i]);
    sources.push_back(&sentences[k]->request().source);
    translations.push_back(&line.translations);
    if (!needs_alignment(line)) continue;
    aligned_sources.push_back(sources.back());
    aligned.push_back(translations.back());
  }
  if (options_.control.coverage_penalty > 0) rank_by_coverage(sources, translations);
  if (!aligned.empty()) add_alignments(aligned_sources, aligned);
  for (TranslatedLine& line : lines) {
    replace_unknowns(line);
    if (options_.words || options_.word_alignment) add_words(line);
  }
  return lines;
}

Translator::EncodedRequest Translator::encode(const TranslationRequest& request) const {
  EncodedLine source = encode_line(tokenizers_.source(), request.text, length_limit_, request.tag);
  EncodedRequest encoded{.line = {.translations = {},
                                  .was_cut = source.was_cut,
                                  .was_invalid = source.was_invalid,
                                  .had_nul = request.text.find('\0') != std::string::npos,
                                  .num_unknown = source.num_unknown},
                         .search = {.source = std::move(source.pieces),
                                    .processors = processors_,
                                    .sampling_key = request.seed ^ splitmix64(request.sampling_key)}};
  SearchRequest& search = encoded.search;
  if (search.source.empty()) {
    encoded.line.translations = {Translation{.text = brackets_ ? "" : tokenizers_.target().decode(request.prefix)}};
    return encoded;
  }
  for (const TokenId token : search.source) {
    encoded.line.source_pieces.push_back(tokenizers_.source().piece(token));
  }
  if (options_.word_alignment) {
    auto texts = tokenizers_.source().texts_of(search.source);
    std::fill_n(texts.begin(), source.tag_size, "");  // the tag is no word of the text
    encoded.line.source_words = words_of_pieces(texts).word_of_piece;
  }
  if (options_.replace_unknowns && source.num_unknown > 0) {
    search.processors.front() = banned_but_unknown_;
    const auto texts = tokenizers_.source().encode_as_pieces(source.text);
    for (size_t i = source.tag_size; i < search.source.size(); ++i) {
      if (search.source[i] != special_tokens_.source().unknown) continue;
      encoded.line.unknown_texts[static_cast<int64_t>(i)] = texts.at(i - source.tag_size);
    }
  }
  const PreparedControl& control = request.control ? *request.control : *control_;
  search.processors.insert(search.processors.end(), control.processors.begin(), control.processors.end());
  int64_t shortest = std::max(std::ssize(request.prefix) - request.num_found + 1, control.min_length);
  int64_t num_words = 0;
  if (brackets_) {
    num_words = std::min(std::ssize(split_words(request.text)), length_limit_.positions - kTokensAroundWords);
    shortest = shortest_tree(num_words);
  }
  search.max_length = max_length(search, shortest, control.max_length);
  if (request.max_free_tokens) {
    search.max_length = std::min(search.max_length, std::ssize(request.prefix) + *request.max_free_tokens);
  }
  if (brackets_) {
    search.processors.push_back(std::make_shared<TreeProcessor>(*brackets_, num_words, search.max_length));
  }
  if (control.terminology) {
    const auto terms = control.terminology->find(source.text);
    for (const Term* term : terms) encoded.line.terms.push_back(*term);
    if (!terms.empty()) search.processors.push_back(control.terminology->processor(terms));
  }
  if (!brackets_ && !request.prefix.empty()) {
    // Behind the banned tokens alone: what is demanded of outputs holds for what follows the prefix.
    search.processors.insert(search.processors.begin() + 1, std::make_shared<ForcedPrefix>(request.prefix));
  }
  return encoded;
}

/// The maximal number of output tokens, end symbol included (Deviation D11). A prefix, the shortest tree or the minimal
/// length may need more than the config or `longest` allows.
int64_t Translator::max_length(const SearchRequest& request, int64_t shortest, std::optional<int64_t> longest) const {
  if (options_.output_tokens > 0) return options_.output_tokens;
  int64_t length = std::ssize(request.source) + config_.max_extra_tokens;
  if (longest) length = std::min(length, *longest);
  for (const auto& model : replicas_.front()) length = std::min(length, model->config().max_positions.value_or(length));
  return std::max(length, shortest);
}

int64_t Translator::num_workers(int64_t num_sentences) const {
  const int64_t devices = std::ssize(replicas_);
  if (options_.workers) return std::clamp<int64_t>(num_sentences, 1, *options_.workers * devices);
  return std::max<int64_t>(WorkerThreads::count_for(num_sentences, replicas_[0][0]->device()),
                           std::min(num_sentences, devices));
}

SearchCapacity Translator::capacity() const { return {.sentences = options_.batch_size, .tokens = kMaxTokens}; }

void Translator::search(SentenceQueue& queue, int64_t worker) const {
  const c10::InferenceMode inference;
  const auto& replica = replicas_[static_cast<size_t>(worker % std::ssize(replicas_))];
  // Without it, each operation in a new thread would change from the first GPU to the replica's and back.
  const c10::DeviceGuard device(replica.front()->device());
  std::vector<std::unique_ptr<SearchModel>> models;
  for (const auto& model : replica) {
    models.push_back(std::make_unique<TransformerSearch>(model, special_tokens_.source(), queue));
  }
  Ensemble ensemble(std::move(models));
  std::optional<RenormalizedModel> renormalized;
  if (!removed_.empty()) renormalized.emplace(ensemble, to_device(removed_, replica.front()->device()));
  SearchModel& model = renormalized ? static_cast<SearchModel&>(*renormalized) : ensemble;
  if (options_.sampling) {
    sample(model, queue, *options_.sampling, special_tokens_.target());
  } else {
    beam_search(model, queue,
                {.beam_size = config_.beam_size,
                 .penalty = config_.penalty(),
                 .stopping = config_.stopping,
                 .special_tokens = special_tokens_.target(),
                 // The coverage penalty chooses among all that the beam has finished.
                 .nbest = options_.control.coverage_penalty > 0 ? config_.beam_size : options_.nbest,
                 .on_step = on_search_step_,
                 .diversity = options_.control.diversity});
  }
}

void Translator::add_translations(TranslatedLine& line, const std::vector<TokenId>& source,
                                  const std::vector<Hypothesis>& hypotheses) const {
  line.translations = without_alignments(hypotheses);
  if (options_.control.coverage_penalty > 0) rank_by_coverage({&source}, {&line.translations});
  if (needs_alignment(line)) add_alignments({&source}, {&line.translations});
  replace_unknowns(line);
  if (options_.words || options_.word_alignment) add_words(line);
}

void Translator::add_words(TranslatedLine& line) const {
  for (Translation& translation : line.translations) {
    auto texts = tokenizers_.target().texts_of(translation.tokens);
    for (const auto& [source, output] : translation.alignment) {
      const auto unknown = line.unknown_texts.find(source);
      const bool is_replaced = translation.tokens[static_cast<size_t>(output)] == special_tokens_.target().unknown;
      if (is_replaced && unknown != line.unknown_texts.end()) texts[static_cast<size_t>(output)] = unknown->second;
    }
    const auto [words, word_of_piece] = words_of_pieces(texts);
    if (options_.words) {
      for (const std::string& word : words) translation.words.push_back({word});
      for (size_t i = 0; i < word_of_piece.size(); ++i) {
        if (word_of_piece[i] < 0) continue;
        translation.words[static_cast<size_t>(word_of_piece[i])].log_prob += translation.token_log_probs[i];
      }
    }
    if (!options_.word_alignment) continue;
    std::set<AlignedWords> pairs;
    for (const auto& [source, output] : translation.alignment) {
      const AlignedWords pair{line.source_words[static_cast<size_t>(source)],
                              word_of_piece[static_cast<size_t>(output)]};
      if (pair.source >= 0 && pair.output >= 0) pairs.insert(pair);
    }
    translation.word_alignment.assign(pairs.begin(), pairs.end());
  }
}

bool Translator::needs_alignment(const TranslatedLine& line) const {
  return options_.alignment || options_.word_alignment ||
         (!line.unknown_texts.empty() &&
          std::any_of(line.translations.begin(), line.translations.end(),
                      [&](const auto& one) { return contains(one.tokens, special_tokens_.target().unknown); }));
}

void Translator::replace_unknowns(TranslatedLine& line) const {
  if (line.unknown_texts.empty()) return;
  for (Translation& translation : line.translations) {
    if (!contains(translation.tokens, special_tokens_.target().unknown)) continue;
    std::vector<std::string> pieces;
    for (const auto& [source, output] : translation.alignment) {
      const auto i = static_cast<size_t>(output);
      if (special_tokens_.target().is_control(translation.tokens[i])) continue;
      const bool is_unknown = translation.tokens[i] == special_tokens_.target().unknown;
      pieces.push_back(is_unknown ? line.unknown_texts.at(source) : translation.pieces[i]);
    }
    translation.text = tokenizers_.target().decode_pieces(pieces);
  }
}

std::vector<Translation> Translator::without_alignments(const std::vector<Hypothesis>& hypotheses) const {
  std::vector<Translation> translations;
  for (const Hypothesis& hypothesis : hypotheses) {
    const auto& tokens = hypothesis.tokens;
    Translation& translation = translations.emplace_back(Translation{.text = tokenizers_.target().decode(tokens),
                                                                     .score = hypothesis.score(config_.penalty()),
                                                                     .log_prob = hypothesis.log_prob,
                                                                     .num_terms = hypothesis.progress.reached,
                                                                     .tokens = tokens,
                                                                     .token_log_probs = hypothesis.token_log_probs});
    translation.reached_limit = tokens.empty() || tokens.back() != special_tokens_.target().end;
    for (const TokenId token : tokens) translation.pieces.push_back(tokenizers_.target().piece(token));
  }
  return translations;
}

void Translator::rank_by_coverage(const std::vector<const std::vector<TokenId>*>& sources,
                                  const std::vector<std::vector<Translation>*>& translations) const {
  const c10::InferenceMode inference;
  std::vector<SourceAndOutput> pairs;
  for (size_t i = 0; i < sources.size(); ++i) {
    for (const Translation& translation : *translations[i]) pairs.push_back({sources[i], translation.tokens});
  }
  const auto penalties = coverage_penalties(replicas_.front(), pairs, special_tokens_);
  auto penalty = penalties.begin();
  for (auto* of_line : translations) {
    for (Translation& translation : *of_line) translation.score += options_.control.coverage_penalty * *penalty++;
    std::stable_sort(of_line->begin(), of_line->end(), [](const Translation& a, const Translation& b) {
      return std::pair(a.num_terms, a.score) > std::pair(b.num_terms, b.score);
    });
    if (std::ssize(*of_line) > options_.nbest) of_line->resize(static_cast<size_t>(options_.nbest));
  }
}

void Translator::add_alignments(const std::vector<const std::vector<TokenId>*>& sources,
                                const std::vector<std::vector<Translation>*>& translations) const {
  const c10::InferenceMode inference;
  std::vector<SourceAndOutput> pairs;
  for (size_t i = 0; i < sources.size(); ++i) {
    for (const Translation& translation : *translations[i]) {
      pairs.push_back({sources[i], without_end(translation.tokens, special_tokens_.target())});
    }
  }
  auto alignments = align(replicas_.front(), pairs, special_tokens_);
  auto alignment = alignments.begin();
  for (auto* of_line : translations) {
    for (Translation& translation : *of_line) translation.alignment = std::move(*alignment++);
  }
}

}  // namespace transformer
