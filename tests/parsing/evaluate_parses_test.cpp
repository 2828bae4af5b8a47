#include "parsing/evaluate_parses.h"

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_directory.h"
#include "catch.h"

namespace transformer {

TEST_CASE("parses are scored against gold trees, or right-branching trees in their place") {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "gold", "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))\n");
  write_file_atomically(directory / "flat", "(TOP (S (DT the) (NN dog) (VBZ barks)))\n");
  write_file_atomically(directory / "empty", "");

  const ParseReport same = evaluate_parses({.gold = directory / "gold", .predicted = directory / "gold"});
  CHECK(same.all.f1() == 100);
  const ParseReport flat = evaluate_parses({.gold = directory / "gold", .predicted = directory / "flat"});
  CHECK(flat.all.precision() == 100);
  CHECK(flat.all.recall() == Approx(100.0 / 3));
  const ParseReport baseline = evaluate_parses({.gold = directory / "gold"});
  CHECK(baseline.all.sentences == 1);
  CHECK(baseline.all.matched == 1);  // the S

  CHECK_THROWS_WITH(evaluate_parses({.gold = directory / "empty"}), Catch::Contains("empty: is empty"));
  CHECK_THROWS_AS(evaluate_parses({.gold = "-", .predicted = "-"}), UsageError);
}

TEST_CASE("parses with other words than their gold trees are error sentences, up to the one where EVALB stops") {
  const TemporaryDirectory directory;
  const auto evaluate = [&](int errors, const std::string& parameters) {
    std::string gold, other;
    for (int i = 0; i < errors; ++i) {
      gold += "(TOP (NP (NN dog)))\n";
      other += "(TOP (NP (NN cow)))\n";
    }
    write_file_atomically(directory / "gold", gold);
    write_file_atomically(directory / "other", other);
    return evaluate_parses({.gold = directory / "gold", .predicted = directory / "other", .parameters = parameters});
  };
  CHECK(evaluate(11, "").all.errors == 11);
  CHECK_THROWS_WITH(evaluate(12, ""), Catch::Contains("other:12: is error sentence number 12"));
  write_file_atomically(directory / "strict.prm", "MAX_ERROR 0\n");
  CHECK(evaluate(1, directory / "strict.prm").all.errors == 1);
  CHECK_THROWS_WITH(evaluate(2, directory / "strict.prm"), Catch::Contains("other:2: is error sentence number 2"));
}

}  // namespace transformer
