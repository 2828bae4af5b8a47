#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.h"
#include "repository.h"
#include "workplace.h"

namespace transformer {
namespace {

/// Options that make the model and the training of every recipe as small as those of the workplace.
constexpr const char* kTinyTraining =
    "--device cpu --threads 1 --set model.N=1 --set model.d_model=32 --set model.d_ff=64 --set model.h=2 "
    "--set model.d_k=null --set model.d_v=null --set data.vocabulary_size=60 --set training.train_steps=20 "
    "--set training.batch_tokens=600 --set training.device_tokens=600 --set training.checkpoint_every=1";

/// Runs a recipe in the folder `recipe`. Its downloads come from the folder `mirror`. `environment` are shell
/// assignments.
Result run_recipe(const Workplace& place, const std::string& recipe, const std::string& environment = "CHECKSUMS=off") {
  const std::string folder = quoted((kRepository / "scripts/recipes/").string());
  return place.run_shell(fmt::format(
      "mirror=file://$(pwd | sed 's/ /%20/g')/mirror\n"
      "DIRECTORY=recipe TRANSFORMER=$transformer MIRROR=$mirror TRAIN_FLAGS='{}' TRANSLATE_FLAGS='--threads 1 "
      "--max-extra-tokens 1' {} {}{}",
      kTinyTraining, environment, folder, recipe));
}

/// Runs a recipe that must succeed, and returns the lines that it prints on stdout.
std::vector<std::string> lines_of_recipe(const Workplace& place, const std::string& recipe,
                                         const std::string& environment = "CHECKSUMS=off") {
  const Result result = run_recipe(place, recipe, environment);
  INFO(result.err);
  REQUIRE(result.status == 0);
  return lines_of(result.out);
}

void prepare(const Workplace& place, const std::string& script) {
  const Result result = place.run_shell("set -e; mkdir -p mirror; " + script);
  INFO(result.err);
  REQUIRE(result.status == 0);
}

/// Copies the workplace's text into the mirror under the names of Multi30k's files.
void mirror_multi30k(const Workplace& place, const std::string& target) {
  prepare(place,
          "for part in train:train valid:val test:test_2016_flickr; do"
          "  cp ${part%:*}.source mirror/${part#*:}.lc.norm.tok.en;"
          "  cp ${part%:*}.target mirror/${part#*:}.lc.norm.tok." +
              target + "; done");
}

/// Writes the workplace's text to the folder `text` under the names of Tatoeba's files.
void mirror_tatoeba(const Workplace& place) {
  prepare(place, R"(
    mkdir text
    gzip -c train.source > text/train.en.gz
    gzip -c train.target > text/train.de.gz
    for part in valid:dev test:test; do
      cp ${part%:*}.source text/${part#*:}.en
      cp ${part%:*}.target text/${part#*:}.de
    done)");
}

/// A shell function `sgm FILE`, which writes the lines as SGML segments.
const std::string kSgm = R"(sgm() { echo '<doc>'; sed 's/.*/<seg id="1">&<\/seg>/' "$1"; echo '</doc>'; }; )";

/// A stand-in for Moses: scripts that print their input.
void write_moses(const Workplace& place) {
  prepare(place,
          "mkdir -p moses/scripts/tokenizer;"
          "for name in tokenizer lowercase; do"
          "  echo 'print while <STDIN>' > moses/scripts/tokenizer/$name.perl; done");
}

constexpr const char* kScore = " \\d+\\.\\d\\d";
auto matches(const std::string& pattern) { return Catch::Matches(pattern); }

}  // namespace

TEST_CASE("recipe multi30k_en_de scores every seed and summarizes them") {
  const Workplace place;
  mirror_multi30k(place, "de");
  const auto lines = lines_of_recipe(place, "multi30k_en_de.sh 1 2");
  REQUIRE(lines.size() == 4);
  for (size_t seed : {1, 2}) {
    CHECK_THAT(lines[seed - 1], matches(fmt::format("seed {}: BLEU{} without .*,{} with 13a", seed, kScore, kScore)));
    CHECK(place.has(fmt::format("recipe/runs/multi30k_en_de/seed{}/averaged.safetensors", seed)));
  }
  CHECK_THAT(lines[2],
             matches(fmt::format("BLEU, test 2016, .*:{0} \\(mean of 2; best{0}, worst{0}\\); published 41.02, "
                                 "difference [-+]\\d+\\.\\d\\d",
                                 kScore)));
  CHECK_THAT(lines[3], matches(fmt::format("BLEU, .* 13a:{0} \\(mean of 2; best{0}, worst{0}\\)", kScore)));
}

TEST_CASE("recipe multi30k_en_fr trains seed 1 by default, and once only") {
  const Workplace place;
  mirror_multi30k(place, "fr");
  const auto lines = lines_of_recipe(place, "multi30k_en_fr.sh");
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], Catch::StartsWith("seed 1: "));
  CHECK_THAT(lines[1], Catch::Contains("; published 61.80, "));

  // Without the mirror: all that was downloaded, trained and translated is used again.
  std::filesystem::remove_all(place / "mirror");
  CHECK(lines_of_recipe(place, "multi30k_en_fr.sh") == lines);
}

TEST_CASE("a recipe whose training was stopped ends without a score, and goes on when it is run again") {
  const Workplace place;
  mirror_multi30k(place, "de");
  const Result stopped =
      run_recipe(place, "multi30k_en_de.sh",
                 fmt::format("CHECKSUMS=off TRAIN_FLAGS='{} --set training.max_hours=1e-9'", kTinyTraining));
  check_fails(stopped, 1, {"runs/multi30k_en_de/seed1: the training was stopped before its end; run the recipe again"});
  CHECK(stopped.out.empty());
  CHECK(lines_of_recipe(place, "multi30k_en_de.sh").size() == 3);
}

TEST_CASE("a recipe translates again where other options for translate are given") {
  const Workplace place;
  mirror_multi30k(place, "de");
  lines_of_recipe(place, "multi30k_en_de.sh");
  const std::string translation = "recipe/runs/multi30k_en_de/seed1/test.translation",
                    options = translation + ".options";
  const auto written = std::filesystem::last_write_time(place / translation);
  CHECK(place.read(options) == "--beam-size 5 --threads 1 --max-extra-tokens 1\n");
  lines_of_recipe(place, "multi30k_en_de.sh", "CHECKSUMS=off TRANSLATE_FLAGS='--threads 1 --precision int8'");
  CHECK(std::filesystem::last_write_time(place / translation) > written);
  CHECK(place.read(options) == "--beam-size 5 --threads 1 --precision int8\n");
}

TEST_CASE("recipe table3_small prints one row for the seeds of a model") {
  const Workplace place;
  mirror_multi30k(place, "de");
  const auto table = lines_of_recipe(place, "table3_small.sh 7 8", "CHECKSUMS=off ROWS='base table3/d_eps_ls0.2'");
  CHECK(place.list("recipe/runs/table3_small") ==
        std::vector<std::string>{"base-seed7", "base-seed8", "d_eps_ls0.2-seed7", "d_eps_ls0.2-seed8"});
  // The tiny models of this test are not those of the rows, so they stand below them.
  CHECK_THAT(table.at(22), matches(R"(runs/table3_small/base-seed7 +1 +32 .* - +[\d,.]+ +[\d,.]+ +- .*)"));
  CHECK_THAT(table.at(23), matches(R"(runs/table3_small/d_eps_ls0.2-seed7 +1 +32 .* - +[\d,.]+ +[\d,.]+ +- .*)"));
  CHECK_THAT(table.at(24), Catch::StartsWith("The paper's"));
}

TEST_CASE("recipes refuse a file with a wrong checksum and keep it aside") {
  const Workplace place;
  mirror_multi30k(place, "de");
  check_fails(run_recipe(place, "multi30k_en_de.sh", ""), 1,
              {"mirror/train.lc.norm.tok.en: the checksum is ", "instead of 08925f8e0572"});
  CHECK(place.list("recipe/data/multi30k") == std::vector<std::string>{"train.lc.norm.tok.en.wrong-checksum"});
  CHECK(place.have_same_bytes("recipe/data/multi30k/train.lc.norm.tok.en.wrong-checksum", "train.source"));
}

TEST_CASE("recipes resume a download") {
  const Workplace place;
  mirror_multi30k(place, "de");
  // The beginning is changed, which shows that it was not downloaded again.
  const std::string text = place.read("train.source");
  std::string beginning = text.substr(0, text.size() / 2);
  std::replace(beginning.begin(), beginning.end(), 'a', 'e');
  std::filesystem::create_directories(place / "recipe/data/multi30k");
  place.write("recipe/data/multi30k/train.lc.norm.tok.en.part", beginning);
  lines_of_recipe(place, "multi30k_en_de.sh");
  CHECK(place.read("recipe/data/multi30k/train.lc.norm.tok.en") == beginning + text.substr(beginning.size()));
}

TEST_CASE("recipe wmt14_en_de joins the corpora and scores in both ways") {
  const Workplace place;
  prepare(place, kSgm + R"(
    mkdir -p training dev test-full
    for pair in en:source de:target; do
      language=${pair%:*} text=${pair#*:}
      head -n 200 train.$text > training/europarl-v7.de-en.$language
      sed -n 201,300p train.$text > commoncrawl.de-en.$language
      tail -n +301 train.$text > training/news-commentary-v9.de-en.$language
      cp valid.$text dev/newstest2013.$language
    done
    sed '1s/$/ \&amp; \&quot;/' test.source > escaped
    sgm escaped > test-full/newstest2014-deen-src.en.sgm
    sgm test.target > test-full/newstest2014-deen-ref.de.sgm
    tar -czf mirror/training-parallel-europarl-v7.tgz training/europarl*
    tar -czf mirror/training-parallel-commoncrawl.tgz commoncrawl*
    tar -czf mirror/training-parallel-nc-v9.tgz training/news*
    tar -czf mirror/dev.tgz dev
    tar -czf mirror/test-full.tgz test-full)");
  const auto lines = lines_of_recipe(place, "wmt14_en_de.sh");
  CHECK(place.have_same_bytes("recipe/data/wmt14/train.en", "train.source"));
  CHECK(place.have_same_bytes("recipe/data/wmt14/train.de", "train.target"));
  CHECK(place.read_lines("recipe/data/wmt14/newstest2014.en").front() ==
        place.read_lines("test.source").front() + " & \"");
  CHECK(place.have_same_bytes("recipe/data/wmt14/newstest2014.de", "test.target"));
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], matches(fmt::format("BLEU, newstest2014, .* paper:{}; published 27.3, difference .*", kScore)));
  CHECK_THAT(lines[1], matches(fmt::format("BLEU, newstest2014, 13a:{}", kScore)));
}

TEST_CASE("recipe wmt14_en_fr averages 20 checkpoints of the big model and tokenizes with Moses") {
  const Workplace place;
  write_moses(place);
  prepare(place, kSgm + R"(
    mkdir -p training dev test-full un
    for pair in en:source fr:target; do
      language=${pair%:*} text=${pair#*:}
      for part in training/europarl-v7 commoncrawl training/news-commentary-v9 un/undoc.2000; do
        head -n 80 train.$text > $part.fr-en.$language
      done
      tail -n 80 train.$text | gzip > giga-fren.release2.fixed.$language.gz
      cp valid.$text dev/newstest2013.$language
    done
    sgm test.source > test-full/newstest2014-fren-src.en.sgm
    sgm test.target > test-full/newstest2014-fren-ref.fr.sgm
    tar -czf mirror/training-parallel-europarl-v7.tgz training/europarl*
    tar -czf mirror/training-parallel-commoncrawl.tgz commoncrawl*
    tar -czf mirror/training-parallel-un.tgz un
    tar -czf mirror/training-parallel-nc-v9.tgz training/news*
    tar -cf mirror/training-giga-fren.tar giga-fren*
    tar -czf mirror/dev.tgz dev
    tar -czf mirror/test-full.tgz test-full)");
  const auto lines = lines_of_recipe(place, "wmt14_en_fr.sh big", "CHECKSUMS=off MOSES=moses");
  CHECK(place.read_lines("recipe/data/wmt14_en_fr/train.fr").size() == 400);
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], matches(fmt::format("BLEU, newstest2014, tokenized by Moses:{}; published 41.8, .*", kScore)));
  CHECK_THAT(lines[1], matches(fmt::format("BLEU, newstest2014, 13a:{}", kScore)));
}

TEST_CASE("recipe iwslt14_de_en prepares the text as fairseq does") {
  const Workplace place;
  write_moses(place);
  prepare(place, R"(
    mkdir de-en
    for pair in de:source en:target; do
      language=${pair%:*} text=${pair#*:}
      { echo '<url>http://a</url>'; echo '<title>ba be</title>'; cat train.$text; } > de-en/train.tags.de-en.$language
      for part in TED.dev2010 TEDX.dev2012 TED.tst2010 TED.tst2011 TED.tst2012; do
        sed 's/.*/<seg id="7"> & <\/seg>/' valid.$text > de-en/IWSLT14.$part.de-en.$language.xml
      done
    done
    echo 'ba be bi bo' >> de-en/train.tags.de-en.de
    echo 'al el' >> de-en/train.tags.de-en.en
    tar -czf mirror/de-en.tgz de-en)");
  const auto lines = lines_of_recipe(place, "iwslt14_de_en.sh", "MOSES=moses");
  const auto size_of = [&](const std::string& name) {
    return place.read_lines("recipe/data/iwslt14_de_en/" + name).size();
  };
  CHECK(place.read_lines("recipe/data/iwslt14_de_en/train.de").front() == "ba be");
  CHECK(size_of("train.de") == 384);  // 401 pairs; the last one is dropped by the ratio of its lengths
  CHECK(size_of("valid.en") == 17);
  CHECK(size_of("test.de") == 100);
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[0], matches(fmt::format("BLEU, test, .*:{}; published 35, difference .*", kScore)));

  // The checksum of the first download was recorded, and another file is not accepted.
  std::filesystem::remove(place / "recipe/data/iwslt14_de_en/de-en.tgz");
  place.write("mirror/de-en.tgz", "other");
  check_fails(run_recipe(place, "iwslt14_de_en.sh", "MOSES=moses"), 1, {"mirror/de-en.tgz: the checksum is "});
}

TEST_CASE("recipe tatoeba_en_de takes the folder of the text") {
  const Workplace place;
  mirror_tatoeba(place);
  const auto scores = lines_of_recipe(place, "tatoeba_en_de.sh text");
  REQUIRE(scores.size() == 2);
  CHECK_THAT(scores[0], matches(fmt::format("BLEU, test, 13a:{}", kScore)));
  CHECK_THAT(scores[1], matches(fmt::format("chrF\\+\\+, test:{}", kScore)));

  check_fails(run_recipe(place, "tatoeba_en_de.sh none"), 1, {"none/train.en: there is no such file"});
}

TEST_CASE("recipe fine_tuning tunes the model of tatoeba_en_de on captions") {
  const Workplace place;
  mirror_tatoeba(place);
  prepare(place, R"(
    for part in train:train valid:val test:test_2016_flickr; do
      gzip -c ${part%:*}.source > mirror/${part#*:}.en.gz
      gzip -c ${part%:*}.target > mirror/${part#*:}.de.gz
    done)");
  const auto scores = lines_of_recipe(place, "fine_tuning.sh text");
  const std::vector<std::string> expected = {"captions, general", "Tatoeba, general", "captions, captions",
                                             "Tatoeba, captions", "captions, mixed",  "Tatoeba, mixed"};
  REQUIRE(scores.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK_THAT(scores[i], matches(fmt::format("BLEU, 13a, {}:{}", expected[i], kScore)));
  }
  const std::string general = place.read("recipe/prepared/tatoeba/vocabulary.model");
  CHECK(place.read("recipe/prepared/fine_tuning/captions/vocabulary.model") == general);
  CHECK(place.read("recipe/prepared/fine_tuning/mixed/vocabulary.model") == general);
  CHECK_THAT(place.read("recipe/runs/fine_tuning/mixed/config.yaml"), Catch::Contains("weight: [1, 0.02]"));
}

TEST_CASE("recipe tatoeba_back_translation compares models with and without back-translated text") {
  const Workplace place;
  mirror_tatoeba(place);
  const auto scores = lines_of_recipe(place, "tatoeba_back_translation.sh text 100");
  REQUIRE(scores.size() == 2);
  CHECK_THAT(scores[0], matches(fmt::format("BLEU, test, 13a, without back-translated text:{}", kScore)));
  CHECK_THAT(scores[1], matches(fmt::format("BLEU, test, 13a, with back-translated text:{}", kScore)));
  const std::string data = "recipe/data/tatoeba_back_translation/";
  CHECK(place.read_lines(data + "parallel.en").size() == 100);
  CHECK(place.read_lines(data + "synthetic.en").size() == place.read_lines("train.source").size() - 100);
  CHECK(place.read_lines(data + "monolingual.de").front() == place.read_lines("train.target").at(100));
  const std::string prepared = "recipe/prepared/tatoeba_back_translation/";
  CHECK_THAT(place.read(prepared + "with/vocabulary.vocab"), Catch::Contains("▁<bt>\n"));
  CHECK(place.read(prepared + "without/vocabulary.vocab").find("<bt>") == std::string::npos);
}

TEST_CASE("recipe small_enja joins the parts of the training text") {
  const Workplace place;
  prepare(place, R"(
    for pair in en:source ja:target; do
      language=${pair%:*} text=${pair#*:}
      split -l 80 -d -a 3 train.$text mirror/train.$language.
      cp valid.$text mirror/dev.$language
      cp test.$text mirror/test.$language
    done)");
  const auto lines = lines_of_recipe(place, "small_enja.sh");
  CHECK(place.have_same_bytes("recipe/data/small_enja/train.ja", "train.target"));
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], matches(fmt::format("BLEU, test, the corpus' own tokens:{}", kScore)));
  CHECK_THAT(lines[1], matches(fmt::format("BLEU, test, characters:{}", kScore)));
  CHECK_THAT(lines[2], matches(fmt::format("chrF\\+\\+, test:{}", kScore)));
}

TEST_CASE("recipe parsing_small evaluates the trees of the validation text") {
  const Workplace place;
  prepare(place, R"(python3 - <<'END'
import random, zipfile

random.seed(1)

def noun_phrase():
    return '(NP (DT %s) (NN %s))' % (random.choice(['the', 'a']), random.choice(['dog', 'cat', 'house', 'tree']))

with zipfile.ZipFile('mirror/treebank.zip', 'w') as archive:
    for number in range(1, 170):
        verb = random.choice(['sees', 'likes'])
        archive.writestr(f'treebank/combined/wsj_{number:04}.mrg',
                         f'( (S {noun_phrase()} (VP (VBZ {verb})\n {noun_phrase()}) (. .)) )\n')
END
)");
  const auto lines = lines_of_recipe(place, "parsing_small.sh", "CHECKSUMS=off TRANSLATE_FLAGS='--threads 1'");
  CHECK_THAT(place.read("recipe/data/ptb/dev.trees"), Catch::StartsWith("(TOP (S (NP (DT "));
  CHECK_THAT(place.read("recipe/runs/ptb/dev.trees"), Catch::Contains("(DT "));
  CHECK_THAT(lines, Catch::VectorContains(std::string("Number of Valid sentence  =     20")));
}

TEST_CASE("the quick start ends where its training is stopped") {
  const Workplace place;
  prepare(place, R"(
    mkdir -p scripts configs build/release
    cp ')" + (kRepository / "scripts/quickstart.sh").string() +
                     R"(' scripts/
    printf '#!/bin/sh\n' > scripts/build.sh
    chmod +x scripts/build.sh
    ln -s "$transformer" build/release/transformer
    sed 's:directory\: run:directory\: runs/sample\n  max_hours\: 1e-9:' config.yaml > configs/sample.yaml)");
  REQUIRE(place
              .run({"train", "configs/sample.yaml", "--set", "training.train_steps=2", "--set",
                    "training.max_hours=null", "--threads", "1"})
              .status == 0);
  const Result result = place.run_shell("exec scripts/quickstart.sh");
  INFO(result.err);
  CHECK(result.status == 1);
  CHECK_THAT(result.err, Catch::EndsWith("\nquickstart: the training was stopped before its end; run "
                                         "scripts/quickstart.sh again to continue it.\n"));
  CHECK_THAT(result.err, Catch::Contains("stopped after step 2; the same command resumes the run\n"));
  CHECK(!place.has("runs/sample/averaged.safetensors"));
}

}  // namespace transformer
