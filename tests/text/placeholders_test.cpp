#include "text/placeholders.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "base/parameter_error.h"
#include "catch.h"

namespace transformer {
namespace {

using Found = std::vector<std::string>;

Found find(const Placeholders& placeholders, const std::string& text) {
  Found found;
  for (const auto& [begin, end] : placeholders.find(text)) found.push_back(text.substr(begin, end - begin));
  return found;
}

}  // namespace

TEST_CASE("the usual placeholders are found") {
  const Placeholders usual(/*usual=*/true, {});
  CHECK(find(usual, "Hi {name}, {0} of {{ n }} é ${HOME} %s %1$d %(n)s %.2f %@ %NAME%.") ==
        Found{"{name}", "{0}", "{{ n }}", "${HOME}", "%s", "%1$d", "%(n)s", "%.2f", "%@", "%NAME%"});
  CHECK(find(usual, "See https://a.b/c?d=e, (www.x.org) or x.y@z.de. <b class=\"x\">now</b>&nbsp;") ==
        Found{"https://a.b/c?d=e", "www.x.org", "x.y@z.de", "<b class=\"x\">", "</b>", "&nbsp;"});
  CHECK(find(usual, "100% of 50 %, a < b > c, x & y; {a b}") == Found{});
}

TEST_CASE("placeholders can be given as regular expressions") {
  CHECK(find(Placeholders(false, {"[A-Z]+_[0-9]+", "ß."}), "a {b} ABC_12 ßé") == Found{"ABC_12", "ßé"});
  CHECK(find(Placeholders(false, {"x*(?=b)"}), "axxb") == Found{"xx"});
  CHECK_THROWS_WITH(Placeholders(false, {"[0-9]", "x*"}),
                    Catch::StartsWith("'protect_regex' \"x*\": matches the empty text"));
  CHECK_THROWS_AS(Placeholders(false, {"("}), ParameterError);
  CHECK_THROWS_WITH(Placeholders(false, {"("}), Catch::StartsWith("'protect_regex' (: is not a regular expression"));
  CHECK_THROWS_WITH(find(Placeholders(false, {"(a+)+$"}), std::string(5000, 'a') + "b"),
                    Catch::Contains("take too long in a line of 5001 bytes"));
}

TEST_CASE("placeholders are kept if the translation has each as often") {
  const Placeholders usual(/*usual=*/true, {});
  CHECK(usual.are_kept("{a} %s %s", "%s x {a} %s"));
  CHECK_FALSE(usual.are_kept("{a} %s %s", "{a} %s"));
  CHECK_FALSE(usual.are_kept("{a}", "{a} {a}"));
  CHECK_FALSE(usual.are_kept("a", "{a}"));
}

}  // namespace transformer
