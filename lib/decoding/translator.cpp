#include "decoding/translator.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/mix.h"
#include "base/words.h"
#include "data/batch.h"
#include "data/clean_line.h"
#include "decoding/ensemble.h"
#include "trees/bracket_state.h"

namespace transformer {
namespace {

/// Sinusoidal positions have no end, but memory has: longer inputs are cut here.
constexpr int64_t kMostPositions = 1024;
/// Source pieces searched together at most, padding included: keeps long lines within memory.
constexpr int64_t kMostBatchTokens = 8192;

/// No piece is longer: SentencePiece's have at most 16 characters.
constexpr size_t kMostPieceBytes = 64;

/// At most `limit` bytes of valid UTF-8, ending with a whole character.
std::string first_bytes(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

/// The Transformer as the search sees it.
class TransformerSearch : public SearchModel {
 public:
  TransformerSearch(Transformer& model, const Sentences& source) : model_(model), state_(model->start(source)) {}

  torch::Tensor next_log_probs(const torch::Tensor& tokens) override {
    const auto logits = model_->step(tokens.to(model_->device()), state_);
    return torch::log_softmax(logits.to(torch::kFloat), 1);
  }

  void keep(const torch::Tensor& sentences, const torch::Tensor& rows) override {
    state_.keep(sentences.to(model_->device()), rows.to(model_->device()));
  }

 private:
  Transformer& model_;
  DecoderState state_;
};

}  // namespace

std::vector<std::string> best_texts(const std::vector<std::vector<Translation>>& translations) {
  std::vector<std::string> texts;
  for (const auto& of_line : translations) texts.push_back(of_line.front().text);
  return texts;
}

Translator::Translator(std::vector<Transformer> models, const Tokenizer& tokenizer, const DecodingConfig& config,
                       const TranslatorOptions& options)
    : models_(std::move(models)),
      tokenizer_(tokenizer),
      config_(config),
      options_(options),
      most_positions_(kMostPositions) {
  for (const auto& model : models_) {
    most_positions_ = std::min(most_positions_, model->config().max_positions.value_or(kMostPositions));
  }
  if (config.trees) brackets_.emplace(tokenizer);
}

std::vector<std::vector<Translation>> Translator::translate(const std::vector<std::string>& lines,
                                                            const std::vector<std::string>& prefixes) {
  torch::NoGradGuard no_grad;
  for (auto& model : models_) model->eval();
  std::vector<Job> jobs;
  for (size_t i = 0; i < lines.size(); ++i) jobs.push_back(make_job(lines[i], prefixes.empty() ? "" : prefixes[i]));

  // Like lengths together, longest first; every line's translation goes back to its place.
  std::vector<size_t> order(lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return jobs[a].source.size() > jobs[b].source.size(); });
  std::vector<std::vector<Translation>> translations(lines.size(), {Translation{}});
  for (size_t first = 0; first < order.size() && !jobs[order[first]].source.empty();) {
    const auto longest = std::ssize(jobs[order[first]].source) + 1;
    const auto limit = static_cast<size_t>(std::clamp<int64_t>(kMostBatchTokens / longest, 1, options_.batch_size));
    std::vector<const Job*> batch;
    for (size_t i = first; i < order.size() && batch.size() < limit && !jobs[order[i]].source.empty(); ++i) {
      batch.push_back(&jobs[order[i]]);
    }
    auto of_batch = translate_batch(batch);
    for (size_t i = 0; i < batch.size(); ++i) translations[order[first + i]] = std::move(of_batch[i]);
    first += batch.size();
  }
  return translations;
}

Translator::Job Translator::make_job(const std::string& line, const std::string& prefix) {
  const auto [text, was_invalid] = clean_line(line);
  if (was_invalid) ++counts_.repaired;
  const std::string beginning = first_bytes(text, static_cast<size_t>(most_positions_) * kMostPieceBytes);
  Job job{.source = tokenizer_.encode(beginning),
          .prefix = {},
          .num_words = std::min(std::ssize(split_words(line)), most_positions_ - 3),  // the rest is cut
          .number = static_cast<uint64_t>(counts_.lines++)};
  const auto most_pieces = static_cast<size_t>(most_positions_ - 1);  // and the end symbol
  if (beginning.size() < text.size() || job.source.size() > most_pieces) ++counts_.cut;
  job.source.resize(std::min(job.source.size(), most_pieces));
  const auto pieces = tokenizer_.encode(clean_line(prefix).text);
  if (pieces.size() > most_pieces) ++counts_.cut;
  job.prefix.assign(pieces.begin(), pieces.begin() + std::min(std::ssize(pieces), most_positions_ - 1));
  return job;
}

std::vector<std::vector<Translation>> Translator::translate_batch(const std::vector<const Job*>& jobs) {
  std::vector<std::vector<int32_t>> sources;
  for (const Job* job : jobs) sources.push_back(job->source);
  std::vector<std::unique_ptr<SearchModel>> searched;
  for (auto& model : models_) {
    searched.push_back(std::make_unique<TransformerSearch>(model, make_sources(sources).to(model->device())));
  }
  Ensemble ensemble(std::move(searched));
  std::vector<std::vector<Translation>> translations;
  for (const auto& of_line : search(ensemble, jobs)) {
    counts_.output_tokens += std::ssize(of_line.front().tokens);
    translations.emplace_back();
    for (const auto& hypothesis : of_line) translations.back().push_back(translation_of(hypothesis));
  }
  return translations;
}

std::vector<std::vector<Hypothesis>> Translator::search(SearchModel& model, const std::vector<const Job*>& jobs) const {
  std::vector<int64_t> max_lengths, num_words;
  std::vector<std::vector<int64_t>> prefixes;
  std::vector<uint64_t> keys;
  for (const Job* job : jobs) {
    max_lengths.push_back(max_length(*job));
    num_words.push_back(job->num_words);
    prefixes.push_back(job->prefix);
    keys.push_back(mix(job->number));
  }
  std::unique_ptr<SearchConstraint> constraint;
  if (brackets_) {
    constraint = std::make_unique<TreeConstraint>(*brackets_, num_words, max_lengths);
  } else if (std::any_of(prefixes.begin(), prefixes.end(), [](const auto& prefix) { return !prefix.empty(); })) {
    constraint = std::make_unique<PrefixConstraint>(prefixes);
  }
  const OutputRules rules{
      .begin = kBegin, .end = kEnd, .never = {kPad, kUnknown, kBegin}, .constraint = constraint.get()};
  if (!options_.sampling) {
    return beam_search(model, max_lengths,
                       {.beam_size = config_.beam_size,
                        .penalty = {config_.length_penalty, config_.alpha},
                        .rules = rules,
                        .nbest = options_.nbest});
  }
  std::vector<std::vector<Hypothesis>> drawn;
  for (auto& output : sample(model, max_lengths, keys, *options_.sampling, rules)) {
    drawn.push_back({std::move(output)});
  }
  return drawn;
}

/// Deviation D11; a tree and a prefix have room in any case.
int64_t Translator::max_length(const Job& job) const {
  int64_t length = std::ssize(job.source) + config_.max_extra_tokens;
  for (const auto& model : models_) length = std::min(length, model->config().max_positions.value_or(length));
  return std::max({int64_t{1}, length, std::ssize(job.prefix) + 1, brackets_ ? shortest_tree(job.num_words) : 1});
}

Translation Translator::translation_of(const Hypothesis& hypothesis) const {
  Translation translation{.text = tokenizer_.decode(hypothesis.tokens),
                          .score = score(hypothesis, {config_.length_penalty, config_.alpha}),
                          .log_prob = hypothesis.log_prob,
                          .pieces = {},
                          .piece_log_probs = hypothesis.token_log_probs};
  for (const int64_t token : hypothesis.tokens) translation.pieces.push_back(tokenizer_.piece(token));
  return translation;
}

}  // namespace transformer
