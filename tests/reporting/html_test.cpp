#include "reporting/html.h"

#include "catch.h"

namespace transformer {
namespace {

TEST_CASE("escaped HTML has no tags and no quotes") {
  CHECK(escaped_html("<a href=\"x\"> & ü") == "&lt;a href=&quot;x&quot;&gt; &amp; ü");
}

TEST_CASE("a filled template has each placeholder replaced once") {
  CHECK(filled_template("{{a}}-{{b}}-{{a}}", {{"a", "{{b}}"}, {"b", "2"}}) == "{{b}}-2-{{b}}");
  CHECK(filled_template("no placeholder }}", {}) == "no placeholder }}");
}

}  // namespace
}  // namespace transformer
