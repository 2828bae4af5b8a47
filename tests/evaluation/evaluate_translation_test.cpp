#include "evaluation/evaluate_translation.h"

#include <algorithm>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "evaluation/score_format.h"

namespace transformer {
namespace {

/// A hypothesis, a worse one and a reference.
struct Texts {
  Texts() {
    write_file_atomically(directory / "good", "the cat sat on the mat\nthe dog barks loudly\n");
    write_file_atomically(directory / "bad", "the cat sat on a mat\na dog barks\n");
    write_file_atomically(directory / "reference", "the cat sat on the mat\nthe dog barks very loudly\n");
  }

  TranslationEvaluationTask task(const std::vector<std::string>& names) const {
    TranslationEvaluationTask task;
    task.hypotheses.clear();
    for (const auto& name : names) task.hypotheses.push_back(directory / name);
    task.references = {directory / "reference"};
    return task;
  }

  TemporaryDirectory directory;
};

}  // namespace

TEST_CASE("test sets whose segments have other ids in another order are not scored against each other") {
  const Texts texts;
  const auto write = [&](const std::string& name, const std::string& first, const std::string& second) {
    write_file_atomically(texts.directory / name, "<refset>\n<doc docid=\"d\"><seg id=\"" + first +
                                                      "\">a</seg>\n<seg id=\"" + second +
                                                      "\">b</seg></doc>\n</refset>\n");
  };
  write("good", "1", "2");
  write("reference", "1", "2");
  CHECK_NOTHROW(evaluate_translation(texts.task({"good"})));
  write("good", "2", "1");
  CHECK_THROWS_WITH(evaluate_translation(texts.task({"good"})),
                    Catch::Contains("good:1: is d segment 2, but line 1 of "));
  write("reference", "2", "1");
  TranslationEvaluationTask task = texts.task({"good"});
  write("source", "1", "2");
  task.source = texts.directory / "source";
  CHECK_THROWS_WITH(evaluate_translation(task), Catch::Contains("source:1: is d segment 1, but line 1 of "));
}

TEST_CASE("evaluation of one system has a score for each metric, or one for each line") {
  const Texts texts;
  TranslationEvaluationTask task = texts.task({"good"});
  CHECK_THAT(evaluate_translation(task), Catch::StartsWith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"));
  task.metrics = {EvaluationMetric::chrf_plus_plus, EvaluationMetric::bleu, EvaluationMetric::chrf};
  task.paper = true;
  task.score_only = true;
  const std::string values = evaluate_translation(task);
  CHECK(std::count(values.begin(), values.end(), '\n') == 3);

  task = texts.task({"good"});
  task.sentence = true;
  const std::string lines = evaluate_translation(task);
  CHECK_THAT(lines, Catch::StartsWith("BLEU|nrefs:1|case:mixed|eff:yes") && Catch::Contains(" = 100.0 ") &&
                        Catch::Contains("\nBLEU|"));

  task.sentence = false;
  task.json = true;
  task.confidence = true;
  task.confidence_samples = 20;
  const Json json = Json::parse(evaluate_translation(task));
  CHECK(json.at("name") == "BLEU");
  CHECK(json.at("bs") == "20");
  CHECK(json.contains("confidence_mean"));
}

TEST_CASE("evaluation of several systems compares them with the first") {
  const Texts texts;
  TranslationEvaluationTask task = texts.task({"bad", "good"});
  task.paired = true;
  task.paired_samples = 20;
  CHECK_THAT(evaluate_translation(task), Catch::Contains("Baseline: ") && Catch::Contains("(p = "));
  task.json = true;
  const Json json = Json::parse(evaluate_translation(task));
  REQUIRE(json.size() == 2);
  CHECK(json[0].at("BLEU").at("p_value").is_null());
  CHECK(json[1].at("BLEU").at("score") > json[0].at("BLEU").at("score"));
}

TEST_CASE("evaluation options that contradict each other are refused") {
  const Texts texts;
  const auto refuses = [&](const std::vector<std::string>& names, const std::string& reason, const auto& change) {
    TranslationEvaluationTask task = texts.task(names);
    change(task);
    INFO(reason);
    CHECK_THROWS_AS(evaluate_translation(task), UsageError);
    CHECK_THROWS_WITH(evaluate_translation(task), Catch::Contains(reason));
  };
  using Task = TranslationEvaluationTask;
  refuses({"good", "good"}, "is given twice", [](Task&) {});
  refuses({"good"}, "only one stdin", [](Task& task) { task.hypotheses = {"-"}, task.references = {"-"}; });
  refuses({"good"}, "'smooth_value'", [](Task& task) { task.bleu.smooth_value = 0.5; });
  refuses({"good"}, "'paired_bs'", [](Task& task) { task.paired = true; });
  refuses({"good", "bad"}, "'confidence'", [](Task& task) { task.confidence = true; });
  refuses({"good", "bad"}, "'score_only'", [](Task& task) { task.score_only = true; });
  refuses({"good"}, "'sentence'", [](Task& task) { task.sentence = task.paper = true; });
}

}  // namespace transformer
