#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/words.h"
#include "catch.h"
#include "workplace.h"

namespace transformer {
namespace {

std::vector<std::string> with_model(const std::vector<std::string>& more) {
  return with({"translate", "--model", trained() / "model.pt", "--threads", "1", "--device", "cpu"}, more);
}

/// The translations of these lines, one JSON object for each line.
std::vector<Json> translations(const std::vector<std::string>& lines, const std::vector<std::string>& more) {
  const Workplace place;
  const Result result = place.run(with_model(with({"--format", "jsonl"}, more)), text_of(lines));
  INFO(result.err);
  REQUIRE(result.status == 0);
  std::vector<Json> objects;
  for (const std::string& line : lines_of(result.out)) objects.push_back(parse_json(line));
  REQUIRE(objects.size() == lines.size());
  return objects;
}

Json best_of(const Json& line) { return line.at("translations").at(0); }

/// Whether a sequence of `size` pieces occurs twice.
bool repeats(const Json& translation, size_t size) {
  const auto pieces = translation.at("pieces").get<std::vector<std::string>>();
  std::set<std::vector<std::string>> seen;
  for (size_t i = 0; i + size <= pieces.size(); ++i) {
    const auto first = pieces.begin() + static_cast<std::ptrdiff_t>(i);
    if (!seen.insert({first, first + static_cast<std::ptrdiff_t>(size)}).second) return true;
  }
  return false;
}

const std::vector<std::string> kRepetitive = {"ba ba ba ba be be", "bi bo bi bo bi bo", "ba"};

}  // namespace

TEST_CASE("translate repeats no n-gram with --no-repeat-ngram, in searches and in samples") {
  CHECK(repeats(best_of(translations(kRepetitive, {})[0]), 1));
  for (const std::vector<std::string>& search : {std::vector<std::string>{}, {"--beam-size", "1"}, {"--sample"}}) {
    for (const size_t size : {1, 2}) {
      for (const Json& line : translations(kRepetitive, with({"--no-repeat-ngram", std::to_string(size)}, search))) {
        CHECK_FALSE(repeats(best_of(line), size));
      }
    }
  }
}

TEST_CASE("translate repeats fewer pieces with a repetition penalty, whose scores contain it") {
  const auto num_different = [](const std::vector<std::string>& options) {
    size_t sum = 0;
    for (const Json& line : translations(kRepetitive, options)) {
      const auto pieces = best_of(line).at("pieces").get<std::vector<std::string>>();
      sum += std::set<std::string>(pieces.begin(), pieces.end()).size();
    }
    return sum;
  };
  CHECK(num_different({"--repetition-penalty", "1"}) == num_different({}));
  CHECK(num_different({"--repetition-penalty", "50"}) > num_different({}));
}

TEST_CASE("outputs of translate have a minimum and a maximum length in tokens, end symbol included") {
  const std::vector<std::string> lines = {"ba", "ba be bi bo bu", ""};
  for (const std::vector<std::string>& search : {std::vector<std::string>{}, {"--beam-size", "1"}, {"--sample"}}) {
    const auto longer = translations(lines, with({"--min-length", "60"}, search));
    for (size_t i = 0; i < 2; ++i) CHECK(best_of(longer[i]).at("pieces").size() >= 60);
    CHECK(best_of(longer[2]).at("text") == "");
    const auto shorter = translations(lines, with({"--max-length", "3"}, search));
    for (const Json& line : shorter) CHECK(best_of(line).at("pieces").size() <= 3);
    CHECK(best_of(shorter[1]).at("finish_reason") == "length");
  }
  const Json exact = best_of(translations({"ba be bi"}, {"--min-length", "4", "--max-length", "4"}).at(0));
  CHECK(exact.at("pieces").size() == 4);
  CHECK(exact.at("pieces").at(3) == "</s>");
}

TEST_CASE("the coverage penalty lowers the scores of translate, by the same multiple of its weight") {
  const std::vector<std::string> lines = {"ba be bi bo bu", "bo"}, list = {"--beam-size", "4", "--nbest", "4"};
  const auto plain = translations(lines, list), half = translations(lines, with({"--coverage-penalty", "0.5"}, list)),
             full = translations(lines, with({"--coverage-penalty", "1"}, list));
  const auto score_of = [](const Json& line, const Json& text) {
    for (const Json& one : line.at("translations")) {
      if (one.at("pieces") == text) return one.at("score").get<double>();
    }
    FAIL("no such translation");
    return 0.0;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    double previous = 0;
    for (const Json& one : full[i].at("translations")) {
      CHECK(one.at("score").get<double>() <= previous);
      previous = one.at("score").get<double>();
    }
    for (const Json& one : plain[i].at("translations")) {
      const double score = one.at("score").get<double>();
      const double all = score_of(full[i], one.at("pieces")), part = score_of(half[i], one.at("pieces"));
      CHECK(all <= score);
      CHECK(score - all == Approx(2 * (score - part)).margin(1e-6));
    }
  }
  CHECK(translations(lines, {"--coverage-penalty", "1"})[0].at("translations").size() == 1);
}

TEST_CASE("samples of translate with a small --top-p are those of greedy search") {
  const auto lines = trained().read_lines("test.source");
  const auto greedy = translations(lines, {"--beam-size", "1"});
  const auto nucleus = translations(lines, {"--sample", "--top-p", "1e-6"});
  const auto free = translations(lines, {"--sample", "--temperature", "3"});
  int same = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    CHECK(best_of(nucleus[i]).at("text") == best_of(greedy[i]).at("text"));
    same += best_of(free[i]).at("text") == best_of(greedy[i]).at("text") ? 1 : 0;
  }
  CHECK(same < 50);
}

TEST_CASE("the demands of translate hold for what follows a forced prefix") {
  const Workplace place;
  place.write("prefixes", "us us us\n");
  for (const std::vector<std::string>& search : {std::vector<std::string>{}, {"--sample"}}) {
    const auto arguments = with(
        {"--prefix", "prefixes", "--no-repeat-ngram", "1", "--repetition-penalty", "2", "--min-length", "2"}, search);
    CHECK_THAT(output_of(place.run(with_model(arguments), "ba\n")), Catch::StartsWith("us us us"));
  }
}

TEST_CASE("no output of translate has a forbidden word") {
  const auto lines = trained().read_lines("test.source");
  const auto words_in = [](const std::vector<Json>& outputs) {
    std::multiset<std::string> words;
    for (const Json& line : outputs) {
      for (const Json& one : line.at("translations")) {
        for (auto& word : split_words(one.at("text").get<std::string>())) words.insert(std::move(word));
      }
    }
    return words;
  };
  const auto free = words_in(translations(lines, {}));
  const std::string word = *free.begin(), other = *free.rbegin();
  REQUIRE(word != other);
  const Workplace place;
  place.write("words", word + "\n\n*" + other + "*\n");
  for (const std::vector<std::string>& search :
       {std::vector<std::string>{}, {"--beam-size", "1"}, {"--sample", "--temperature", "3"}, {"--nbest", "4"}}) {
    const auto words = words_in(translations(lines, with({"--forbid", place / "words"}, search)));
    CHECK(words.count(word) == 0);
    for (const std::string& found : words) CHECK(found.find(other) == std::string::npos);
    CHECK(words.size() > lines.size());
  }
}

TEST_CASE("many forbidden words that no translation has change nothing") {
  const Workplace place;
  std::string words;
  for (int i = 0; i < 2000; ++i) words += fmt::format("q{}\n", i);
  place.write("words", words);
  const auto lines = trained().read_lines("test.source");
  CHECK(translations(lines, {"--forbid", place / "words"}) == translations(lines, {}));
}

TEST_CASE("translate names forbidden words that it cannot use") {
  const Workplace place;
  place.write("empty", "\n \n");
  place.write("asterisks", "us\n * \n");
  check_fails(place.run(with_model({"--forbid", "empty"}), "ba\n"), 1, {"empty: has no word or phrase"});
  check_fails(place.run(with_model({"--forbid", "asterisks"}), "ba\n"), 1, {"asterisks:2: '", "is no word or phrase"});
  check_fails(place.run(with_model({"--forbid", "missing"}), "ba\n"), 1, {"missing"});
  place.write("words", "us\n");
  check_fails(place.run(with_model({"--trees", "--forbid", "words"}), "ba\n"), 2, {"--forbid", "--no-trees"});
}

TEST_CASE("translate puts the targets of terms into the lines that have their sources, and tells which are missing") {
  const auto lines = trained().read_lines("test.source");
  const auto free = translations(lines, {});
  // A word of the language that the model does not expect for this one.
  const std::string source = split_words(lines[0]).front();
  const std::string target = split_words(best_of(free[1]).at("text").get<std::string>()).back();
  const Workplace place;
  place.write("terms.tsv", "\n" + source + "\t" + target + "\n");
  size_t num_met = 0, num_with = 0;
  const Result result = place.run(with_model({"--terminology", "terms.tsv", "--format", "jsonl"}), text_of(lines));
  REQUIRE(result.status == 0);
  const auto found = lines_of(result.out);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Json best = best_of(parse_json(found[i]));
    const auto words = split_words(lines[i]);
    const auto count = std::count(words.begin(), words.end(), source);
    if (count == 0) {
      CHECK(best == best_of(free[i]));
      continue;
    }
    ++num_with;
    const bool is_met = best.at("unmet_terms").empty();
    num_met += is_met ? 1 : 0;
    CHECK(is_met == (result.err.find(fmt::format("stdin:{}: its translation has no '{}' for '{}' (terms.tsv:2)", i + 1,
                                                 target, source)) == std::string::npos));
  }
  CHECK(num_with > 10);
  CHECK(num_met == num_with);
}

TEST_CASE("a term that no line has changes nothing") {
  const auto lines = trained().read_lines("test.source");
  const Workplace place;
  place.write("terms", "zzz\tus\n");
  CHECK(translations(lines, {"--terminology", place / "terms"}) == translations(lines, {}));
}

TEST_CASE("translate names terms that contradict each other or cannot be met") {
  const Workplace place;
  const auto fails = [&](const std::string& terms, int status, const std::vector<std::string>& parts,
                         const std::vector<std::string>& options = {}) {
    place.write("terms", terms);
    check_fails(place.run(with_model(with({"--terminology", "terms"}, options)), "ba\n"), status, parts);
  };
  fails("ba\tus\nbe\tus\nba\tal\n", 1, {"terms:3: 'ba' is to be 'al', but terms:1 says 'us'"});
  fails("ba\tus\nba us\n", 1, {"terms:2: has 1 phrase", "a tab"});
  fails("ba\tus\tal\n", 1, {"terms:1: has 3 phrases"});
  fails("ba\tus \xE4\xBD\xA0\n", 1, {"terms:1: 'us \xE4\xBD\xA0' has a character that the model's vocabulary lacks"});
  fails("\n", 1, {"terms: has no term"});
  fails("ba\t\n", 1, {"terms:1: has"});
  fails("ba\tus\n", 2, {"--terminology", "--beam-size"}, {"--beam-size", "1"});
  fails("ba\tus\n", 2, {"--terminology", "--sample"}, {"--sample"});
  fails("ba\tus\n", 2, {"--terminology", "--no-trees"}, {"--trees"});
  place.write("words", "us\n");
  // A term of one word looks like the name of a parameter.
  for (const std::string term : {"al us", "us"}) {
    fails("ba\t" + term + "\n", 2, {"terms:1: \"" + term + "\" has a word or phrase that --forbid forbids"},
          {"--forbid", "words"});
  }
}

TEST_CASE("translate refuses regular expressions of placeholders that match the empty text") {
  const Workplace place;
  for (const std::string regex : {"", "x*"}) {
    check_fails(place.run(with_model({"--protect-regex", regex}), "ba\n"), 2,
                {"--protect-regex \"" + regex + "\": matches the empty text"});
  }
}

TEST_CASE("a diverse beam of translate gives other lists, whose scores are the model's") {
  const auto lines = trained().read_lines("test.source");
  const std::vector<std::string> list = {"--nbest", "4", "--alpha", "0"};
  const auto plain = translations(lines, list), diverse = translations(lines, with({"--diversity", "3"}, list));
  int different = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    different += plain[i] == diverse[i] ? 0 : 1;
    for (const Json& one : diverse[i].at("translations")) {
      double sum = 0;
      for (const Json& part : one.at("piece_log_probs")) sum += part.get<double>();
      CHECK(sum == Approx(one.at("score").get<double>()).margin(1e-4));
    }
  }
  CHECK(different > 10);
  CHECK(translations(lines, with({"--diversity", "0"}, list)) == plain);
}

TEST_CASE("translate gives alternatives after a forced prefix, or at the beginning") {
  const Workplace place;
  place.write("prefixes", "us\n\n\n");
  const Result result =
      place.run(with_model({"--prefix", "prefixes", "--alternatives", "3", "--format", "jsonl"}), "ba be\nbi bo\n\n");
  INFO(result.err);
  REQUIRE(result.status == 0);
  const auto lines = lines_of(result.out);
  REQUIRE(lines.size() == 3);
  for (const size_t i : {0, 1}) {
    const Json found = parse_json(lines[i]).at("translations");
    REQUIRE(found.size() == 3);
    std::set<std::string> next_pieces;
    for (const Json& one : found) {
      if (i == 0) CHECK_THAT(one.at("text").get<std::string>(), Catch::StartsWith("us"));
      next_pieces.insert(one.at("pieces").at(1 - i).get<std::string>());
    }
    CHECK(next_pieces.size() == 3);
  }
  CHECK(parse_json(lines[2]).at("translations").size() == 1);
  CHECK(lines_of(output_of(place.run(with_model({"--alternatives", "2", "--format", "nbest"}), "ba\n"))).size() == 2);
  check_fails(place.run(with_model({"--alternatives", "2"}), "ba\n"), 2, {"--alternatives 2", "--format"});
  check_fails(place.run(with_model({"--alternatives", "2", "--nbest", "2", "--format", "nbest"}), "ba\n"), 2,
              {"--alternatives", "--nbest"});
  check_fails(place.run(with_model({"--alternatives", "2", "--sample", "--format", "nbest"}), "ba\n"), 2,
              {"--alternatives", "--sample"});
}

TEST_CASE("alternatives are the likeliest of all, the end included, within the maximum length") {
  const std::vector<std::string> lines = {"ba be bi", "du do"};
  const auto all = translations(lines, {"--alternatives", "40"});
  for (const int count : {1, 2, 5, 12, 20}) {
    const auto some = translations(lines, {"--alternatives", std::to_string(count)});
    for (size_t i = 0; i < lines.size(); ++i) {
      for (size_t k = 0; k < some[i].at("translations").size(); ++k) {
        INFO("line " << i << ", alternative " << k << " of " << count);
        CHECK(some[i].at("translations").at(k).at("pieces") == all[i].at("translations").at(k).at("pieces"));
      }
    }
  }
  for (const Json& line : translations(lines, {"--alternatives", "3", "--max-length", "1"})) {
    for (const Json& one : line.at("translations")) CHECK(one.at("pieces").size() == 1);
  }
}

TEST_CASE("alternatives that end at once are aligned, and all tell which terms are missing") {
  const auto lines = translations({"ba be"}, {"--alternatives", "40", "--alignment"});
  size_t num_ended = 0;
  for (const Json& one : lines[0].at("translations")) {
    const bool has_ended = one.at("finish_reason") == "stop";
    num_ended += one.at("pieces").size() == 1 && has_ended ? 1 : 0;
    CHECK(one.at("alignment").size() == one.at("pieces").size() - (has_ended ? 1 : 0));
  }
  CHECK(num_ended == 1);
  const Workplace place;
  place.write("terms", "ba\tbabebi\n");
  const Result result =
      place.run(with_model({"--alternatives", "2", "--max-length", "1", "--format", "jsonl", "--terminology", "terms"}),
                "ba be\n");
  REQUIRE(result.status == 0);
  for (const Json& one : parse_json(result.out).at("translations")) CHECK(one.at("unmet_terms").size() == 1);
  CHECK_THAT(result.err, Catch::Contains("stdin:1: its translation has no 'babebi' for 'ba'"));
}

TEST_CASE("a sample for which no token is left says so, as a search does") {
  const Workplace place;
  for (const std::vector<std::string>& search : {std::vector<std::string>{"--sample"}, {"--beam-size", "1"}}) {
    check_fails(place.run(with_model(with({"--no-repeat-ngram", "1", "--min-length", "300"}, search)), "ba be\n"), 1,
                {"the line 'ba be': no token is permitted after",
                 "let the prefix and the other constraints of this sentence leave one"});
  }
}

TEST_CASE("translate chooses among samples or the beam by minimum Bayes risk") {
  const std::vector<std::string> lines = {"ba be bi bo", "", "bu ba"};
  for (const std::vector<std::string>& candidates : {std::vector<std::string>{"--beam-size", "5", "--mbr", "5"},
                                                     {"--sample", "--mbr", "5", "--temperature", "2"},
                                                     {"--sample", "--mbr", "5", "--temperature", "0.1"}}) {
    const bool has_samples = candidates.front() == "--sample";  // some of which may be equal
    for (const char* metric : {"chrf", "bleu"}) {
      const auto all = translations(lines, with({"--nbest", "5", "--mbr-metric", metric}, candidates));
      const auto one = translations(lines, with({"--mbr-metric", metric}, candidates));
      for (const size_t i : {0, 2}) {
        const Json& list = all[i].at("translations");
        REQUIRE((has_samples ? list.size() >= 1 && list.size() <= 5 : list.size() == 5));
        std::set<Json> different;
        for (const Json& translation : list) different.insert(translation.at("pieces"));
        CHECK(different.size() == list.size());
        for (size_t k = 1; k < list.size(); ++k) CHECK(list[k].at("utility") <= list[k - 1].at("utility"));
        CHECK(one[i].at("translations") == Json::array({list[0]}));
      }
      CHECK(best_of(one[1]).at("text") == "");
    }
  }
  // The candidate that most others resemble wins: with one candidate, it is the sample without --mbr.
  const auto single = translations(lines, {"--sample", "--mbr", "1"}), sample = translations(lines, {"--sample"});
  for (size_t i = 0; i < lines.size(); ++i) CHECK(best_of(single[i]).at("text") == best_of(sample[i]).at("text"));
  const Workplace place;
  const auto fails = [&](const std::vector<std::string>& options, const std::vector<std::string>& parts) {
    check_fails(place.run(with_model(options), "ba\n"), 2, parts);
  };
  fails({"--mbr", "9"}, {"--mbr 9: the beam size is 4", "--beam-size"});
  fails({"--mbr", "2", "--nbest", "3", "--format", "nbest"}, {"--nbest 3: there are 2 candidates"});
  fails({"--mbr-metric", "bleu"}, {"--mbr-metric requires --mbr"});
  fails({"--mbr", "2", "--alternatives", "2", "--format", "nbest"}, {"--alternatives", "--mbr"});
}

TEST_CASE("translate tells the probability and the source of each word as printed") {
  const auto lines = trained().read_lines("test.source");
  const auto found = translations(lines, {"--word-probabilities", "--word-alignment"});
  const auto both = translations(lines, {"--word-alignment", "--alignment"});
  const auto plain = translations(lines, {});
  for (size_t i = 0; i < lines.size(); ++i) {
    const Json best = best_of(found[i]);
    const auto words = split_words(best.at("text").get<std::string>());
    REQUIRE(best.at("words").size() == words.size());
    double log_prob = best.at("piece_log_probs").back().get<double>();  // of the end symbol
    for (size_t w = 0; w < words.size(); ++w) {
      CHECK(best.at("words")[w].at("text") == words[w]);
      log_prob += std::log(best.at("words")[w].at("probability").get<double>());
    }
    CHECK(log_prob == Approx(best.at("log_prob").get<double>()).margin(0.01));
    std::set<size_t> aligned;
    for (const Json& pair : best.at("word_alignment")) {
      CHECK(pair.at(0) < split_words(lines[i]).size());
      aligned.insert(pair.at(1).get<size_t>());
    }
    CHECK(aligned.size() == words.size());
    CHECK(best_of(both[i]).at("word_alignment") == best.at("word_alignment"));
    CHECK_FALSE(best.contains("alignment"));
    CHECK_FALSE(best_of(plain[i]).contains("words"));
    CHECK(best_of(plain[i]).at("pieces") == best.at("pieces"));
  }
  const Workplace place;
  CHECK_THAT(output_of(place.run(with_model({"--word-probabilities"}), "ba\n")),
             Catch::Matches("[a-z ]+\t([a-z]+:[01]\\.[0-9]{4} ?)+\n"));
}

TEST_CASE("translate names demands that contradict each other or have no effect") {
  const Workplace place;
  const auto fails = [&](const std::vector<std::string>& options, const std::vector<std::string>& parts) {
    check_fails(place.run(with_model(options), "ba\n"), 2, parts);
  };
  fails({"--min-length", "30", "--max-length", "20"}, {"--min-length 30 is above --max-length 20"});
  fails({"--min-length", "2000"}, {"--min-length 2000", "1,024 positions"});
  fails({"--min-length", "0"}, {"--min-length", "from 1 to 100000"});
  fails({"--trees", "--no-repeat-ngram", "2"}, {"--no-repeat-ngram", "--no-trees"});
  fails({"--coverage-penalty", "1", "--beam-size", "1"}, {"--coverage-penalty", "--beam-size"});
  fails({"--coverage-penalty", "1", "--sample"}, {"--coverage-penalty", "--sample"});
  fails({"--diversity", "1", "--beam-size", "1"}, {"--diversity", "--beam-size"});
  fails({"--top-p", "0.5"}, {"--top-p requires --sample"});
  fails({"--repetition-penalty", "0"}, {"--repetition-penalty"});
}

}  // namespace transformer
