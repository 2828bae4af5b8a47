#include "text/normalization.h"

#include "base/atomic_file.h"
#include "base/temporary_directory.h"
#include "catch.h"
#include "text/tokenizer.h"

namespace transformer {
namespace {

const std::string kLine = "نمی‌دانم 5 m² ½ ﬁn Äb„c“—d…\n";

/// What the pieces of kLine give with a vocabulary that was learned from it with this rule.
std::string written_with(const std::string& normalization) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", kLine);
  const Tokenizer tokenizer(
      Tokenizer::learn({directory / "text"}, {.size = 45, .character_coverage = 1.0, .normalization = normalization}),
      "v");
  return tokenizer.decode(tokenizer.encode(kLine.substr(0, kLine.size() - 1)));
}

}  // namespace

TEST_CASE("each normalization rule changes the characters that it says") {
  CHECK(written_with("nmt_nfkc") == "نمی دانم 5 m2 1⁄2 fin Äb„c“—d...");
  CHECK(written_with("nfkc") == "نمی‌دانم 5 m2 1⁄2 fin Äb„c“—d...");
  CHECK(written_with("nmt_nfkc_cf") == "نمی دانم 5 m2 1⁄2 fin äb„c“—d...");
  CHECK(written_with("nfkc_cf") == "نمی‌دانم 5 m2 1⁄2 fin äb„c“—d...");
  CHECK(written_with("identity") == "نمی‌دانم 5 m² ½ ﬁn Äb„c“—d…");
}

TEST_CASE("a file of normalization rules replaces what it names, and nothing else") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "rules.tsv", "BD\t31 2F 32\t# one half\n2026\t2E\n2014\n201E\t22\n201C\t22");
  CHECK_NOTHROW(check_normalization_rules(directory / "rules.tsv"));
  CHECK(written_with(directory / "rules.tsv") == "نمی‌دانم 5 m² 1/2 ﬁn Äb\"c\"d.");
}

TEST_CASE("a vocabulary that is learned with a file of rules does not depend on where this file is") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "text", kLine);
  const auto learned_with = [&](const std::string& name) {
    const std::string path = directory / name;
    write_file_atomically(path, "BD\t31 2F 32\n");
    return Tokenizer::learn({directory / "text"}, {.size = 45, .character_coverage = 1.0, .normalization = path});
  };
  const std::string bytes = learned_with("rules.tsv");
  CHECK((bytes == learned_with("the same rules at a longer path.tsv")));
  const Tokenizer tokenizer(bytes, "v");
  CHECK(tokenizer.decode(tokenizer.encode("½ b ½")) == "1/2 b 1/2");
}

TEST_CASE("a line that is no normalization rule is named") {
  const TemporaryDirectory directory;
  const std::string path = directory / "rules.tsv";
  const auto* bad = GENERATE("", "xy\t31", "BD\t31x", "BD 31 \t2F,32", "\t31", "BD\t31\r", "D800\t31", "110000\t31",
                             "0", "\uFEFFBD\t31", "½\t1/2");
  write_file_atomically(path, std::string("BD\t31\n") + bad + "\n61\t62\n");
  CHECK_THROWS_WITH(check_normalization_rules(path), Catch::StartsWith(path + ":2: not a normalization rule; "));
  write_file_atomically(path, "");
  CHECK_THROWS_WITH(check_normalization_rules(path), Catch::StartsWith(path + ": has no normalization rule"));
}

}  // namespace transformer
