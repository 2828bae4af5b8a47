#include "trees/bracket_token.h"

#include "catch.h"

namespace transformer {

TEST_CASE("bracket tokens are recognized by their first character, and any other token is a word") {
  using Kind = BracketToken::Kind;
  CHECK(read_bracket_token("(NP") == BracketToken{Kind::open, "NP"});
  CHECK(read_bracket_token(")NP") == BracketToken{Kind::close, "NP"});
  for (const char* token : {"XX", "NN", "", "(", ")", "((S", "(S)", "<unk>"}) {
    INFO(token);
    CHECK(read_bracket_token(token) == BracketToken{});
  }
  for (const char* token : {"(NP", ")NP", "XX"}) CHECK(to_string(read_bracket_token(token)) == token);
}

}  // namespace transformer
