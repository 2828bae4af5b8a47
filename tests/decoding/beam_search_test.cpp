#include "decoding/beam_search.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "catch.h"
#include "decoding/non_finite_scores.h"
#include "formula_model.h"

namespace transformer {
namespace {

using Tokens = std::vector<TokenId>;

BeamSearchOptions search_options(int64_t beam_size, double alpha, LengthPenaltyForm form = LengthPenaltyForm::gnmt) {
  return {.beam_size = beam_size, .penalty = {form, alpha}};
}

/// The best hypothesis of one sentence.
Hypothesis best_of(int64_t sentence, int64_t max_length, const BeamSearchOptions& search) {
  FormulaModel model({sentence});
  return search_all(model, requests_with({max_length}), search).front().front();
}

/// All finished sequences there are, best first.
std::vector<Hypothesis> exhaustive_search(int64_t sentence, int64_t max_length, const LengthPenalty& penalty) {
  std::vector<Hypothesis> finished;
  std::vector<Hypothesis> prefixes = {{}};
  while (!prefixes.empty()) {
    std::vector<Hypothesis> longer;
    for (const auto& prefix : prefixes) {
      const auto log_probs = next_log_probs_of(sentence, prefix.tokens);
      for (const TokenId token : {kSymbols.unknown, kSymbols.end, 4, 5}) {
        Hypothesis next = prefix;
        next.tokens.push_back(token);
        next.log_prob += log_probs[token].item<double>();
        if (token == kSymbols.end) finished.push_back(next);
        if (token != kSymbols.end && static_cast<int64_t>(next.tokens.size()) < max_length) longer.push_back(next);
      }
    }
    prefixes = longer;
  }
  std::sort(finished.begin(), finished.end(),
            [&](const Hypothesis& a, const Hypothesis& b) { return a.score(penalty) > b.score(penalty); });
  return finished;
}

/// Beam search as it is written on paper, which never stops before the longest output.
Hypothesis plain_beam_search(int64_t sentence, int64_t max_length, int64_t beam_size, const LengthPenalty& penalty) {
  const auto by_log_prob = [](const Hypothesis& a, const Hypothesis& b) { return a.log_prob > b.log_prob; };
  std::vector<Hypothesis> live = {{}}, finished;
  for (int64_t t = 0; t < max_length; ++t) {
    std::vector<Hypothesis> candidates;
    for (const auto& hypothesis : live) {
      const auto log_probs = next_log_probs_of(sentence, hypothesis.tokens);
      for (const TokenId token : {kSymbols.unknown, kSymbols.end, 4, 5}) {
        candidates.push_back(hypothesis);
        candidates.back().tokens.push_back(token);
        candidates.back().log_prob += log_probs[token].item<double>();
      }
    }
    std::sort(candidates.begin(), candidates.end(), by_log_prob);
    candidates.resize(std::min(candidates.size(), static_cast<size_t>(2 * beam_size)));
    live.clear();
    for (const auto& candidate : candidates) {
      if (candidate.tokens.back() == kSymbols.end) finished.push_back(candidate);
      if (candidate.tokens.back() != kSymbols.end && std::ssize(live) < beam_size) live.push_back(candidate);
    }
  }
  const auto& outputs = finished.empty() ? live : finished;
  return *std::max_element(outputs.begin(), outputs.end(), [&](const Hypothesis& a, const Hypothesis& b) {
    return a.score(penalty) < b.score(penalty);
  });
}

/// Beam search whose candidates compete with penalties of `diversity` for each place among their siblings.
std::vector<Hypothesis> diverse_beam_search(int64_t sentence, int64_t max_length, int64_t beam_size,
                                            const LengthPenalty& penalty, double diversity) {
  std::vector<Hypothesis> live = {{}}, finished;
  for (int64_t t = 0; t < max_length; ++t) {
    std::vector<std::pair<double, Hypothesis>> candidates;
    for (const auto& hypothesis : live) {
      const auto log_probs = next_log_probs_of(sentence, hypothesis.tokens);
      std::vector<std::pair<double, TokenId>> siblings;
      for (const TokenId token : {kSymbols.unknown, kSymbols.end, 4, 5}) {
        siblings.emplace_back(-log_probs[token].item<double>(), token);
      }
      std::sort(siblings.begin(), siblings.end());
      for (size_t place = 0; place < siblings.size(); ++place) {
        Hypothesis next = hypothesis;
        next.append(siblings[place].second, -siblings[place].first);
        candidates.emplace_back(diversity * static_cast<double>(place) - next.log_prob, next);
      }
    }
    std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    candidates.resize(std::min(candidates.size(), static_cast<size_t>(2 * beam_size)));
    live.clear();
    for (const auto& [_, candidate] : candidates) {
      if (candidate.tokens.back() == kSymbols.end) finished.push_back(candidate);
      if (candidate.tokens.back() != kSymbols.end && std::ssize(live) < beam_size) live.push_back(candidate);
    }
  }
  std::sort(finished.begin(), finished.end(),
            [&](const Hypothesis& a, const Hypothesis& b) { return a.score(penalty) > b.score(penalty); });
  return finished;
}

/// The searches of other programs, written as these describe them: transformers 5 with `early_stopping` true (full) and
/// false (outscored), and Marian (shrinking).
Hypothesis search_of_others(int64_t sentence, int64_t max_length, int64_t beam_size, const LengthPenalty& penalty,
                            Stopping stopping) {
  const auto by_score = [&](const Hypothesis& a, const Hypothesis& b) { return a.score(penalty) > b.score(penalty); };
  std::vector<Hypothesis> live = {{}}, finished;
  int64_t width = beam_size;
  for (int64_t length = 1; length <= max_length && width > 0; ++length) {
    std::vector<Hypothesis> candidates;
    for (const auto& hypothesis : live) {
      const auto log_probs = next_log_probs_of(sentence, hypothesis.tokens);
      for (const TokenId token : {kSymbols.unknown, kSymbols.end, 4, 5}) {
        candidates.push_back(hypothesis);
        candidates.back().append(token, log_probs[token].item<double>());
      }
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.log_prob > b.log_prob; });
    live.clear();
    for (int64_t place = 0; place < std::ssize(candidates); ++place) {
      const Hypothesis& candidate = candidates[static_cast<size_t>(place)];
      const bool ends = candidate.tokens.back() == kSymbols.end, is_last = length == max_length;
      if (place < width && (ends || is_last)) finished.push_back(candidate);
      const bool has_places = stopping == Stopping::shrinking || stopping == Stopping::topmost;
      const bool has_room = has_places ? place < width : std::ssize(live) < width;
      if (!ends && has_room) live.push_back(candidate);
    }
    std::stable_sort(finished.begin(), finished.end(), by_score);
    if (stopping == Stopping::shrinking) width = beam_size - std::ssize(finished);
    if (stopping == Stopping::topmost) {
      if (candidates.front().tokens.back() == kSymbols.end) break;
      continue;
    }
    if (stopping == Stopping::shrinking || std::ssize(finished) < beam_size) continue;
    finished.resize(static_cast<size_t>(beam_size));
    if (stopping == Stopping::full || live.front().score(penalty) <= finished.back().score(penalty)) break;
  }
  return finished.front();
}

Tokens greedy_search(int64_t sentence, int64_t max_length) {
  Tokens tokens;
  while (static_cast<int64_t>(tokens.size()) < max_length && (tokens.empty() || tokens.back() != kSymbols.end)) {
    auto log_probs = next_log_probs_of(sentence, tokens);
    for (const TokenId never : {kSymbols.pad, kSymbols.begin}) log_probs[never] = -1e9;
    tokens.push_back(log_probs.argmax().item<TokenId>());
  }
  return tokens;
}

}  // namespace

TEST_CASE("beam search with a beam as wide as the tree finds the best of all sequences, and the next best") {
  static constexpr int64_t kMaxLength = 5;
  const auto form = GENERATE(LengthPenaltyForm::gnmt, LengthPenaltyForm::average, LengthPenaltyForm::none);
  const int64_t nbest = GENERATE(1, 7);
  for (const double alpha : {0.0, 0.6, 1.5}) {
    for (int64_t sentence = 0; sentence < 12; ++sentence) {
      INFO("sentence " << sentence << ", alpha " << alpha << ", nbest " << nbest);
      FormulaModel model({sentence});
      BeamSearchOptions search = search_options(256, alpha, form);
      search.nbest = nbest;
      const auto found = search_all(model, requests_with({kMaxLength}), search).front();
      const auto best = exhaustive_search(sentence, kMaxLength, search.penalty);
      REQUIRE(std::ssize(found) == nbest);
      for (size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].tokens == best[i].tokens);
        CHECK(found[i].score(search.penalty) == Approx(best[i].score(search.penalty)).epsilon(1e-5));
        REQUIRE(found[i].token_log_probs.size() == found[i].tokens.size());
        const auto& parts = found[i].token_log_probs;
        CHECK(std::accumulate(parts.begin(), parts.end(), 0.0) == Approx(found[i].log_prob).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("beam search never stops too soon: it finds what a search that never stops finds") {
  const auto form = GENERATE(LengthPenaltyForm::gnmt, LengthPenaltyForm::average, LengthPenaltyForm::none);
  const int64_t beam_size = GENERATE(2, 3, 5);
  for (const double alpha : {0.0, 0.6, 2.0}) {
    for (int64_t sentence = 0; sentence < 30; ++sentence) {
      INFO("sentence " << sentence << ", beam " << beam_size << ", alpha " << alpha);
      const BeamSearchOptions search = search_options(beam_size, alpha, form);
      const auto found = best_of(sentence, 12, search);
      const auto plain = plain_beam_search(sentence, 12, beam_size, search.penalty);
      CHECK(found.tokens == plain.tokens);
      CHECK(found.log_prob == Approx(plain.log_prob).epsilon(1e-5));
    }
  }
}

TEST_CASE("a diverse beam search finds what one that never stops finds, with the model's own scores") {
  const int64_t beam_size = GENERATE(2, 4);
  const double diversity = GENERATE(0.3, 1.0, 4.0);
  int num_different = 0;
  for (int64_t sentence = 0; sentence < 20; ++sentence) {
    INFO("sentence " << sentence << ", beam " << beam_size << ", diversity " << diversity);
    BeamSearchOptions search = search_options(beam_size, 0.6);
    search.nbest = 2;
    FormulaModel plain({sentence}), diverse({sentence});
    const auto without = search_all(plain, requests_with({10}), search).front();
    search.diversity = diversity;
    const auto found = search_all(diverse, requests_with({10}), search).front();
    const auto expected = diverse_beam_search(sentence, 10, beam_size, search.penalty, diversity);
    REQUIRE(found.size() == 2);
    for (size_t i = 0; i < found.size(); ++i) {
      if (i >= expected.size()) continue;  // a live hypothesis fills the list
      CHECK(found[i].tokens == expected[i].tokens);
      CHECK(found[i].log_prob == Approx(expected[i].log_prob).epsilon(1e-5));
    }
    num_different += found[1].tokens == without[1].tokens ? 0 : 1;
  }
  CHECK(num_different > 0);
}

TEST_CASE("beam search with the rules of other programs finds what their searches find") {
  const auto stopping = GENERATE(Stopping::full, Stopping::outscored, Stopping::shrinking, Stopping::topmost);
  const int64_t beam_size = GENERATE(1, 2, 4);
  int num_different = 0;
  for (const double alpha : {0.0, 1.0}) {
    for (int64_t sentence = 0; sentence < 30; ++sentence) {
      INFO("sentence " << sentence << ", beam " << beam_size << ", alpha " << alpha);
      BeamSearchOptions search = search_options(beam_size, alpha, LengthPenaltyForm::average);
      const auto exact = best_of(sentence, 12, search);
      search.stopping = stopping;
      const auto found = best_of(sentence, 12, search);
      const auto expected = search_of_others(sentence, 12, beam_size, search.penalty, stopping);
      CHECK(found.tokens == expected.tokens);
      CHECK(found.log_prob == Approx(expected.log_prob).epsilon(1e-5));
      num_different += found.tokens == exact.tokens ? 0 : 1;
    }
  }
  CHECK((beam_size == 1 ? num_different == 0 : num_different > 0));
}

TEST_CASE("beam search with the rules of other programs returns as many hypotheses as are asked for, and stops early") {
  const auto stopping = GENERATE(Stopping::full, Stopping::outscored, Stopping::topmost);
  int64_t exact_steps = 0, early_steps = 0;
  for (int64_t sentence = 0; sentence < 30; ++sentence) {
    INFO("sentence " << sentence);
    FormulaModel exact({sentence}), early({sentence});
    BeamSearchOptions search = search_options(4, 1, LengthPenaltyForm::average);
    search.nbest = 3;
    search_all(exact, requests_with({40}), search);
    search.stopping = stopping;
    const auto found = search_all(early, requests_with({40}), search).front();
    REQUIRE(found.size() == 3);
    CHECK(found[0].score(search.penalty) >= found[1].score(search.penalty));
    CHECK(found[1].score(search.penalty) >= found[2].score(search.penalty));
    exact_steps += exact.steps;
    early_steps += early.steps;
  }
  CHECK(early_steps < exact_steps);
}

TEST_CASE("an n-best list is filled up with live hypotheses if too few have finished") {
  FormulaModel model({3});
  BeamSearchOptions search = search_options(4, 0.6);
  search.nbest = 4;
  const auto found = search_all(model, requests_with({2}), search).front();
  REQUIRE(found.size() == 4);
  CHECK(found.back().tokens.back() != kSymbols.end);
  for (const auto& hypothesis : found) CHECK(hypothesis.tokens.size() <= 2);
}

TEST_CASE("forced prefixes begin the output, and the rest is searched freely") {
  FormulaModel model({1, 2});
  auto requests = requests_with({9, 9});
  requests[0].processors.push_back(std::make_shared<ForcedPrefix>(Tokens{5, 4}));
  const auto found = search_all(model, requests, search_options(4, 0.6));
  REQUIRE(found[0].front().tokens.size() >= 2);
  CHECK(found[0].front().tokens[0] == 5);
  CHECK(found[0].front().tokens[1] == 4);
  CHECK(found[1].front().tokens == best_of(2, 9, search_options(4, 0.6)).tokens);
}

TEST_CASE("beam 1 equals greedy search") {
  for (int64_t sentence = 0; sentence < 30; ++sentence) {
    CHECK(best_of(sentence, 9, search_options(1, 0.6)).tokens == greedy_search(sentence, 9));
  }
}

TEST_CASE("a beam of 8 scores better than greedy search for more than a third of the sentences, and worse for none") {
  int better = 0, worse = 0;
  const LengthPenalty penalty = search_options(1, 0.6).penalty;
  for (int64_t sentence = 0; sentence < 30; ++sentence) {
    const double greedy = best_of(sentence, 9, search_options(1, 0.6)).score(penalty);
    const double beam = best_of(sentence, 9, search_options(8, 0.6)).score(penalty);
    better += beam > greedy + 1e-6 ? 1 : 0;
    worse += beam < greedy - 1e-6 ? 1 : 0;
  }
  CHECK(better > 10);
  CHECK(worse == 0);
}

TEST_CASE("a sentence's result does not depend on its neighbors or their lengths") {
  std::vector<int64_t> sentences, max_lengths;
  for (int64_t i = 0; i < 20; ++i) {
    sentences.push_back(i);
    max_lengths.push_back(1 + i * 7 % 10);
  }
  for (const int64_t at_a_time : {1, 3, 8, 64}) {  // where there is no room for all, they join as others end
    FormulaModel together(sentences);
    const auto results = search_all(together, requests_with(max_lengths), search_options(4, 0.6), at_a_time);
    CHECK(together.begun == 20);
    for (size_t i = 0; i < sentences.size(); ++i) {
      const auto result = best_of(sentences[i], max_lengths[i], search_options(4, 0.6));
      CHECK(result.tokens == results[i].front().tokens);
      CHECK(static_cast<int64_t>(result.tokens.size()) <= max_lengths[i]);
    }
  }
}

TEST_CASE("a search that finishes nothing in time gives its best live hypotheses") {
  // One token is no room for a word and the end symbol; end is unlikely at the first place.
  CHECK(best_of(3, 1, search_options(1, 0.6)).tokens.size() == 1);

  FormulaModel model({3});
  BeamSearchOptions search = search_options(3, 0.6);
  search.nbest = 2;
  const auto never_end = std::make_shared<BannedTokens>(Tokens{kSymbols.end});
  const auto found = search_all(model, requests_with({1}, {never_end}), search).front();
  REQUIRE(found.size() == 2);
  auto log_probs = next_log_probs_of(3, {});
  for (const TokenId banned : {kSymbols.pad, kSymbols.begin, kSymbols.end}) log_probs[banned] = -100;
  const auto best = std::get<1>(log_probs.topk(2));
  for (size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].tokens == Tokens{best[static_cast<int64_t>(i)].item<TokenId>()});
  }
}

TEST_CASE("beam search refuses scores that are not finite") {
  const float bad = GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
  FormulaModel model({1}, [&](int64_t sentence, const Tokens& prefix) {
    auto logits = next_log_probs_of(sentence, prefix);
    if (prefix.size() == 1) logits[5] = bad;
    return logits;
  });
  CHECK_THROWS_AS(search_all(model, requests_with({5}), search_options(2, 0.6)), NonFiniteScores);
}

TEST_CASE("beam search marks each candidate as live, finished or dropped") {
  using State = Candidate::State;
  FormulaModel model({1});
  BeamSearchOptions search = search_options(2, 0.6);
  std::map<State, int64_t> counts;
  size_t num_parents = 1;  // live hypotheses before the step
  search.on_step = [&](int64_t sentence_id, const std::vector<Candidate>& candidates) {
    CHECK(sentence_id == 0);
    REQUIRE(candidates.size() <= 4);
    size_t num_live = 0;
    for (const Candidate& candidate : candidates) {
      INFO("token " << candidate.token);
      CHECK(candidate.parent < num_parents);
      const State expected = candidate.token == kSymbols.end ? State::finished
                             : num_live < 2                  ? State::live
                                                             : State::dropped;
      CHECK(candidate.state == expected);
      if (expected == State::live) ++num_live;
      ++counts[expected];
    }
    num_parents = num_live;
  };
  search_all(model, requests_with({9}), search);
  for (const State state : {State::live, State::finished, State::dropped}) CHECK(counts[state] > 0);
}

TEST_CASE("a search stops as soon as it is decided") {
  FormulaModel model({1});
  search_all(model, requests_with({500}), search_options(4, 0.6));
  CHECK(model.steps < 100);
}

namespace {

/// Makes a token more or less likely after each token with an even id.
class BonusAfterEven : public LogitsProcessor {
 public:
  BonusAfterEven(TokenId token, double bonus) : token_(token), bonus_(bonus) {}
  bool raises_scores() const override { return bonus_ > 0; }
  void process(const Tokens& tokens, const State*, NextTokenRules& rules) const override {
    if (!tokens.empty() && tokens.back() % 2 == 0) rules.add(token_, bonus_);
  }

 private:
  TokenId token_;
  double bonus_;
};

/// Lets an output end only after it has had a token `count` times; remembers how often that was.
class NeedsToken : public LogitsProcessor {
 public:
  NeedsToken(TokenId token, int count) : token_(token), count_(count) {}
  struct Seen : State {
    int times = 0;
  };
  SharedState initial_state() const override { return std::make_shared<Seen>(); }
  SharedState next_state(const SharedState& state, TokenId token) const override {
    auto next = std::make_shared<Seen>(static_cast<const Seen&>(*state));
    next->times += token == token_ ? 1 : 0;
    return next;
  }
  void process(const Tokens&, const State* state, NextTokenRules& rules) const override {
    if (static_cast<const Seen&>(*state).times < count_) rules.ban(kSymbols.end);
  }

 private:
  TokenId token_;
  int count_;
};

/// The best finished output of at most `max_length` tokens with these processors, by trying each. A processor sees the
/// tokens alone, so its state is computed anew for each output.
void try_all(int64_t sentence, int64_t max_length, const LogitsProcessors& processors, const LengthPenalty& penalty,
             const Hypothesis& so_far, Hypothesis& best) {
  if (!so_far.tokens.empty() && so_far.tokens.back() == kSymbols.end) {
    if (best.tokens.empty() || so_far.score(penalty) > best.score(penalty)) best = so_far;
    return;
  }
  if (std::ssize(so_far.tokens) == max_length) return;
  ProcessorStates states = initial_states(processors);
  for (const TokenId token : so_far.tokens) states = next_states(processors, states, token);
  const NextTokenRules rules = next_token_rules(processors, so_far.tokens, states);
  const auto log_probs = next_log_probs_of(sentence, so_far.tokens);
  for (const TokenId token : {kSymbols.unknown, kSymbols.end, 4, 5}) {
    const auto allowed = rules.allowed();
    if (rules.is_banned(token) || (allowed && std::find(allowed->begin(), allowed->end(), token) == allowed->end())) {
      continue;
    }
    Hypothesis next = so_far;
    next.append(token, rules.adjusted(token, log_probs[token].item<double>()));
    try_all(sentence, max_length, processors, penalty, next, best);
  }
}

}  // namespace

TEST_CASE("a search with logits processors finds the best of all outputs that they allow, with their scores") {
  static constexpr int64_t kMaxLength = 6;
  const auto processors = GENERATE(
      LogitsProcessors{std::make_shared<BonusAfterEven>(5, 1.5)},
      LogitsProcessors{std::make_shared<BonusAfterEven>(4, -2)}, LogitsProcessors{std::make_shared<NeedsToken>(5, 2)},
      LogitsProcessors{std::make_shared<MinLength>(5, kSymbols.end), std::make_shared<BonusAfterEven>(3, 3)},
      LogitsProcessors{std::make_shared<NoRepeatNgram>(1)}, LogitsProcessors{std::make_shared<NoRepeatNgram>(2)},
      LogitsProcessors{std::make_shared<NoRepeatNgram>(3), std::make_shared<ForcedPrefix>(Tokens{4, 4})},
      LogitsProcessors{std::make_shared<RepetitionPenalty>(2.5)},
      LogitsProcessors{std::make_shared<RepetitionPenalty>(0.3), std::make_shared<NoRepeatNgram>(2)},
      LogitsProcessors{std::make_shared<RepetitionPenalty>(3), std::make_shared<BonusAfterEven>(5, 1)},
      LogitsProcessors{std::make_shared<NeedsToken>(4, 2), std::make_shared<ForcedPrefix>(Tokens{5}),
                       std::make_shared<BannedTokens>(Tokens{1})});
  for (const double alpha : {0.0, 1.0}) {
    for (int64_t sentence = 0; sentence < 8; ++sentence) {
      INFO("sentence " << sentence << ", alpha " << alpha);
      const BeamSearchOptions search = search_options(1024, alpha);
      FormulaModel model({sentence});
      const auto found = search_all(model, requests_with({kMaxLength}, processors), search).front().front();
      Hypothesis best;
      try_all(sentence, kMaxLength, processors, search.penalty, {}, best);
      CHECK(found.tokens == best.tokens);
      CHECK(found.log_prob == Approx(best.log_prob).epsilon(1e-5));
    }
  }
}

TEST_CASE("no n-gram occurs twice, and repeated tokens have their log-probabilities multiplied") {
  const auto with = [](const LogitsProcessors& processors, int64_t max_length) {
    FormulaModel model({7});
    return search_all(model, requests_with({max_length}, processors), search_options(4, 1)).front().front();
  };
  for (const int64_t size : {1, 2, 3}) {
    INFO("n-grams of " << size);
    const auto tokens =
        with({std::make_shared<NoRepeatNgram>(size), std::make_shared<MinLength>(size + 3, kSymbols.end)}, 20).tokens;
    std::set<Tokens> seen;
    for (int64_t i = 0; i + size <= std::ssize(tokens); ++i) {
      CHECK(seen.insert({tokens.begin() + i, tokens.begin() + i + size}).second);
    }
  }
  const auto penalized =
      with({std::make_shared<RepetitionPenalty>(2), std::make_shared<MinLength>(6, kSymbols.end)}, 9);
  for (size_t i = 0; i < penalized.tokens.size(); ++i) {
    const auto begin = penalized.tokens.begin(), now = begin + static_cast<std::ptrdiff_t>(i);
    const double log_prob = next_log_probs_of(7, {begin, now})[*now].item<double>();
    const bool is_repeated = std::find(begin, now, *now) != now;
    CHECK(penalized.token_log_probs[i] == Approx(is_repeated ? 2 * log_prob : log_prob).epsilon(1e-5));
  }
}

TEST_CASE("what is demanded of an output does not hold for its forced prefix, and banned tokens do") {
  const auto search = [](const LogitsProcessors& processors) {
    FormulaModel model({1});
    return search_all(model, requests_with({9}, processors), search_options(4, 0.6)).front();
  };
  const Tokens repeated = {4, 4, 4};
  const auto prefix = std::make_shared<ForcedPrefix>(repeated);
  const auto unigrams = std::make_shared<NoRepeatNgram>(1);
  const auto found = search({prefix, unigrams}).front().tokens;
  REQUIRE(found.size() > repeated.size());
  CHECK(Tokens(found.begin(), found.begin() + 3) == repeated);
  CHECK(std::count(found.begin(), found.end(), 4) == 3);
  CHECK(search({unigrams, prefix}).empty());  // an error of this sentence
  CHECK(search({std::make_shared<BannedTokens>(Tokens{4}), prefix}).empty());
}

TEST_CASE("a bonus from a processor that says it does not raise scores is refused") {
  class Liar : public LogitsProcessor {
    void process(const Tokens&, const State*, NextTokenRules& rules) const override { rules.add(4, 1.0); }
  };
  FormulaModel model({1});
  CHECK_THROWS_WITH(search_all(model, requests_with({9}, {std::make_shared<Liar>()}), search_options(2, 0.6)),
                    Catch::Contains("does not raise scores"));
}

TEST_CASE("sentences join a search that runs, and a cancelled one leaves it without disturbing the others") {
  const BeamSearchOptions options = search_options(4, 0.6);
  SentenceQueue queue({.sentences = 64, .tokens = 100000});
  std::vector<SearchResult> results(3);
  std::vector<SharedSentence> sentences;
  const auto add = [&](size_t i, int64_t max_length) {
    SearchRequest request = requests_with({max_length}).front();
    request.on_result = [&results, i](SearchResult result) { results[i] = std::move(result); };
    sentences.push_back(queue.add(std::move(request)));
  };
  int64_t num_steps = 0;
  // In the third step of the search, the first sentence is cancelled, and a third one is added to the queue.
  FormulaModel model({3, 4, 5}, [&](int64_t sentence, const Tokens& prefix) {
    auto log_probs = next_log_probs_of(sentence, prefix);
    if (sentence == 3) log_probs[kSymbols.end] = -100;  // it would go on for long
    if (sentence == 3 && prefix.size() == 2 && ++num_steps == 1) {
      sentences[0]->cancel();
      add(2, 9);
      queue.close();
    }
    return log_probs;
  });
  add(0, 500);
  add(1, 9);
  beam_search(model, queue, options);
  CHECK_THROWS_AS(std::rethrow_exception(results[0].error), SearchCancelled);
  for (const size_t i : {1, 2}) {
    REQUIRE_FALSE(results[i].error);
    CHECK(results[i].hypotheses.front().tokens == best_of(static_cast<int64_t>(i) + 3, 9, options).tokens);
  }
}

TEST_CASE("a logits processor that throws at the beginning of a sentence loses no sentence of its search") {
  class Thrower : public LogitsProcessor {
    SharedState initial_state() const override { throw NonFiniteScores(); }
    void process(const Tokens&, const State*, NextTokenRules&) const override {}
  };
  FormulaModel model({1, 2, 3});
  SentenceQueue queue({.sentences = 64, .tokens = 100000});
  std::vector<int> num_endings(3);
  for (size_t i = 0; i < num_endings.size(); ++i) {
    SearchRequest request = requests_with({9}).front();
    if (i == 1) request.processors.push_back(std::make_shared<Thrower>());
    request.on_result = [&num_endings, i](const SearchResult& result) { num_endings[i] += result.error ? 1 : 10; };
    queue.add(std::move(request));
  }
  queue.close();
  CHECK_THROWS_AS(beam_search(model, queue, search_options(2, 0.6)), NonFiniteScores);
  CHECK(num_endings == std::vector{1, 1, 1});
}

TEST_CASE("a search that throws ends its sentences with the exception") {
  FormulaModel model({1}, [&](int64_t, const Tokens&) -> torch::Tensor { throw NonFiniteScores(); });
  SentenceQueue queue({.sentences = 64, .tokens = 100000});
  std::exception_ptr error;
  SearchRequest request = requests_with({9}).front();
  request.on_result = [&](const SearchResult& result) { error = result.error; };
  queue.add(std::move(request));
  queue.close();
  CHECK_THROWS_AS(beam_search(model, queue, search_options(2, 0.6)), NonFiniteScores);
  REQUIRE(error);
  CHECK_THROWS_AS(std::rethrow_exception(error), NonFiniteScores);
}

}  // namespace transformer
