#include <filesystem>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "catch.h"
#include "count.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// The arguments of a short run in `tuned/` that starts with the shared model.
std::vector<std::string> tuning(const std::string& model, const std::vector<std::string>& more = {}) {
  return with({"--set", "training.init_from=" + model, "--set", "training.directory=tuned", "--set",
               "data.prepared=tuned-data", "--set", "training.schedule=constant", "--set",
               "training.learning_rate=1e-4", "--set", "training.learning_rate_scale=1", "--set",
               "training.train_steps=4", "--set", "training.validate_every=2", "--set", "training.checkpoint_every=2"},
              more);
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
  CHECK_THAT(tuned.err, Catch::Contains("  transformer average-checkpoints tuned\n"));
  CHECK_THAT(place.run({"average-checkpoints", "tuned"}).err, Catch::Contains("--ema --last 1  BLEU "));
  CHECK(place.have_same_bytes("tuned-data/vocabulary.model", "prepared/vocabulary.model"));
  const auto translate = [&](const std::string& model) {
    return place.run({"translate", "--model", model, "--input", "test.source", "--quiet"});
  };
  const Result best = translate("tuned/checkpoints/best.safetensors");
  CHECK(best.status == 0);
  CHECK(lines_of(best.out).size() == place.read_lines("test.source").size());
  for (const std::vector<std::string>& choice :
       std::vector<std::vector<std::string>>{{"--best", "1"}, {"--last", "2", "--ema"}, {"--best", "2", "--ema"}}) {
    CHECK(place.run(with({"average-checkpoints", "tuned", "-o", "mean.pt"}, choice)).status == 0);
    CHECK(translate("mean.pt").status == 0);
  }
  check_fails(place.run({"average-checkpoints", "tuned", "-o", "mean.pt", "--best", "3"}), 1,
              {"tuned: has 2 checkpoints with a validation, not 3"});
  check_fails(place.run({"average-checkpoints", "run", "-o", "mean.pt", "--last", "1", "--ema"}), 1,
              {"has no moving average beside its parameters", "training.ema_decay"});
}

TEST_CASE("train starts from a run directory, as other commands take one for a model") {
  const Workplace place(trained());
  check_fails(place.train(tuning("prepared")), 1,
              {"prepared: is a directory with neither averaged.safetensors nor checkpoints"});
  const std::string newest = checkpoint_name(kLastStep);
  const Result tuned = place.train(tuning("run"));
  INFO(tuned.err);
  REQUIRE(tuned.status == 0);
  CHECK_THAT(tuned.err, Catch::Contains("using the vocabulary of " + newest) &&
                            Catch::Contains("starting with the parameters of " + newest));
}

TEST_CASE("training starts with the checkpoint that the first rank found, also if a newer one appears meanwhile") {
  const Workplace place(trained());
  const std::string found = checkpoint_name(kLastStep - kCheckpointEvery), newer = checkpoint_name(kLastStep);
  std::filesystem::rename(place / newer, place / "newer.pt");
  // Three short runs after each other, of which the first and the last start with the model.
  const auto verification =
      place.start(Workplace::train_command(tuning("run", {"--devices", "2", "--verify-resume", "20"})));
  verification->lower_priority();
  verification->wait_until(
      "the first run", [&] { return place.has("tuned.verify-resume/resumed/checkpoints/step-00000020.safetensors"); });
  std::filesystem::rename(place / "newer.pt", place / newer);
  const Result verified = verification->wait();
  INFO(verified.err);
  CHECK(verified.status == 0);
  CHECK_THAT(verified.err, Catch::Contains("using the vocabulary of " + found));
  CHECK(count(verified.err, "starting with the parameters of " + found + "\n") == 2);
}

TEST_CASE("a run that began with a model goes on without it, and a run that did not takes none") {
  const Workplace place(trained());
  place.write("general.pt", place.read("model.pt"));
  REQUIRE(place.train(tuning("general.pt")).status == 0);
  std::filesystem::remove(place / "general.pt");
  const Result resumed = place.train(tuning("general.pt", {"--set", "training.train_steps=6"}));
  INFO(resumed.err);
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.err, Catch::Contains("resuming after step 4"));
  place.write("tuned/checkpoints/step-00000006.safetensors", "cut short");
  const Result from_older = place.train(tuning("general.pt", {"--set", "training.train_steps=8"}));
  INFO(from_older.err);
  CHECK(from_older.status == 0);
  CHECK_THAT(from_older.err, Catch::Contains("resuming after step 4"));
  // The key may be removed, also where the data is prepared again. The run still has that model's vocabulary.
  const auto resume_without_key = [&](int steps) {
    std::vector<std::string> settings = tuning("", {"--set", "training.train_steps=" + std::to_string(steps)});
    settings.erase(settings.begin(), settings.begin() + 2);
    const Result result = place.train(settings);
    INFO(result.err);
    CHECK(result.status == 0);
  };
  resume_without_key(10);
  std::filesystem::remove_all(place / "tuned-data");
  resume_without_key(12);
  CHECK(place.have_same_bytes("tuned-data/vocabulary.model", "prepared/vocabulary.model"));
  place.write("tuned/averaged.safetensors", place.read("model.pt"));
  check_fails(place.train(tuning("tuned", {"--overwrite", "--quiet"})), 2,
              {"tuned/averaged.safetensors is a model of the run that --over"});
  CHECK(place.has("tuned/averaged.safetensors"));
  REQUIRE(place.train({"--set", "training.directory=random", "--set", "training.train_steps=2"}).status == 0);
  check_fails(place.train({"--set", "training.directory=random", "--set", "training.init_from=model.pt"}), 1,
              {"random: holds a run that began with random parameters"});
}

TEST_CASE("info counts the vocabulary that a config names, or warns that it is missing") {
  const Workplace place(trained());
  const auto info = [&](const std::string& setting) {
    return place.run(
        {"info", "--config", "config.yaml", "--set", "data.vocabulary_size=1000", "--set", setting, "--json"});
  };
  for (const char* setting : {"training.init_from=model.pt", "training.init_from=run", "data.vocabulary=model.pt",
                              "data.vocabulary=prepared/vocabulary.model"}) {
    INFO(setting);
    const Result result = info(setting);
    CHECK(result.status == 0);
    CHECK(parse_json(result.out).at("vocabulary_size") == 60);
  }
  for (const auto& [setting, warning] :
       {std::pair("data.vocabulary=none.model", "data.vocabulary: none.model: there is"),
        std::pair("training.init_from=prepared", "prepared: is a directory with ")}) {
    const Result missing = info(setting);
    CHECK(parse_json(missing.out).at("vocabulary_size") == 1000);
    CHECK_THAT(missing.err, Catch::StartsWith(std::string("warning: ") + warning));
  }
  check_fails(info("data.vocabulary=test.source"), 1, {"test.source: not a SentencePiece model, or a damaged one"});
}

TEST_CASE("train refuses a model to start from that does not fit") {
  const Workplace place(trained());
  check_fails(place.train(tuning("none.pt")), 1, {"training.init_from: none.pt: there is no such file"});
  check_fails(place.train(tuning("model.pt", {"--set", "model.d_ff=48", "--set", "data.prepared=fresh"})), 1,
              {"training.init_from: model.pt is another architecture", "set the keys under `model` as they are there",
               "there, 48 here"});
  REQUIRE(place.run_shell("spm_train --input=train.source --model_prefix=own --vocab_size=60 --hard_vocab_limit=false")
              .status == 0);
  check_fails(place.train(tuning("model.pt", {"--set", "data.vocabulary=own.model", "--set", "data.prepared=fresh"})),
              1, {"training.init_from: model.pt has another vocabulary than data.vocabulary (own.model)"});
  CHECK(!std::filesystem::exists(place / "fresh"));  // found before the data is prepared
}

TEST_CASE("source and target may have separate vocabularies, in every command") {
  const Workplace place;
  REQUIRE(place
              .run_shell("for side in source target; do spm_train --input=train.$side --model_prefix=$side "
                         "--vocab_size=50 --hard_vocab_limit=false --model_type=bpe --minloglevel=2; done")
              .status == 0);
  const std::vector<std::string> separate = {"--set", "data.vocabulary.source=source.model", "--set",
                                             "data.vocabulary.target=target.model"};
  const auto succeed = [](const Result& result) {
    INFO(result.err);
    REQUIRE(result.status == 0);
    return result;
  };
  succeed(place.train(with(separate, {"--set", "training.train_steps=150"})));
  std::filesystem::remove(place / "prepared/source_vocabulary.model");
  const Result resumed = succeed(place.train(with(separate, {"--set", "training.train_steps=250"})));
  CHECK_THAT(resumed.err,
             Catch::Contains("prepared: has 3 prepared files where 4 were written; preparing the data again"));
  CHECK_THAT(resumed.err, Catch::Contains("resuming after step 150"));
  CHECK_THAT(resumed.err, Catch::Contains("vocabularies of "));
  CHECK(place.have_same_bytes("prepared/source_vocabulary.model", "source.model"));
  CHECK(place.have_same_bytes("prepared/vocabulary.model", "target.model"));

  succeed(place.run({"average-checkpoints", "--last", "2", "run", "-o", "m.pt"}));
  const auto translated = [&](const std::string& model) {
    return succeed(place.run({"translate", "--model", model, "--input", "test.source"})).out;
  };
  const std::string translation = translated("m.pt");
  place.write("out", translation);
  const Result bleu =
      succeed(place.run({"eval-bleu", "--hypothesis", "out", "--reference", "test.target", "--score-only"}));
  CHECK(std::stod(bleu.out) > 50);
  succeed(place.run({"score", "--model", "m.pt", "--source", "test.source", "--target", "test.target"}));
  succeed(place.run({"attention", "--model", "m.pt", "--source", "ba be", "--format", "json", "-o", "a.json"}));
  CHECK_THAT(place.read("a.json"), Catch::Contains("\"ba\"") && Catch::Contains("\"al\""));
  CHECK_THAT(succeed(place.run({"info", "--model", "m.pt"})).out, Catch::Contains("pieces of the source, "));

  succeed(place.run({"export", "--model", "m.pt", "-o", "exported"}));
  CHECK(place.have_same_bytes("exported/source_vocabulary.model", "source.model"));
  succeed(place.run({"import", "--input", "exported", "-o", "imported.pt"}));
  CHECK(translated("imported.pt") == translation);
  place.write("pair.source", "ba be\n");
  place.write("pair.target", "us es\n");
  const Json score = parse_json(
      succeed(place.run({"score", "--model", "m.pt", "--source", "pair.source", "--target", "pair.target", "--json"}))
          .out);
  const Json by_numpy = parse_json(
      succeed(place.run_python({kRepository / "scripts/check_export.py", "exported", "ba be", "us es"})).out);
  CHECK(by_numpy.at("log_prob").get<double>() == Approx(score.at("log_prob").get<double>()).epsilon(1e-5));
  succeed(place.run({"export", "--model", "m.pt", "--format", "ctranslate2", "-o", "served"}));
  for (const char* file : {"source_vocabulary.json", "target_vocabulary.json", "source_vocabulary.model"}) {
    CHECK(place.has(std::string("served/") + file));
  }
  CHECK_FALSE(place.has("served/shared_vocabulary.json"));
  succeed(place.run({"export", "--model", trained() / "model.pt", "--format", "ctranslate2", "-o", "served"}));
  CHECK(place.has("served/shared_vocabulary.json"));
  CHECK_FALSE(place.has("served/source_vocabulary.model"));

  // Fine-tuning takes both vocabularies of the model.
  succeed(place.train({"--set", "training.init_from=m.pt", "--set", "training.directory=tuned", "--set",
                       "data.prepared=tuned-data", "--set", "training.train_steps=10"}));
  CHECK(place.have_same_bytes("tuned-data/source_vocabulary.model", "source.model"));
  check_fails(place.train({"--overwrite", "--set", "data.vocabulary.source=source.model"}), 2,
              {"data.vocabulary.source has no counterpart: give both"});
  check_fails(place.train({"--set", "training.init_from=m.pt", "--set", "data.vocabulary=target.model", "--set",
                           "training.directory=other", "--set", "data.prepared=other-data"}),
              1, {"training.init_from: m.pt has another vocabulary than data.vocabulary (target.model)"});

  // A run goes on without the files of its vocabularies, also where the data is prepared again.
  for (const char* path : {"source.model", "target.model", "prepared"}) std::filesystem::remove_all(place / path);
  const Result without = succeed(place.train(with(separate, {"--set", "training.train_steps=260"})));
  CHECK_THAT(without.err, Catch::Contains("resuming after step 250"));
  CHECK(place.have_same_bytes("prepared/source_vocabulary.model", "tuned-data/source_vocabulary.model"));
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
  const Result text =
      place.run({"translate", "--model", "run/checkpoints/step-00000020.safetensors", "--input", "test.source"});
  CHECK(lines_of(text.out).size() == place.read_lines("test.source").size());
  REQUIRE(place
              .run_shell("echo a > one; spm_train --input=one --model_prefix=few --vocab_size=5 --model_type=char "
                         "--minloglevel=2; spm_train --input=test.source --model_prefix=other --vocab_size=12 "
                         "--model_type=char --hard_vocab_limit=false --minloglevel=2")
              .status == 0);
  check_fails(
      place.train({"--overwrite", "--set", "data.vocabulary=run/checkpoints/step-00000020.safetensors"}), 2,
      {"data.vocabulary: run/checkpoints/step-00000020.safetensors is a model of the run that --overwrite removes"});
  check_fails(place.train({"--overwrite", "--set", "data.vocabulary=few.model"}), 1,
              {"few.model: this vocabulary has 5 pieces, and a text needs at least 8"});
  CHECK_THAT(place.run({"preprocess", "config.yaml", "--set", "data.vocabulary=other.model"}).err,
             Catch::Contains("warning: training corpus: ") && Catch::Contains(" % of its source pieces are unknown"));
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
        .run({"score", "--model", directory + "/checkpoints/step-00000020.safetensors", "--source", "test.source",
              "--target", "test.target", "--threads", "1"})
        .out;
  };
  CHECK(translate("parts") == translate("whole"));
  CHECK_THAT(place.read("prepared/vocabulary.vocab"), Catch::Contains("▁<more>\n"));
  CHECK_THAT(place.read("prepared/manifest.json"), Catch::Contains("\"tags\""));
  check_fails(place.run({"train", "corpora.yaml", "--set", "training.directory=parts", "--set",
                         "training.train_steps=30", "--set", "data.train.weight=[1, 1]"}),
              1, {"parts: holds a run whose config differs", "data.train.weight: [0.5, 2] there, [1, 1] here"});
}

TEST_CASE("train stops with a checkpoint and status 0 when training.max_hours are over, and is resumed", "[waits]") {
  const Workplace place;
  // A slow machine needs all the time that follows for starting, and then makes no further steps.
  CHECK(place.train({"--set", "training.train_steps=10"}).status == 0);
  const auto train = [&](const std::string& hours) {
    return place.train({"--set", "training.train_steps=" + std::to_string(kNeverReached), "--set",
                        "training.max_hours=" + hours, "--set",
                        "training.checkpoint_every=" + std::to_string(kNeverReached)});
  };
  const Result first = train("0.001");
  CHECK(first.status == 0);
  CHECK_THAT(first.err, Catch::Contains("stopped after step") && Catch::Contains("the same command resumes the run"));
  const auto checkpoints = place.list("run/checkpoints");
  REQUIRE_FALSE(checkpoints.empty());
  const std::string newest = checkpoints.back();
  const Result second = train("0.002");
  CHECK(second.status == 0);
  const std::string step = with_thousands(std::stoi(newest.substr(newest.find('-') + 1)));
  CHECK_THAT(first.err, Catch::Contains("stopped after step " + step + ";"));
  CHECK_THAT(second.err, Catch::Contains("resuming after step " + step + "\n"));
}

}  // namespace transformer
