#include <string>
#include <vector>

#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

/// The arguments of a short run in `tuned/` that starts with the shared model.
std::vector<std::string> tuning(const std::string& model, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {
      "--set", "training.init_from=" + model, "--set", "training.directory=tuned",
      "--set", "data.prepared=tuned-data",    "--set", "training.schedule=constant",
      "--set", "training.learning_rate=1e-4", "--set", "training.learning_rate_scale=1",
      "--set", "training.train_steps=4",      "--set", "training.validate_every=2",
      "--set", "training.checkpoint_every=2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("train starts from a model file with its vocabulary, and keeps the best model") {
  const Workplace place(trained());
  const Result tuned =
      place.train(tuning("model.pt", {"--set", "training.best_by=bleu", "--set", "training.ema_decay=0.9"}));
  INFO(tuned.err);
  REQUIRE(tuned.status == 0);
  CHECK_THAT(tuned.err, Catch::Contains("using the vocabulary of model.pt") &&
                            Catch::Contains("starting with the parameters of model.pt"));
  CHECK(place.have_same_bytes("tuned-data/vocabulary.model", "prepared/vocabulary.model"));
  const auto translate = [&](const std::string& model) {
    return place.run({"translate", "--model", model, "--input", "test.source", "--quiet"});
  };
  const Result best = translate("tuned/checkpoints/best.pt");
  CHECK(best.status == 0);
  CHECK(lines_of(best.out).size() == place.read_lines("test.source").size());
  for (const std::vector<std::string>& choice :
       std::vector<std::vector<std::string>>{{"--best", "1"}, {"--last", "2", "--ema"}, {"--best", "2", "--ema"}}) {
    std::vector<std::string> arguments = {"average-checkpoints", "tuned", "-o", "mean.pt"};
    arguments.insert(arguments.end(), choice.begin(), choice.end());
    CHECK(place.run(arguments).status == 0);
    CHECK(translate("mean.pt").status == 0);
  }
  check_fails(place.run({"average-checkpoints", "tuned", "-o", "mean.pt", "--best", "3"}), 1,
              {"tuned: has 2 checkpoints with a validation, not 3"});
  check_fails(place.run({"average-checkpoints", "run", "-o", "mean.pt", "--last", "1", "--ema"}), 1,
              {"has no moving average of the parameters", "training.ema_decay"});
}

TEST_CASE("train refuses a model to start from that does not fit") {
  const Workplace place(trained());
  check_fails(place.train(tuning("none.pt")), 1, {"training.init_from: none.pt: there is no such file"});
  check_fails(place.train(tuning("model.pt", {"--set", "model.d_ff=48"})), 1,
              {"training.init_from: model.pt: parameter '", "set the keys under `model` as they are in that model",
               "there, 48 here"});
  REQUIRE(place.run_shell("spm_train --input=train.source --model_prefix=own --vocab_size=60 --hard_vocab_limit=false")
              .status == 0);
  check_fails(place.train(tuning("model.pt", {"--set", "data.vocabulary=own.model"})), 1,
              {"training.init_from: model.pt has another vocabulary than data.vocabulary (own.model)"});
}

TEST_CASE("train uses a vocabulary of SentencePiece with other symbols") {
  const Workplace place;
  REQUIRE(place
              .run_shell("spm_train --input=train.source,train.target --model_prefix=own --vocab_size=60 "
                         "--hard_vocab_limit=false --model_type=unigram --minloglevel=2")
              .status == 0);
  const Result result = place.train({"--set", "data.vocabulary=own.model", "--set", "training.train_steps=20", "--set",
                                     "training.checkpoint_every=20"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(place.have_same_bytes("prepared/vocabulary.model", "own.model"));
  const auto pieces = place.read_lines("prepared/vocabulary.vocab");
  CHECK(std::vector<std::string>(pieces.begin(), pieces.begin() + 4) ==
        std::vector<std::string>{"<pad>", "<unk>", "<s>", "</s>"});
  const Result text = place.run({"translate", "--model", "run/checkpoints/step-00000020.pt", "--input", "test.source"});
  CHECK(lines_of(text.out).size() == place.read_lines("test.source").size());
  REQUIRE(place
              .run_shell("echo a > one; spm_train --input=one --model_prefix=few --vocab_size=5 --model_type=char "
                         "--minloglevel=2; spm_train --input=test.source --model_prefix=other --vocab_size=12 "
                         "--model_type=char --hard_vocab_limit=false --minloglevel=2")
              .status == 0);
  check_fails(place.train({"--overwrite", "--set", "data.vocabulary=few.model"}), 1,
              {"few.model: this vocabulary has 5 pieces, and a text needs at least 8"});
  CHECK_THAT(place.run({"preprocess", "config.yaml", "--set", "data.vocabulary=other.model"}).err,
             Catch::Contains("warning: training corpus: ") && Catch::Contains(" % of its pieces are unknown"));
  place.write("bad.model", "nonsense");
  check_fails(place.train({"--overwrite", "--set", "data.vocabulary=bad.model"}), 1,
              {"bad.model: not a SentencePiece model"});
}

TEST_CASE("train takes corpora with weights and tags, and resumes exactly") {
  const Workplace place;
  REQUIRE(place.run_shell("head -n 100 train.source > more.source; head -n 100 train.target > more.target").status ==
          0);
  place.write("corpora.yaml",
              "extends: config.yaml\n"
              "data:\n"
              "  train:\n"
              "    - {source: train.source, target: train.target, weight: 0.5}\n"
              "    - {source: more.source, target: more.target, weight: 2, tag: <more>}\n");
  const auto train = [&](int steps, const std::string& directory) {
    return place.run({"train", "corpora.yaml", "--threads", "1", "--set",
                      "training.train_steps=" + std::to_string(steps), "--set", "training.directory=" + directory,
                      "--set", "training.checkpoint_every=10"});
  };
  const Result first = train(10, "parts");
  INFO(first.err);
  REQUIRE(first.status == 0);
  REQUIRE(train(20, "parts").status == 0);
  REQUIRE(train(20, "whole").status == 0);
  const auto translate = [&](const std::string& directory) {
    return place
        .run({"score", "--model", directory + "/checkpoints/step-00000020.pt", "--source", "test.source", "--target",
              "test.target", "--threads", "1"})
        .out;
  };
  CHECK(translate("parts") == translate("whole"));
  CHECK_THAT(place.read("prepared/vocabulary.vocab"), Catch::Contains("▁<more>\n"));
  CHECK_THAT(place.read("prepared/manifest.json"), Catch::Contains("\"tags\""));
  check_fails(place.run({"train", "corpora.yaml", "--set", "training.directory=parts", "--set",
                         "training.train_steps=30", "--set", "data.train.weight=[1, 1]"}),
              1, {"parts: holds a run with another config", "data.train.weight: 0.5, 2 there, 1, 1 here"});
}

TEST_CASE("train stops with a checkpoint and status 0 when training.max_hours are over, and is resumed") {
  const Workplace place;
  const auto train = [&](const std::string& hours) {
    return place.train({"--set", "training.train_steps=" + std::to_string(kNeverReached), "--set",
                        "training.max_hours=" + hours, "--set",
                        "training.checkpoint_every=" + std::to_string(kNeverReached)});
  };
  const Result first = train("0.001");
  CHECK(first.status == 0);
  CHECK_THAT(first.err, Catch::Contains("stopped after step") && Catch::Contains("the same command resumes the run"));
  CHECK(place.list("run/checkpoints").size() >= 1);
  const Result second = train("0.002");
  CHECK(second.status == 0);
  CHECK_THAT(second.err, Catch::Contains("resuming after step"));
}

}  // namespace transformer
