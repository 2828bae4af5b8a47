#include "data/prepare.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"
#include "base/line_reader.h"
#include "base/read_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "data/corpus.h"
#include "data/manifest.h"
#include "data/prepared_files.h"
#include "data/training_parts.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

/// Writes text of two lines, unless other text is given, and returns a config for it.
DataConfig config_in(const TemporaryDirectory& directory,
                     const std::string& source = "one two three four\nfive six seven\n",
                     const std::string& target = "eins zwei drei vier\nfünf sechs sieben\n") {
  write_file_atomically(directory / "train.en", source);
  write_file_atomically(directory / "train.de", target);
  DataConfig config;
  config.train = {{directory / "train.en", directory / "train.de"}};
  config.prepared = directory / "prepared";
  config.vocabulary_size = 40;
  return config;
}

}  // namespace

TEST_CASE("prepare keeps line numbers, drops unusable pairs and counts the reasons") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory, "one two three\n\nfour five\nsix\nseven eight nine ten eleven\n",
                                "eins zwei drei\nleer\nvier fünf\n \nsieben\n");
  config.max_length_ratio = 3.0;
  CHECK_THROWS_WITH(prepare(config, 2),
                    Catch::StartsWith("training corpus: 3 of 5 pairs cannot be used (60.0 %): 2 empty "
                                      "(the first: " +
                                      config.train[0].source + ":2), 1 by ratio (the first: "));
  config.max_dropped = 1;
  prepare(config, 2);
  const PreparedFiles files(config.prepared);
  const Corpus corpus(files.train);
  REQUIRE(corpus.size() == 2);
  CHECK(corpus[0].line == 1);
  CHECK(corpus[1].line == 3);
  const Tokenizer tokenizer(read_file(files.vocabulary_models.target), "v");
  CHECK(tokenizer.decode({corpus[1].target.begin(), corpus[1].target.end()}) == "vier fünf");
  const Json manifest = parse_json(read_file(files.manifest));
  CHECK(manifest.at("train").at("dropped") == Json({{"empty", 2}, {"too_long", 0}, {"length_ratio", 1}}));
  CHECK(manifest.at("train").at("dropped_examples") ==
        Json({{"empty", {config.train[0].source + ":2", config.train[0].source + ":4"}},
              {"too_long", Json::array()},
              {"length_ratio", {config.train[0].source + ":5"}}}));
  CHECK(manifest.at("train").at("pairs") == 2);
  CHECK(manifest.at("train").at("source_pieces") == std::ssize(corpus[0].source) + std::ssize(corpus[1].source));
  CHECK(manifest.at("train").at("target_pieces") == std::ssize(corpus[0].target) + std::ssize(corpus[1].target));
  CHECK(manifest.at("valid").is_null());
  CHECK(count_lines(files.vocabulary_list) == 40);
}

TEST_CASE("prepare puts a corpus's tag before its source lines, as one piece") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "more.en", "five six seven\n");
  write_file_atomically(directory / "more.de", "fünf sechs sieben\n");
  DataConfig config = config_in(directory, "one two three four\n\n", "eins zwei drei vier\nleer\n");
  config.max_dropped = 1;
  config.train = {{config.train[0], 2, ""}, {{directory / "more.en", directory / "more.de"}, 0.5, "<bt>"}};
  prepare(config, 1);
  const PreparedFiles files(config.prepared);
  const Tokenizer tokenizer(read_file(files.vocabulary_models.target), "v");
  const auto parts = training_parts(config);
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].first == 1);
  CHECK(parts[1].size == 1);
  CHECK(parts[1].weight == 0.5);
  const Corpus corpus(files.train, parts);
  REQUIRE(corpus.size() == 2);
  const auto source = [&](int64_t pair) {
    return std::vector<TokenId>(corpus[pair].source.begin(), corpus[pair].source.end());
  };
  CHECK(source(0) == tokenizer.encode("one two three four"));
  CHECK(source(1) == tokenizer.encode("<bt> five six seven"));
  CHECK(tokenizer.encode("<bt>").size() == 1);
  CHECK(source(1).size() == tokenizer.encode("five six seven").size() + 1);

  for (TrainingCorpus& text : config.train) text = {text.source, text.target};
  prepare(config, 1);  // again, because the tags have changed
  CHECK(Corpus(files.train)[1].source.size() < source(1).size());
  CHECK(training_parts(config).empty());
  config.train[0].weight = 1e-6;
  config.train[1].weight = 0;
  CHECK_THROWS_WITH(training_parts(config), Catch::Contains("data.train.weight: leaves no pairs"));
}

TEST_CASE("prepare makes the vocabulary again when its normalization changes, but not for the default of old data") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory, "one two m² three four\n", "eins zwei m² drei vier\n");
  const PreparedFiles files(config.prepared);
  const auto text = [&] {
    prepare(config, 1);
    const Tokenizer tokenizer(read_file(files.vocabulary_models.target), "v");
    return tokenizer.decode(tokenizer.encode("m²"));
  };
  CHECK(text() == "m2");
  CHECK_THAT(read_file(files.manifest), !Catch::Contains("normalization"));  // as in data of older versions
  config.normalization = "identity";
  CHECK(text() == "m²");
  config.normalization = directory / "rules.tsv";
  CHECK_THROWS_WITH(text(),
                    Catch::StartsWith("data.normalization: " + config.normalization + ": there is no such file"));
  write_file_atomically(config.normalization, "B2\t33\n");
  CHECK(text() == "m3");
  write_file_atomically(config.normalization, "B2\t34\n");
  CHECK(text() == "m4");
  const auto written = std::filesystem::last_write_time(files.manifest);
  std::filesystem::rename(config.normalization, directory / "other.tsv");
  config.normalization = directory / "other.tsv";
  CHECK(text() == "m4");
  CHECK(std::filesystem::last_write_time(files.manifest) == written);
}

TEST_CASE("prepare works without the training text while the prepared data are up to date") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory);
  prepare(config, 1);
  const std::string source = config.train[0].source;
  std::filesystem::remove(source);
  CHECK_NOTHROW(prepare(config, 1));
  CHECK_NOTHROW(prepare(config, 1, std::nullopt, "", OtherCorpus::refuse));
  config.max_length = 7;
  CHECK_THROWS_WITH(prepare(config, 1), Catch::StartsWith("data.train.source: " + source + ": there is no such file"));
  config.max_length = DataConfig().max_length;
  config.train[0].source = source + "x";
  CHECK_THROWS_WITH(prepare(config, 1), Catch::StartsWith("data.train.source: " + source + "x: there is no such file"));
}

TEST_CASE("prepare refuses to replace the corpus of other text or settings if it is told so, but not a damaged one") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory);
  config.valid = {{directory / "train.en", directory / "train.de"}};
  const PreparedFiles files(config.prepared);
  const auto keep = [&] { prepare(config, 1, std::nullopt, "", OtherCorpus::refuse); };
  keep();
  const std::string corpus = read_file(files.train);
  SECTION("other settings") {
    config.max_length = 7;
    CHECK_THROWS_WITH(keep(),
                      Catch::StartsWith(config.prepared + ": was made with another 'max_length', and is not replaced"));
  }
  SECTION("other text") {
    write_file_atomically(directory / "train.en", "one two three four\nfive six eight\n");
    CHECK_THROWS_WITH(keep(), Catch::Contains(": was made from another " + (directory / "train.en")));
  }
  SECTION("other validation text") {
    config.valid.clear();
    keep();
  }
  SECTION("a damaged corpus") {
    write_file_atomically(files.train, "x");
    keep();
  }
  CHECK(read_file(files.train) == corpus);
}

TEST_CASE("prepare keeps data of the same text under another name, and removes validation sets of older data") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a.en", "one two three four\nfive six\n");
  write_file_atomically(directory / "a.de", "eins zwei drei vier\nfünf sechs\n");
  DataConfig config = config_in(directory);
  config.train = {{directory / "a.en", directory / "a.de"}};
  config.valid = {{directory / "a.en", directory / "a.de"}};
  prepare(config, 1);
  const PreparedFiles files(config.prepared);
  const auto made = std::filesystem::last_write_time(files.train);
  config.train[0].source = directory / "./a.en";
  prepare(config, 1);
  CHECK(std::filesystem::last_write_time(files.train) == made);
  REQUIRE(std::filesystem::exists(files.valid(0)));
  config.valid.clear();
  prepare(config, 1);
  CHECK(std::filesystem::last_write_time(files.train) != made);
  CHECK_FALSE(std::filesystem::exists(files.valid(0)));
}

TEST_CASE("prepare takes over a vocabulary instead of learning one, and encodes again for another one") {
  const TemporaryDirectory directory;
  const DataConfig config = config_in(directory);
  const PreparedFiles files(config.prepared);
  const auto learned = [&](int64_t size) {
    return GivenVocabulary{Tokenizer::learn({config.train[0].source}, {size, 1.0}), "own.model"};
  };
  const GivenVocabulary given = learned(30);
  prepare(config, 1, given);
  CHECK(read_file(files.vocabulary_models.target) == given.model_bytes);
  CHECK(count_lines(files.vocabulary_list) == 30);
  CHECK(Corpus(files.train).size() == 2);
  const auto written = std::filesystem::last_write_time(files.train);
  DataConfig same = config;
  same.vocabulary_size = 77;  // has no effect
  prepare(same, 1, given);
  CHECK(std::filesystem::last_write_time(files.train) == written);
  prepare(config, 1, learned(28));
  CHECK(count_lines(files.vocabulary_list) == 28);
  CHECK_THROWS_WITH(prepare(config, 1, {}, "", OtherCorpus::refuse),
                    Catch::Contains("was made with a given vocabulary,"));
  CHECK_THROWS_WITH(prepare(config, 1, GivenVocabulary{"x", "own.model"}),
                    Catch::StartsWith("own.model: not a SentencePiece model"));
}

TEST_CASE("prepare does nothing if the inputs are unchanged, and everything again if they changed") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory);
  prepare(config, 1);
  const PreparedFiles files(config.prepared);
  const auto written = std::filesystem::last_write_time(files.train);
  prepare(config, 1);
  CHECK(std::filesystem::last_write_time(files.train) == written);
  write_file_atomically(directory / "train.en", "one two three four\nfive six eight\n");
  const std::string before = read_file(files.train);
  prepare(config, 1);
  CHECK(read_file(files.train) != before);
}

TEST_CASE("prepare keeps the files that are there if a vocabulary, a tag or the text cannot be used") {
  const TemporaryDirectory directory;
  std::string many_words;
  for (int i = 0; i <= 1000; ++i) many_words += fmt::format("w{}\n", i);
  write_file_atomically(directory / "words", many_words);
  write_file_atomically(directory / "empty", "");
  write_file_atomically(directory / "holes.de", "eins zwei drei vier\n\n");
  const DataConfig config = config_in(directory);
  prepare(config, 1);
  const PreparedFiles files(config.prepared);
  const auto content = [&] {
    std::string all;
    for (const auto& path : {files.manifest, files.train, files.vocabulary_models.target, files.vocabulary_list}) {
      all += read_file(path);
    }
    return all;
  };
  const std::string before = content();
  const auto vocabulary = [](const std::string& bytes) { return GivenVocabulary{bytes, "own.model"}; };
  CHECK_THROWS_WITH(prepare(config, 1, vocabulary("nonsense")), Catch::Contains("own.model: not a SentencePiece"));
  DataConfig tagged = config;
  tagged.train[0].tag = "<ж>";
  CHECK_THROWS_WITH(prepare(tagged, 1, vocabulary(Tokenizer::learn({config.train[0].target}, {30, 1.0}))),
                    Catch::Contains("data.train.tag: '<ж>'"));
  DataConfig large = config;
  large.vocabulary_size = 5000;
  CHECK_THROWS_WITH(prepare(large, 1), Catch::Contains("data.vocabulary_size: the text gives at most"));
  DataConfig whole = config;
  whole.train = {{directory / "words", directory / "words"}};
  whole.whole_target_words = true;
  CHECK_THROWS_WITH(prepare(whole, 1), Catch::Contains("the target text has more than 1,000 distinct words by "));
  DataConfig empty = config;
  empty.train = {{directory / "empty", directory / "empty"}};
  CHECK_THROWS_WITH(prepare(empty, 1), Catch::Contains("the corpus is empty"));
  DataConfig holes = config;  // only the last corpus has pairs that are dropped
  holes.vocabulary_size = 38;
  holes.valid = {{directory / "train.en", directory / "holes.de"}};
  CHECK_THROWS_WITH(prepare(holes, 1), Catch::StartsWith("validation corpus: 1 of 2 pairs cannot be used"));

  CHECK(content() == before);
  const auto written = std::filesystem::last_write_time(files.manifest);
  prepare(config, 1);
  CHECK(std::filesystem::last_write_time(files.manifest) == written);
}

TEST_CASE("prepare compares the dropped pairs with data.max_dropped also if the files are up to date") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "holes.de", "eins zwei drei vier\n\n");
  DataConfig config = config_in(directory);
  config.vocabulary_size = 30;
  const bool is_validation = GENERATE(false, true);
  if (is_validation) {
    config.valid = {{{directory / "train.en", directory / "train.de"}, "good"},
                    {{directory / "train.en", directory / "holes.de"}, "bad"}};
  } else {
    config.train[0].target = directory / "holes.de";
  }
  config.max_dropped = 0.5;
  prepare(config, 1);
  const std::string manifest = read_file(PreparedFiles(config.prepared).manifest);
  config.max_dropped = 0.49;
  CHECK_THROWS_WITH(prepare(config, 1),
                    Catch::StartsWith(is_validation ? "validation corpus bad: " : "training corpus: ") &&
                        Catch::Contains("1 of 2 pairs cannot be used (50.0 %): 1 empty (the first: " +
                                        config.train[0].source + ":2)"));
  CHECK(read_file(PreparedFiles(config.prepared).manifest) == manifest);
  config.max_dropped = 0.5;
  CHECK_NOTHROW(prepare(config, 1));
}

TEST_CASE("of several processes that wait in vain for prepared data, one prepares them for all") {
  const TemporaryDirectory directory;
  const DataConfig config = config_in(directory);
  std::filesystem::create_directories(config.prepared);
  std::optional<DirectoryLock> killed(config.prepared);  // of a process that ends without having prepared the data
  REQUIRE(killed->try_exclusive());
  std::vector<std::future<DirectoryLock>> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.push_back(std::async(std::launch::async, [&] { return prepare(config, 1); }));
  }
  for (auto& process : waiting) CHECK(process.wait_for(std::chrono::milliseconds(50)) == std::future_status::timeout);
  killed.reset();
  const PreparedFiles files(config.prepared);
  const auto inode = [&] {
    struct stat status {};
    REQUIRE(stat(files.train.c_str(), &status) == 0);
    return status.st_ino;
  };
  std::vector<DirectoryLock> locks;
  CHECK_NOTHROW(locks.push_back(waiting[0].get()));
  const auto first = inode();
  for (size_t i = 1; i < waiting.size(); ++i) CHECK_NOTHROW(locks.push_back(waiting[i].get()));
  CHECK(inode() == first);
  CHECK(Corpus(files.train).size() == 2);
  // All of them share the lock, since they have it at the same time.
  DirectoryLock other(config.prepared);
  CHECK_FALSE(other.try_exclusive());
  locks.clear();
  CHECK(other.try_exclusive());
}

TEST_CASE("prepare does not replace files while another process uses them") {
  const TemporaryDirectory directory;
  const DataConfig config = config_in(directory);
  DataConfig other = config;
  other.vocabulary_size = 38;
  {
    const DirectoryLock in_use = prepare(config, 1);
    const DirectoryLock also_in_use = prepare(config, 1);
    CHECK_THROWS_WITH(prepare(other, 1), Catch::StartsWith(config.prepared + ": another process uses these files"));
    CHECK_NOTHROW(prepare(config, 1));
  }
  CHECK_NOTHROW(prepare(other, 1));
}

TEST_CASE("prepare compares the values of the manifest, not its layout or the order of its keys") {
  const TemporaryDirectory directory;
  const DataConfig config = config_in(directory);
  prepare(config, 1);
  const PreparedFiles files(config.prepared);
  const auto written = std::filesystem::last_write_time(files.train);
  const Json manifest = parse_json(read_file(files.manifest));
  const auto reversed = [](const Json& object) {
    const Json::object_t& members = object_of(object);
    return Json(Json::object_t(members.rbegin(), members.rend()));
  };
  Json reordered = reversed(manifest);
  reordered["inputs"] = reversed(reordered["inputs"]);
  for (Json& output : reordered["outputs"]) output = reversed(output);
  const std::string same = json_text(GENERATE_COPY(manifest, reordered));
  write_file_atomically(files.manifest, same);
  prepare(config, 1);
  CHECK(read_file(files.manifest) == same);
  CHECK(std::filesystem::last_write_time(files.train) == written);
  Json less = manifest, more = manifest, older = manifest, miscounted = manifest, nameless = manifest,
       numbered = manifest;
  less["inputs"].erase("max_length");
  more["inputs"]["whole_target_words"] = true;
  older["inputs"]["format_version"] = 1;
  miscounted["train"]["pairs_of_files"] = {1};
  nameless["inputs"]["files"][0].erase("path");
  numbered["inputs"]["files"] = {1, 2};
  for (const std::string& other :
       {same.substr(0, same.size() / 2), json_text(less), json_text(more), json_text(older), json_text(miscounted),
        json_text(nameless), json_text(numbered), std::string("[]")}) {
    write_file_atomically(files.manifest, other);
    prepare(config, 1);
    CHECK(read_file(files.manifest) != other);
  }
}

TEST_CASE("prepare makes damaged, exchanged and missing files anew") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory);
  config.valid = {{directory / "train.en", directory / "train.de"}};
  prepare(config, 1);
  const PreparedFiles files(config.prepared);
  for (const std::string& path : {files.train, files.valid(0), files.vocabulary_models.target}) {
    INFO(path);
    const std::string bytes = read_file(path);
    std::string damaged = bytes;
    damaged[damaged.size() / 2] ^= 1;
    for (const std::string& other : {damaged, bytes + "x", read_file(files.vocabulary_list)}) {
      write_file_atomically(path, other);
      prepare(config, 1);
      CHECK(read_file(path) == bytes);
    }
    std::filesystem::remove(path);
    prepare(config, 1);
    CHECK(read_file(path) == bytes);
  }
}

TEST_CASE("prepare removes the temporary files that it has left, and no others") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory);
  config.prepared = directory.path();
  for (const auto* name : {"train.bin.tmp.AbC123", "back.de.tmp.AbC123"}) write_file_atomically(directory / name, "x");
  prepare(config, 1);
  CHECK(!std::filesystem::exists(directory / "train.bin.tmp.AbC123"));
  CHECK(std::filesystem::exists(directory / "back.de.tmp.AbC123"));
}

TEST_CASE("prepare encodes each side with its own vocabulary if two are given") {
  const TemporaryDirectory directory;
  const DataConfig config = config_in(directory);
  const PreparedFiles files(config.prepared);
  const auto given = GivenVocabularies::separate({Tokenizer::learn({config.train[0].source}, {25, 1.0}), "en.model"},
                                                 {Tokenizer::learn({config.train[0].target}, {30, 1.0}), "de.model"});
  prepare(config, 1, given);
  const Tokenizers tokenizers = load_tokenizers(files);
  CHECK(tokenizers.source().model_bytes() == given.source().model_bytes);
  CHECK(tokenizers.target().model_bytes() == given.target().model_bytes);
  CHECK(count_lines(files.source_vocabulary_list) == 25);
  const Corpus corpus(files.train);
  const auto text_of = [](const Tokenizer& tokenizer, std::span<const TokenId> pieces) {
    return tokenizer.decode({pieces.begin(), pieces.end()});
  };
  CHECK(text_of(tokenizers.source(), corpus[1].source) == "five six seven");
  CHECK(text_of(tokenizers.target(), corpus[1].target) == "fünf sechs sieben");
  const auto written = std::filesystem::last_write_time(files.train);
  prepare(config, 1, given);
  CHECK(std::filesystem::last_write_time(files.train) == written);
  std::filesystem::remove(files.vocabulary_models.source);
  prepare(config, 1, given);
  CHECK(read_file(files.vocabulary_models.source) == given.source().model_bytes);

  prepare(config, 1, given.target());
  CHECK(load_tokenizers(files).are_shared());
  CHECK_FALSE(std::filesystem::exists(files.source_vocabulary_list));
}

TEST_CASE("prepare makes a corpus of each validation set, and anew if the same files are divided differently") {
  const TemporaryDirectory directory;
  for (const char* name : {"a", "b"}) {
    write_file_atomically(directory / (name + std::string(".en")), "one two three\nfour five six seven\n");
    write_file_atomically(directory / (name + std::string(".de")), "eins zwei drei\nvier fünf sechs sieben\n");
  }
  DataConfig config = config_in(directory);
  config.train = {{directory / "a.en", directory / "a.de"}};
  config.valid = {{{directory / "a.en", directory / "a.de"}, "one"}, {{directory / "b.en", directory / "b.de"}, "two"}};
  prepare(config, 1);
  const PreparedFiles files(config.prepared);
  CHECK(Corpus(files.valid(0)).size() == 2);
  CHECK(std::filesystem::path(files.valid(1)).filename() == "valid-2.bin");
  CHECK(Corpus(files.valid(1)).size() == 2);
  const Json manifest = parse_json(read_file(files.manifest));
  CHECK(manifest.at("valid-2").at("pairs") == 2);
  CHECK(manifest.at("outputs").size() == 4);

  // The files in the order in which the manifest lists them: a.en, a.de, b.en, b.de.
  config.valid = {{directory / "b.en", directory / "b.de"}};
  prepare(config, 1);
  config.valid = {};
  config.train = {{directory / "a.en", directory / "b.en"}, {directory / "a.de", directory / "b.de"}};
  prepare(config, 1);
  CHECK(Corpus(files.train).size() == 4);
}

TEST_CASE("prepare writes the same corpus with any number of threads") {
  const TemporaryDirectory directory;
  std::string source, target;
  for (int i = 0; i < 500; ++i) {
    source += "line number " + std::to_string(i * 37 % 500) + "\n";
    target += "Zeile Nummer " + std::to_string(i * 37 % 500) + "\n";
  }
  DataConfig config = config_in(directory, source, target);
  prepare(config, 1);
  const std::string one = read_file(PreparedFiles(config.prepared).train);
  config.prepared = directory / "again";
  prepare(config, 3);
  CHECK(read_file(PreparedFiles(config.prepared).train) == one);
}

namespace {

/// A config for a text of several blocks, with what the account counts: tags, duplicates, copies, an empty line and one
/// that is not UTF-8.
DataConfig config_of_blocks(const TemporaryDirectory& directory) {
  std::string source, target;
  for (int i = 0; i < 25000; ++i) {
    source += "line number " + std::to_string(i * 37 % 24000) + "\n";
    target += (i % 5000 == 0 ? "line number " : "Zeile Nummer ") + std::to_string(i * 37 % 24000) + "\n";
  }
  DataConfig config = config_in(directory, source + "\nbad \xFF line\n", target + "leer\nschlecht\n");
  write_file_atomically(directory / "more.en", "one more line\nline number 5\n");
  write_file_atomically(directory / "more.de", "noch eine Zeile\nZeile Nummer 5\n");
  config.train.front().tag = "";
  config.train.push_back({{directory / "more.en", directory / "more.de"}, {}, "<more>"});
  config.valid = {{{directory / "more.en", directory / "more.de"}, {}}};
  return config;
}

}  // namespace

TEST_CASE("joined shards are the files that one process writes, with the same account, in any number of shards") {
  const TemporaryDirectory directory;
  DataConfig config = config_of_blocks(directory);
  config.remove_duplicates = GENERATE(false, true);
  prepare(config, 1);
  const PreparedFiles whole(config.prepared);
  config.prepared = directory / "joined";
  const PreparedFiles joined(config.prepared);
  const int64_t count = GENERATE(1, 2, 5);
  for (int64_t number = count; number >= 1; --number) encode_shard(config, 2, std::nullopt, "", {number, count});
  prepare(config, 1, std::nullopt, "", OtherCorpus::replace, CorpusOrigin::shards);
  for (const auto member : {&PreparedFiles::train, &PreparedFiles::manifest, &PreparedFiles::vocabulary_list}) {
    CHECK((read_file(joined.*member) == read_file(whole.*member)));
  }
  CHECK((read_file(joined.valid(0)) == read_file(whole.valid(0))));
  CHECK((read_file(joined.vocabulary_models.target) == read_file(whole.vocabulary_models.target)));
  for (int64_t number = 1; number <= count; ++number) CHECK_FALSE(std::filesystem::exists(joined.shard(number, count)));
  const Json train = parse_json(read_file(joined.manifest)).at("train");
  const char* const place = config.remove_duplicates ? "dropped" : "kept";
  CHECK(train.at(place).at("duplicate") == 999);
  CHECK(train.at(std::string(place) + "_examples").at("duplicate").at(0) == config.train[0].source + ":24002");
  CHECK(train.at("kept").at("copy") == 5);
  CHECK(train.at("kept").at("invalid_utf8") == 1);
  CHECK(train.at("dropped").at("empty") == 1);
  CHECK(train.at("kept").at("held_out").get<int>() >= 2);
  prepare(config, 1, std::nullopt, "", OtherCorpus::replace, CorpusOrigin::shards);  // needs no shards any more
}

TEST_CASE("shards that a killed join has left are removed by the next join, and those of other settings are not") {
  const TemporaryDirectory directory;
  DataConfig config = config_of_blocks(directory);
  const PreparedFiles files(config.prepared);
  prepare(config, 1);
  for (const int64_t number : {1, 2}) encode_shard(config, 1, std::nullopt, "", {number, 2});
  DataConfig other = config;
  other.max_length = 100;
  encode_shard(other, 1, std::nullopt, "", {1, 3});
  prepare(config, 1);
  CHECK(std::filesystem::exists(files.shard(1, 2)));
  prepare(config, 1, std::nullopt, "", OtherCorpus::replace, CorpusOrigin::shards);
  CHECK_FALSE(std::filesystem::exists(files.shard(1, 2)));
  CHECK_FALSE(std::filesystem::exists(files.shard(2, 2)));
  CHECK(std::filesystem::exists(files.shard(1, 3)));
}

TEST_CASE("prepare and a shard find out that they cannot write before they learn a vocabulary") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory);
  config.vocabulary_size = 100000;  // more than the text has pieces for, which learning would refuse
  config.prepared = "/proc/self";   // where not even root creates files
  CHECK_THROWS_WITH(prepare(config, 1), Catch::StartsWith("/proc/self/train.bin"));
  CHECK_THROWS_WITH(encode_shard(config, 1, std::nullopt, "", {1, 2}),
                    Catch::StartsWith("/proc/self/train.shard-1-of-2"));
}

TEST_CASE("a pair that differs from an earlier one in the blanks around its sides is a duplicate") {
  const TemporaryDirectory directory;
  DataConfig config =
      config_in(directory, "one two three four\none two three four \n", "eins zwei drei vier\n eins zwei drei vier\n");
  prepare(config, 1);
  const Json train = parse_json(read_file(PreparedFiles(config.prepared).manifest)).at("train");
  CHECK(train.at("kept").at("duplicate") == 1);
}

TEST_CASE("shards that are missing, damaged or were made of something else are not joined") {
  const TemporaryDirectory directory;
  DataConfig config = config_of_blocks(directory);
  const PreparedFiles files(config.prepared);
  const auto join = [&] { prepare(config, 1, std::nullopt, "", OtherCorpus::replace, CorpusOrigin::shards); };
  CHECK_THROWS_WITH(join(), Catch::Contains("has no shards to join; run `transformer preprocess` with --shard 1/N"));
  encode_shard(config, 1, std::nullopt, "", {1, 2});
  CHECK_THROWS_WITH(
      join(), files.shard(2, 2) + ": is missing; run `transformer preprocess --shard 2/2` with this config first");
  const auto written = std::filesystem::last_write_time(files.shard(1, 2));
  encode_shard(config, 1, std::nullopt, "", {1, 2});  // is there already
  CHECK(std::filesystem::last_write_time(files.shard(1, 2)) == written);
  encode_shard(config, 1, std::nullopt, "", {2, 2});
  SECTION("other settings") {
    config.max_length = 100;
    CHECK_THROWS_WITH(join(), Catch::Contains("train.shard-1-of-2: was made with another 'max_length'; remove it"));
  }
  SECTION("other text") {
    write_file_atomically(directory / "more.de", "noch eine\nZeile Nummer 5\n");
    CHECK_THROWS_WITH(join(), Catch::Contains("train.shard-1-of-2: was made from another " + config.train[1].target));
  }
  SECTION("another number of shards") {
    encode_shard(config, 1, std::nullopt, "", {3, 3});
    CHECK_THROWS_WITH(join(), Catch::Contains("has shards of 2 and of 3; remove those that do not belong together"));
  }
  SECTION("damage") {
    std::string bytes = read_file(files.shard(2, 2));
    bytes[bytes.size() / 2] ^= 1;
    write_file_atomically(files.shard(2, 2), bytes);
    CHECK_THROWS_WITH(join(), Catch::Contains("train.shard-2-of-2: the shard is damaged"));
  }
  CHECK_FALSE(std::filesystem::exists(files.train));
}

TEST_CASE("scripts drop training pairs in other ones, and validation pairs never") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory, "one two\nодин два\nthree four\n", "eins zwei\neins zwei\nтри четыре\n");
  config.valid = {{{directory / "train.en", directory / "train.de"}, {}}};
  config.source_script = "Latin";
  config.target_script = "de";
  config.max_dropped = 0.7;
  prepare(config, 1);
  const Json manifest = parse_json(read_file(PreparedFiles(config.prepared).manifest));
  CHECK(manifest.at("train").at("dropped").at("script") == 2);
  CHECK(manifest.at("train").at("dropped_examples").at("script") ==
        Json::array({config.train[0].source + ":2", config.train[0].source + ":3"}));
  CHECK(manifest.at("valid").at("pairs") == 3);
}

TEST_CASE("prepare rejects sides that do not belong together") {
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory, "one\ntwo\nthree\n", "eins\nzwei\n");
  CHECK_THROWS_WITH(prepare(config, 1),
                    Catch::Contains("train.en has 3 lines but") && Catch::Contains("train.de has 2"));
  write_file_atomically(directory / "train.en", "");
  write_file_atomically(directory / "train.de", "");
  CHECK_THROWS_WITH(prepare(config, 1), Catch::Contains("the corpus is empty"));
  std::filesystem::remove(directory / "train.de");
  CHECK_THROWS_WITH(prepare(config, 1), Catch::Contains("data.train.target: ") && Catch::Contains("no such file"));
  config.train = {};
  CHECK_THROWS_AS(prepare(config, 1), UsageError);
}

TEST_CASE("prepare refuses a directory and a pipe as text, which it reads several times") {
  const TemporaryDirectory directory;
  const DataConfig config = config_in(directory);
  const std::string target = directory / "train.de";
  std::filesystem::remove(target);
  const bool is_pipe = GENERATE(false, true);
  if (is_pipe) {
    REQUIRE(mkfifo(target.c_str(), 0600) == 0);
  } else {
    std::filesystem::create_directory(target);
  }
  CHECK_THROWS_WITH(prepare(config, 1), "data.train.target: " + target +
                                            ": is a directory or a pipe; give a file, since it is read several times");
}

TEST_CASE("prepare says where a missing text exists, in the config's directory or one above it") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "configs/small");
  std::filesystem::create_directory(directory / "data");
  write_file_atomically(directory / "data/only-here.en", "one\n");
  DataConfig config = config_in(directory);
  config.train[0].source = "data/only-here.en";
  CHECK_THROWS_WITH(
      prepare(config, 1, std::nullopt, directory / "configs/small/c.yaml"),
      Catch::StartsWith("data.train.source: data/only-here.en: there is no such file (looked for it from ") &&
          Catch::EndsWith("but " + (directory / "data/only-here.en") +
                          " exists; paths are relative to the directory in which the program runs: run it "
                          "in " +
                          directory.path() + ", or give the whole path"));
  CHECK_THROWS_WITH(prepare(config, 1), Catch::EndsWith("; check the path"));
  config.train[0].source = "data/nowhere.en";
  CHECK_THROWS_WITH(prepare(config, 1, std::nullopt, directory / "configs/small/c.yaml"),
                    Catch::EndsWith("; check the path"));
  config.train[0].source = directory / "data/only-here.en#1";
  CHECK_THROWS_WITH(prepare(config, 1), Catch::Contains("only-here.en exists; '#1' names the first column"));
}

TEST_CASE("prepare names the setting that has changed since the data were made") {
  using Change = void (*)(DataConfig&);
  const auto [key, change] =
      GENERATE(table<std::string, Change>({{"vocabulary_size", [](DataConfig& c) { c.vocabulary_size = 38; }},
                                           {"character_coverage", [](DataConfig& c) { c.character_coverage = 0.99; }},
                                           {"whole_target_words", [](DataConfig& c) { c.whole_target_words = true; }},
                                           {"max_length", [](DataConfig& c) { c.max_length = 7; }},
                                           {"max_length_ratio", [](DataConfig& c) { c.max_length_ratio = 2; }},
                                           {"remove_duplicates", [](DataConfig& c) { c.remove_duplicates = true; }},
                                           {"target_script", [](DataConfig& c) { c.target_script = "Latin"; }},
                                           {"vocabulary_sample", [](DataConfig& c) { c.vocabulary_sample = 1000; }},
                                           {"tags", [](DataConfig& c) { c.train[0].tag = "<bt>"; }}}));
  const TemporaryDirectory directory;
  DataConfig config = config_in(directory);
  prepare(config, 1);
  change(config);
  CHECK_THROWS_WITH(prepare(config, 1, {}, "", OtherCorpus::refuse),
                    Catch::Contains("was made with another '" + key + "'"));
}

}  // namespace transformer
