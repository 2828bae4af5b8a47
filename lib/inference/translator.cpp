#include "inference/translator.h"

#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <functional>
#include <future>
#include <memory>

#include "base/log.h"
#include "base/splitmix64.h"
#include "base/words.h"
#include "data/batch.h"
#include "decoding/ensemble.h"
#include "decoding/prefix_constraint.h"
#include "decoding/sampling.h"
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
  /// The sentence with id i is sources[i]. Both references must outlive this object.
  TransformerSearch(Transformer& model, const std::vector<std::vector<int32_t>>& sources)
      : model_(model), sources_(sources), state_(model->empty_state()) {}

  void begin(const std::vector<int64_t>& sentence_ids) override {
    std::vector<std::vector<int32_t>> joining;
    for (const int64_t sentence_id : sentence_ids) joining.push_back(sources_[static_cast<size_t>(sentence_id)]);
    model_->begin(sentence_ids, make_sources(joining).to(model_->device()), state_);
  }

  torch::Tensor step(const std::vector<StepRow>& rows) override { return model_->step(rows, state_); }

 private:
  Transformer& model_;
  const std::vector<std::vector<int32_t>>& sources_;
  DecoderState state_;
};

/// Calls work(0) ... work(workers - 1) in threads of their own, which share this thread's LibTorch threads. On a GPU
/// all threads launch on one stream, so each also waits for the work of the others.
void run_in_parallel(int64_t workers, const std::function<void(int64_t)>& work) {
  if (workers == 1) return work(0);
  const int threads = std::max(1, at::get_num_threads() / static_cast<int>(workers));
  std::vector<std::future<void>> running;
  for (int64_t i = 0; i < workers; ++i) {
    running.push_back(std::async(std::launch::async, [&, i] {
      at::set_num_threads(threads);
      work(i);
    }));
  }
  for (auto& worker : running) worker.get();
}

}  // namespace

void warn_of_wide_beam(const DecodingConfig& config) {
  if (config.beam_size <= kMaxUsualBeam) return;
  log_warning(
      "a beam of {} hypotheses takes about {} times the time and memory of the usual 4 and seldom translates better; "
      "--beam-size and decoding.beam_size set it",
      config.beam_size, config.beam_size / 4);
}

std::vector<std::string> best_texts(const std::vector<std::vector<Translation>>& translations) {
  std::vector<std::string> texts;
  for (const auto& of_line : translations) texts.push_back(of_line.front().text);
  return texts;
}

Translator::Translator(std::vector<Transformer> models, const Tokenizers& tokenizers, const DecodingConfig& config,
                       const TranslatorOptions& options)
    : replicas_({std::move(models)}),
      tokenizers_(tokenizers),
      config_(config),
      options_(options),
      length_limit_(length_limit(replicas_.front().at(0)->config())) {
  for (const auto& model : replicas_.front()) {
    const LengthLimit limit = length_limit(model->config());
    if (limit.positions < length_limit_.positions) length_limit_ = limit;
  }
  if (config.trees) brackets_.emplace(tokenizers.target());
}

std::vector<std::vector<Translation>> Translator::translate(const std::vector<std::string>& lines,
                                                            const std::vector<std::vector<int32_t>>& prefixes) {
  for (auto& replica : replicas_) {
    for (auto& model : replica) model->eval();
  }
  std::vector<Job> jobs;
  for (size_t i = 0; i < lines.size(); ++i) {
    jobs.push_back(make_job(lines[i], prefixes.empty() ? std::vector<int32_t>() : prefixes[i]));
  }

  // Sentences of similar lengths are searched together, longest first.
  std::vector<size_t> order;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].source.empty()) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return jobs[a].source.size() > jobs[b].source.size(); });
  std::vector<const Job*> searched;
  for (const size_t line : order) searched.push_back(&jobs[line]);
  const SearchResults found = search(searched);

  std::vector<std::vector<Translation>> translations(lines.size(), {Translation{}});
  std::vector<std::vector<Translation>*> searched_translations;
  for (size_t i = 0; i < order.size(); ++i) {
    counts_.num_output_tokens += std::ssize(found[i].front().tokens);
    auto& of_line = translations[order[i]];
    of_line.clear();
    for (const auto& hypothesis : found[i]) of_line.push_back(translation_of(hypothesis));
    searched_translations.push_back(&of_line);
  }
  if (options_.alignment) add_alignments(searched, found, searched_translations);
  return translations;
}

void Translator::add_alignments(const std::vector<const Job*>& jobs, const SearchResults& found,
                                const std::vector<std::vector<Translation>*>& translations) {
  const c10::InferenceMode inference;
  std::vector<SourceAndOutput> pairs;
  for (size_t i = 0; i < jobs.size(); ++i) {
    for (const auto& hypothesis : found[i]) pairs.push_back({&jobs[i]->source, without_end(hypothesis.tokens)});
  }
  auto alignments = align(replicas_.front(), pairs);
  auto alignment = alignments.begin();
  for (auto* of_line : translations) {
    for (Translation& translation : *of_line) translation.alignment = std::move(*alignment++);
  }
}

Translator::Job Translator::make_job(const std::string& line, const std::vector<int32_t>& prefix) {
  EncodedLine source = encode_line(tokenizers_.source(), line, length_limit_);
  if (source.was_invalid) counts_.invalid.add(counts_.num_lines + 1);
  if (line.find('\0') != std::string::npos) counts_.with_nul.add(counts_.num_lines + 1);
  if (source.was_cut) counts_.truncated.add(counts_.num_lines + 1);
  Job job{.source = std::move(source.pieces),
          .prefix = {prefix.begin(), prefix.end()},
          .number = static_cast<uint64_t>(counts_.num_lines++)};
  if (brackets_) job.num_words = std::min(std::ssize(split_words(line)), length_limit_.positions - kTokensAroundWords);
  return job;
}

std::unique_ptr<SearchConstraint> Translator::make_constraint(const std::vector<const Job*>& jobs) const {
  if (brackets_) {
    std::vector<int64_t> num_words, max_lengths;
    for (const Job* job : jobs) {
      num_words.push_back(job->num_words);
      max_lengths.push_back(max_length(*job));
    }
    return std::make_unique<TreeConstraint>(*brackets_, num_words, max_lengths);
  }
  if (std::all_of(jobs.begin(), jobs.end(), [](const Job* job) { return job->prefix.empty(); })) return nullptr;
  std::vector<std::vector<int64_t>> prefixes;
  for (const Job* job : jobs) prefixes.push_back(job->prefix);
  return std::make_unique<PrefixConstraint>(prefixes);
}

SearchResults Translator::search(const std::vector<const Job*>& jobs) {
  std::vector<int64_t> max_lengths;
  std::vector<std::vector<int32_t>> sources;
  std::vector<uint64_t> keys;
  for (const Job* job : jobs) {
    max_lengths.push_back(max_length(*job));
    sources.push_back(job->source);
    keys.push_back(splitmix64(job->number));
  }
  const auto constraint = make_constraint(jobs);
  const OutputRules rules{.begin = kBegin,
                          .end = kEnd,
                          .banned = {kPad, kUnknown, kBegin},
                          .constraint = constraint.get(),
                          .min_length = std::max<int64_t>(1, options_.output_tokens)};
  SentenceQueue queue(max_lengths, {.sentences = options_.batch_size, .tokens = kMaxTokens});
  queue.on_progress(options_.on_progress);
  SearchResults results(jobs.size());
  std::vector<Hypothesis> drawn(jobs.size());
  const auto num_replicas = std::ssize(replicas_);
  const auto run_worker = [&](int64_t worker) {
    const c10::InferenceMode inference;
    auto& replica = replicas_[static_cast<size_t>(worker % num_replicas)];
    // Without it, each operation in a new thread would change from the first GPU to the replica's and back.
    const c10::DeviceGuard device(replica.front()->device());
    std::vector<std::unique_ptr<SearchModel>> searched;
    for (auto& model : replica) searched.push_back(std::make_unique<TransformerSearch>(model, sources));
    Ensemble ensemble(std::move(searched));
    if (options_.sampling) {
      sample(ensemble, queue, keys, *options_.sampling, rules, drawn);
    } else {
      beam_search(ensemble, queue,
                  {.beam_size = config_.beam_size,
                   .penalty = config_.penalty(),
                   .rules = rules,
                   .nbest = options_.nbest,
                   .on_step = options_.on_search_step},
                  results);
    }
  };
  const int64_t num_workers = std::clamp<int64_t>(std::ssize(jobs), 1, options_.workers * num_replicas);
  run_in_parallel(num_workers, [&](int64_t worker) {
    try {
      run_worker(worker);
    } catch (...) {
      queue.clear();  // so that the other workers end soon
      throw;
    }
  });
  if (options_.sampling) {
    for (size_t i = 0; i < drawn.size(); ++i) results[i] = {std::move(drawn[i])};
  }
  return results;
}

/// The maximal number of output tokens, end symbol included (Deviation D11). A prefix or the shortest tree may need
/// more than the config allows.
int64_t Translator::max_length(const Job& job) const {
  if (options_.output_tokens > 0) return options_.output_tokens;
  int64_t length = std::ssize(job.source) + config_.max_extra_tokens;
  for (const auto& model : replicas_.front()) length = std::min(length, model->config().max_positions.value_or(length));
  return std::max({length, std::ssize(job.prefix) + 1, shortest_tree(job.num_words)});
}

Translation Translator::translation_of(const Hypothesis& hypothesis) const {
  Translation translation{.text = tokenizers_.target().decode({hypothesis.tokens.begin(), hypothesis.tokens.end()}),
                          .score = hypothesis.score(config_.penalty()),
                          .log_prob = hypothesis.log_prob,
                          .tokens = hypothesis.tokens,
                          .pieces = {},
                          .token_log_probs = hypothesis.token_log_probs};
  for (const int64_t token : hypothesis.tokens) translation.pieces.push_back(tokenizers_.target().piece(token));
  return translation;
}

}  // namespace transformer
