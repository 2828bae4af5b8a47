#include <string>

#include "catch.h"
#include "documents/input_document.h"

namespace transformer {

TEST_CASE("HTML's sentences are translated between the tags of its blocks") {
  const InputDocument document("a.html", R"(<!DOCTYPE html>
<html lang="en"><head><title>a title</title><style>a{}</style></head>
<body><p>one <b>big</b> dog &amp; caf&eacute; <!-- c -->.</p><script>var a = "<p>";</script>
<ul><li>two<li>see <a href="x>y">the link</a> <img src="a"/> end
</ul><pre>no
 change</pre><p translate="no">keep</p><p> <code>x</code> </p></body></html>)");
  CHECK(document.capitals() == R"(<!DOCTYPE html>
<html lang="en"><head><title>A TITLE</title><style>a{}</style></head>
<body><p>ONE <b>BIG</b> DOG &amp; CAFé <!-- c -->.</p><script>var a = "<p>";</script>
<ul><li>TWO<li>SEE <a href="x>y">THE LINK</a> <img src="a"/> END
</ul><pre>no
 change</pre><p translate="no">keep</p><p> <code>x</code> </p></body></html>)");
  CHECK(document.read().language == "en");
  CHECK(InputDocument("a.html", "<p>&alpha;&beta; caf&eacute;&hellip; a&thinsp;b &madeup; &;</p><p>&alpha;</p>")
            .capitals() == "<p>&alpha;&beta; CAFé… A\u2009B &madeup; &amp;;</p><p>&alpha;</p>");
  const std::string xhtml = "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\"><html><body><p>";
  CHECK(InputDocument("a", xhtml + "one<br/>two</p></body></html>").capitals() ==
        xhtml + "ONE<br/>TWO</p></body></html>");
  CHECK(document.error("", "de") ==
        "'into' de: a.html has no parts to name, its text is replaced; leave the option out");
}

TEST_CASE("an HTML element that is not translated ends without its end tag where its parent or a sibling ends it") {
  const auto capitals = [](const std::string& text) { return InputDocument("a.html", text).capitals(); };
  CHECK(capitals("<html><p translate=\"no\">The old letter<p>It is five.</html>") ==
        "<html><p translate=\"no\">The old letter<p>IT IS FIVE.</html>");
  CHECK(capitals("<ul><li translate=no>a<ul><li>b<li>c</ul>d<li>e</ul>f") ==
        "<ul><li translate=no>a<ul><li>b<li>c</ul>d<li>E</ul>F");
  CHECK(capitals("<ol><li><p translate=no>a <b>b<li>c<li translate=no><p>d</ol>e") ==
        "<ol><li><p translate=no>a <b>b<li>C<li translate=no><p>d</ol>E");
  CHECK(capitals("<dl><dt translate=no>a<dd>b<dd translate=no>c<dt>d</dl>") ==
        "<dl><dt translate=no>a<dd>B<dd translate=no>c<dt>D</dl>");
  CHECK(capitals("<table><tr><td translate=no><p>a<table><tr><td>b</table>c<th>d<th translate=no>e<tr><td>f"
                 "<tr translate=no><td>g<td>h<tbody><tr><td translate=no>i</table>j") ==
        "<table><tr><td translate=no><p>a<table><tr><td>b</table>c<th>D<th translate=no>e<tr><td>F"
        "<tr translate=no><td>g<td>h<tbody><tr><td translate=no>i</table>J");
  CHECK(capitals("<select><option translate=no>a<option>b<optgroup><option translate=no>c</select>d") ==
        "<select><option translate=no>a<option>B<optgroup><option translate=no>c</select>D");
  CHECK(capitals("<div><p translate=no>a<br>b<hr>c</div><div><p translate=no>a</div>b") ==
        "<div><p translate=no>a<br>b<hr>C</div><div><p translate=no>a</div>B");
  // These end tags belong to none of the elements around.
  const std::string cell =
      "<table><td translate=no><p>a<ul><li>b</ul></p>c</b><input></input><script>'</table>'</script><!--</td>-->d</td>";
  CHECK(capitals(cell + "e") == cell + "E");
}

TEST_CASE("HTML's attribute translate has no case, and what is to be translated inside of what is not is translated") {
  const auto capitals = [](const std::string& text) { return InputDocument("a.html", text).capitals(); };
  CHECK(capitals("<p translate=\"NO\">a</p><p>b") == "<p translate=\"NO\">a</p><p>B");
  CHECK(capitals("<div translate=no>a <b translate=YES>b <i translate=no>c</i></b> d <p translate=yes>e<p>f</div>g") ==
        "<div translate=no>a <b translate=YES>B <i translate=no>c</i></b> d <p translate=yes>E<p>f</div>G");
  const InputDocument sentence("a.html", "<p>a <span translate=no>b <b translate=yes>c</b> d</span> e</p>");
  REQUIRE(sentence.read().segments().size() == 1);
  CHECK(sentence.read().segments()[0]->text == "a c e");
  CHECK(sentence.capitals() == "<p>A <span translate=no>b <b translate=yes>C</b> d</span> E</p>");
  CHECK(capitals("<div translate=no><script>'<b translate=yes>'</script>a<img translate=yes>b</div>c") ==
        "<div translate=no><script>'<b translate=yes>'</script>a<img translate=yes>b</div>C");
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "<b translate=no><b translate=yes>";
  CHECK(capitals("<p>" + deep) == "<p>" + deep);
}

TEST_CASE("an HTML tag ends at the first '>' outside of its quotation marks") {
  const auto capitals = [](const std::string& text) { return InputDocument("a.html", text).capitals(); };
  for (const std::string tag : {"<p title = \"a > b\">", "<p title\n=\n'a > b'>", "<p a=b= title=\"a > b\">",
                                "<p title=a\">", "<p a=\"<\" b=\">\">"}) {
    INFO(tag);
    CHECK(capitals(tag + "c") == tag + "C");
  }
  const std::string image = "<img src=data:image/png;base64," + std::string(100000, 'A') + ">";
  CHECK(capitals("<p>a " + image + " b") == "<p>A " + image + " B");
  // Where none follows, it is text, and not all of the rest is searched for each.
  std::string open;
  for (int i = 0; i < 100000; ++i) open += "<a ";
  const Document document = InputDocument("a.html", "<p>" + open + "<b>c</b>").read();
  REQUIRE(document.segments().size() == 1);
  CHECK(document.segments()[0]->text.starts_with("<a <a "));
}

TEST_CASE("the numbers of characters in HTML from 128 to 159 are those of windows-1252") {
  CHECK(InputDocument("a.html", "<p>a &#150; &#x93;b&#148; &#128;&#129;&#160;c").capitals() ==
        "<p>A \u2013 \u201CB\u201D \u20AC\u0081\u00A0C");
}

TEST_CASE("the references of HTML that need no semicolon are characters in text and stay in attributes") {
  const auto capitals = [](const std::string& text) { return InputDocument("a.html", text).capitals(); };
  CHECK(capitals("<p>Caf&eacute au lait&nbsp5 &lt 3 AT&ampT &copy2024 &AMP;&REG &#233 &#xE9x &#150-") ==
        "<p>CAFé AU LAIT\u00A05 &lt; 3 AT&amp;T ©2024 &amp;® é éX \u2013-");
  CHECK(capitals("<p>&amp &nothing &Eacutes&THORNa") == "<p>&amp; ¬HING ÉSÞA");
  // These are text: the names need a semicolon, or are none.
  CHECK(capitals("<p>&ndash R&D &# &#x &#xg &#99999999 a&b &") ==
        "<p>&amp;NDASH R&amp;D &amp;# &amp;#X &amp;#XG &amp;#99999999 A&amp;B &amp;");
  CHECK(capitals("<p>&notin; &copysr;") == "<p>&notin; &copysr;");
  const std::string link = "<a href=\"?a=1&copy=2&lt\" title=\"caf&eacute\">";
  CHECK(capitals("<p>" + link + "b</a>") == "<p>" + link + "B</a>");
}

TEST_CASE("HTML keeps the encoding that it declares") {
  const std::string meta = "<meta charset=\"iso-8859-1\">", body = "<p>caf\xE9 \x80</p>";
  const auto read = [](const std::string& text) { return InputDocument("a.html", text).read(); };
  const Document document = read(meta + body);
  REQUIRE(document.segments().size() == 1);
  CHECK(document.segments()[0]->text == "café €");
  CHECK(with_translations(document, {"Ü’\u0416"}) == meta + "<p>\xDC\x92&#1046;</p>");
  for (const std::string same :
       {"<!-- <meta charset=koi8-r> --><META HTTP-EQUIV=Content-Type CONTENT='text/html; charset = windows-1252'>",
        "<meta charset=' Latin1 '>", "<meta name=a><meta charset=us-ascii>"}) {
    INFO(same);
    CHECK(with_translations(read(same + "<p>a</p>"), {"Ü"}) == same + "<p>\xDC</p>");
  }
  // It is UTF-8 without a declaration, and where the text is UTF-8 all the same.
  for (const std::string other : {"", "<meta charset=UTF-8>", "<meta charset=utf-16>"}) {
    INFO(other);
    CHECK(with_translations(read(other + "<p>a</p>"), {"Ü"}) == other + "<p>Ü</p>");
  }
  CHECK(read("<meta charset=latin1><p>é</p>").segments()[0]->text == "é");
  CHECK(read("<meta charset=shift_jis><p>\x93\xFA").segments()[0]->text == "日");
  CHECK_THAT(InputDocument("a.html", "<meta charset=none>\xE9").error(),
             Catch::StartsWith("a.html: its encoding 'none' is not known"));
}

}  // namespace transformer
