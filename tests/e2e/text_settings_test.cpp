#include <algorithm>
#include <string>
#include <vector>

#include "base/json.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

Result preprocess_with(const Workplace& place, const std::vector<std::string>& settings) {
  std::vector<std::string> arguments = {"preprocess", "config.yaml"};
  for (const std::string& setting : settings) arguments = with(arguments, {"--set", setting});
  return place.run(arguments);
}

double bleu_of(const Workplace& place, const std::string& hypothesis, const std::string& reference) {
  return std::stod(
      output_of(place.run({"eval-bleu", "--hypothesis", hypothesis, "--reference", reference, "--score-only"})));
}

/// The BLEU of the newest checkpoint's translations of a text.
double bleu_of_model(const Workplace& place, const std::string& source, const std::string& reference) {
  const Result result = place.run({"translate", "--model", "run", "--input", source, "--output", "translated"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  return bleu_of(place, "translated", reference);
}

void run_shell(const Workplace& place, const std::string& script) {
  const Result result = place.run_shell(script);
  INFO(result.err);
  REQUIRE(result.status == 0);
}

}  // namespace

TEST_CASE("preparation warns of target characters that normalization changes, and data.normalization keeps them") {
  const Workplace place;
  // Each word has a character that the default rule changes: U+00B2 becomes 2, U+200C a blank.
  run_shell(place, "sed -i 's/a/²/g; s/e/e\u200Ce/g' *.target");
  const Result changed = preprocess_with(place, {});
  INFO(changed.err);
  REQUIRE(changed.status == 0);
  CHECK_THAT(changed.err, Catch::Contains("warning: training corpus: the vocabulary cannot write ") &&
                              Catch::Contains("U+00B2 ² (") && Catch::Contains(" times, becomes 2; train.target:") &&
                              Catch::Contains("U+200C (") &&
                              Catch::Contains("; data.normalization: identity keeps characters as they are"));
  const Result kept = place.train({"--set", "data.normalization=identity"});
  INFO(kept.err);
  REQUIRE(kept.status == 0);
  CHECK_THAT(kept.err, Catch::Contains("prepared: was made with another 'normalization'; preparing the data again"));
  CHECK_THAT(kept.err, !Catch::Contains("cannot write"));
  CHECK(bleu_of_model(place, "test.source", "test.target") > 60);
  CHECK_THAT(place.read("translated"), Catch::Contains("²") && Catch::Contains("e\u200Ce"));
  CHECK_THAT(place.train({"--set", "data.normalization=identity"}).err, Catch::Contains("prepared already"));
  check_fails(place.train({"--set", "training.train_steps=260"}), 1, {"run: ", "data.normalization"});
}

TEST_CASE("preparation names characters that a given vocabulary lacks") {
  const Workplace place;
  REQUIRE(preprocess_with(place, {}).status == 0);
  run_shell(place, "cp prepared/vocabulary.model own.model; sed -i '7s/$/ ☃/' train.target");
  const Result result = preprocess_with(place, {"data.vocabulary=own.model"});
  CHECK(result.status == 0);
  CHECK_THAT(result.err,
             Catch::Contains("warning: training corpus: the vocabulary cannot write 1 character of its target "
                             "side: U+2603 ☃ (1 time, not in the vocabulary; train.target:7)"));
}

TEST_CASE("data.normalization takes a file of rules, and says what is wrong with it") {
  const Workplace place;
  place.write("rules.tsv", "62\t42\t# b -> B\n");
  CHECK(preprocess_with(place, {"data.normalization=rules.tsv"}).status == 0);
  CHECK_THAT(place.read("prepared/vocabulary.vocab"), Catch::Contains("B") && !Catch::Contains("b"));
  CHECK_THAT(preprocess_with(place, {"data.normalization=rules.tsv"}).err, Catch::Contains("prepared already"));
  place.write("rules.tsv", "62\t42\nb\t½\n");
  check_fails(preprocess_with(place, {"data.normalization=rules.tsv"}), 1,
              {"rules.tsv:2: not a normalization rule; write the hexadecimal numbers"});
  check_fails(preprocess_with(place, {"data.normalization=none.tsv"}), 1,
              {"data.normalization: none.tsv: there is no such file"});
  check_fails(
      preprocess_with(place, {"data.normalization=nfc"}), 2,
      {"--set data.normalization=nfc: data.normalization must be nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf, identity "
       "or the path of a .tsv file"});
}

TEST_CASE("subword regularization with a vocabulary of characters or words is refused before anything is begun") {
  const Workplace place;
  const std::string type = GENERATE("char", "word");
  run_shell(place,
            "spm_train --input=train.source,train.target --model_prefix=own --vocab_size=60 "
            "--hard_vocab_limit=false --minloglevel=2 --model_type=" +
                type);
  const std::vector<std::string> settings = {"--set", "data.vocabulary=own.model", "--set", "data.sampling_alpha=0.1"};
  for (const char* command : {"train", "preprocess"}) {
    check_fails(
        place.run(with({command, "config.yaml"}, settings)), 2,
        {"--set data.sampling_alpha=0.1: data.sampling_alpha needs a BPE or unigram vocabulary, and the one of ",
         "own.model"});
  }
  CHECK_FALSE(place.has("prepared"));
  CHECK_FALSE(place.has("run"));
  place.write("config.yaml", place.read("config.yaml") + "# end\n");
  run_shell(place, "sed -i 's/^  prepared:/  sampling_alpha: 0.1\\n&/' config.yaml");
  check_fails(place.run({"train", "config.yaml", "--set", "data.vocabulary=own.model"}), 2,
              {"config.yaml:17: data.sampling_alpha needs a BPE or unigram vocabulary"});
}

TEST_CASE("a vocabulary whose end symbol is text is refused with the option that made it so") {
  const Workplace place;
  run_shell(place,
            "spm_train --input=train.source,train.target --model_prefix=own --vocab_size=60 --minloglevel=2 "
            "--hard_vocab_limit=false --user_defined_symbols='</s>'");
  check_fails(place.train({"--set", "data.vocabulary=own.model"}), 1,
              {"own.model: </s> is a piece of text in this vocabulary and not its end symbol",
               "without </s> in --user_defined_symbols"});
}

TEST_CASE("a corpus of whose weight no pair is left is named") {
  const Workplace place;
  const auto train = [&](const std::string& weight) {
    return place.train({"--overwrite", "--set", "data.train.source=[train.source, valid.source]", "--set",
                        "data.train.target=[train.target, valid.target]", "--set",
                        "data.train.weight=[1, " + weight + "]", "--set", "training.train_steps=2"});
  };
  const Result none = train("0.02");
  INFO(none.err);
  CHECK(none.status == 0);
  CHECK_THAT(none.err, Catch::Contains("warning: data.train.weight: 0.02 of the 20 pairs of valid.source rounds to no "
                                       "pair, so that training never reads this file"));
  for (const char* weight : {"0.05", "0"}) CHECK_THAT(train(weight).err, !Catch::Contains("rounds to no pair"));
}

TEST_CASE("a byte order mark at the beginning of a text is not a part of its first line") {
  const Workplace place;
  REQUIRE(preprocess_with(place, {}).status == 0);
  run_shell(place,
            "for file in train valid test; do for side in source target; do "
            "{ printf '\\357\\273\\277'; cat $file.$side; } > marked; mv marked marked-$file.$side; done; done; "
            "gzip -c marked-test.source > marked.gz; paste marked-test.source test.target > marked.tsv");
  std::vector<std::string> settings = {"data.prepared=marked"};
  for (const char* file : {"train", "valid"}) {
    for (const char* side : {"source", "target"}) {
      settings.push_back(std::string("data.") + file + "." + side + "=marked-" + file + "." + side);
    }
  }
  REQUIRE(preprocess_with(place, settings).status == 0);
  for (const char* file : {"/train.bin", "/valid.bin", "/vocabulary.model"}) {
    CHECK(place.have_same_bytes(std::string("prepared") + file, std::string("marked") + file));
  }
  const std::string model = trained() / "model.pt";
  const std::string expected = place.run({"translate", "--model", model, "--input", "test.source", "--quiet"}).out;
  for (const char* input : {"marked-test.source", "marked.gz", "marked.tsv#1"}) {
    CHECK(place.run({"translate", "--model", model, "--input", input, "--quiet"}).out == expected);
  }
  CHECK(place.run({"translate", "--model", model, "--quiet"}, place.read("marked-test.source")).out == expected);
  CHECK(
      place.run({"score", "--model", model, "--source", "marked-test.source", "--target", "marked-test.target"}).out ==
      place.run({"score", "--model", model, "--source", "test.source", "--target", "test.target"}).out);
  CHECK(bleu_of(place, "test.target", "marked-test.target") == 100);
  CHECK(bleu_of(place, "marked-test.target", "test.target") == 100);
}

TEST_CASE("a model that was shown capitals translates them, and other text as before") {
  const Workplace place;
  run_shell(place, "for side in source target; do tr a-z A-Z < test.$side > capitals.$side; done");
  const Result result = place.train({"--set", "data.all_caps=0.5"});
  INFO(result.err);
  REQUIRE(result.status == 0);
  CHECK(bleu_of_model(place, "capitals.source", "capitals.target") > 60);
  CHECK(bleu_of_model(place, "test.source", "test.target") > 60);
  CHECK_THAT(place.train({"--set", "training.train_steps=260"}).err, Catch::Contains("data.all_caps"));
}

}  // namespace transformer
