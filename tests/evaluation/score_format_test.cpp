#include "evaluation/score_format.h"

#include <cmath>
#include <memory>

#include "catch.h"
#include "evaluation/bleu.h"
#include "evaluation/chrf.h"
#include "evaluation/ter.h"
#include "golden/evaluation/bleu.h"
#include "golden/evaluation/metrics.h"

namespace transformer {
namespace {

constexpr int kWidth = 12;  // number of decimals in the golden texts

const golden::ScoredCorpus& corpus(const std::string& name) {
  for (const auto& candidate : golden::kScoredCorpora) {
    if (candidate.name == name) return candidate;
  }
  FAIL("no corpus is called " << name);
  return golden::kScoredCorpora[0];
}

std::vector<NamedText> references_of(const golden::ScoredCorpus& scored) {
  std::vector<NamedText> references;
  for (const auto& lines : scored.references) references.push_back({"reference", lines});
  return references;
}

/// The line that is printed for the metric's score on the corpus.
std::string text_of(Metric& metric, const std::string& name, const std::optional<Resampling>& resampling = {}) {
  const auto& scored = corpus(name);
  const auto lines = corpus_statistics(metric, {"hypothesis", scored.hypotheses}, references_of(scored));
  return format_text({score_of(metric, lines, scored.references.size(), resampling)}, kWidth);
}

}  // namespace

TEST_CASE("BLEU's line equals sacreBLEU's with every option") {
  for (const auto& expected : golden::kBleuTexts) {
    BleuOptions options;
    options.tokenization = value_named<Tokenization>(expected.tokenize).value();
    options.lowercase = expected.lowercase;
    options.smoothing = value_named<Smoothing>(expected.smooth).value();
    if (expected.smooth_value >= 0) options.smooth_value = expected.smooth_value;
    options.effective_order = expected.effective_order;
    Bleu metric(options);
    INFO(expected.corpus);
    CHECK(text_of(metric, expected.corpus) == expected.text);
  }
}

TEST_CASE("chrF's line equals sacreBLEU's with every option") {
  for (const auto& expected : golden::kChrfTexts) {
    ChrfOptions options{expected.char_order, expected.word_order, expected.beta,
                        expected.lowercase,  expected.whitespace, expected.eps_smoothing};
    Chrf metric(options);
    INFO(expected.corpus);
    CHECK(text_of(metric, expected.corpus) == expected.text);
  }
}

TEST_CASE("TER's line equals sacreBLEU's with every option") {
  for (const auto& expected : golden::kTerTexts) {
    Ter metric({expected.case_sensitive, expected.normalized, expected.no_punctuation, expected.asian_support});
    INFO(expected.corpus);
    CHECK(text_of(metric, expected.corpus) == expected.text);
  }
}

TEST_CASE("confidence intervals equal sacreBLEU's") {
  for (const auto& expected : golden::kResampledTexts) {
    ChrfOptions words;
    words.word_order = expected.metric == "chrF2++" ? 2 : 0;
    std::unique_ptr<Metric> metric = std::make_unique<Chrf>(words);
    if (expected.metric == "BLEU") metric = std::make_unique<Bleu>(BleuOptions{});
    if (expected.metric == "TER") metric = std::make_unique<Ter>(TercomOptions{});
    INFO(expected.corpus);
    CHECK(text_of(*metric, expected.corpus, Resampling{expected.num_samples, expected.seed}) == expected.text);
  }
}

TEST_CASE("tables of several systems equal sacreBLEU's, with and without a paired test") {
  const auto& scored = corpus("random lines with three references");
  std::vector<NamedText> systems = {
      {"one", scored.hypotheses}, {"a/longer/name", scored.references[0]}, {"drei", scored.references[2]}};
  systems[2].lines[0].clear();
  const std::vector<NamedText> references = {{"reference", scored.references[1]}};
  for (const auto& expected : golden::kSystemsTables) {
    SystemsTable table;
    if (expected.num_samples > 0) table.paired = Resampling{expected.num_samples, Resampling{}.seed};
    std::vector<std::unique_ptr<Metric>> metrics;
    metrics.push_back(std::make_unique<Bleu>(BleuOptions{}));
    if (expected.num_metrics > 1) metrics.push_back(std::make_unique<Chrf>(ChrfOptions{}));
    if (expected.num_metrics > 2) metrics.push_back(std::make_unique<Ter>(TercomOptions{}));
    for (const auto& metric : metrics) {
      table.comparisons.push_back(compare(*metric, systems, references, table.paired));
    }
    for (const auto& system : systems) table.systems.push_back(system.name);
    CHECK((expected.json ? format_json(table, expected.width) : format_text(table, expected.width)) + "\n" ==
          expected.text);
  }
}

TEST_CASE("several scores are aligned at their equals signs, or are a list in JSON") {
  const std::vector<Score> scores = {{"BLEU", "a:b", 12.345, "(...)", std::nullopt},
                                     {"chrF2", "", 1, "", std::nullopt}};
  CHECK(format_text(scores, 1) == "BLEU|a:b = 12.3 (...)\n   chrF2 = 1.0");
  CHECK_THAT(format_json(scores, 1), Catch::StartsWith("[\n{\n \"name\": \"BLEU\",\n \"score\": 12.3,"));
}

}  // namespace transformer
