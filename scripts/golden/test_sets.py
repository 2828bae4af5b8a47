#!/usr/bin/env python3
"""Writes tests/golden/base/test_sets.h: small test sets in the formats of WMT, IWSLT and MTNT, and
the lines that sacreBLEU's readers of data sets make of them.

    pip install sacrebleu==2.6.0
    python3 scripts/golden/test_sets.py

Not run by the build or by CI: the header is kept in the repository.
"""

import os
import pathlib
import tempfile

DIRECTORY = tempfile.TemporaryDirectory()
os.environ["SACREBLEU"] = DIRECTORY.name  # before sacrebleu is imported, which reads it once

import sacrebleu  # noqa: E402
from sacrebleu.dataset.fake_sgml import FakeSGMLDataset  # noqa: E402
from sacrebleu.dataset.iwslt_xml import IWSLTXMLDataset  # noqa: E402
from sacrebleu.dataset.tsv import TSVDataset  # noqa: E402
from sacrebleu.dataset.wmt_xml import WMTXMLDataset  # noqa: E402

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/base/test_sets.h"

SOURCE = ["Hello, world!", "  two   spaces\tand a tab ", "“Quotes” – é, ß, 中文", "AT&amp;T &lt;b&gt; &quot;x&quot;",
          "a no-break\u00a0space inside", "1 < 2", "Last one."]
REFERENCE = ["Hallo Welt!", "zwei Leerzeichen", "„Anführung“", "AT&amp;T", "ein\u00a0Leerzeichen", "eins", "Das letzte."]
OTHER_REFERENCE = ["Hallo, Welt!", "zwei", "Zitat", "A &amp; T", "Leerzeichen", "1", "Ende."]


def segments(lines, first=1):
    return "".join(f'<seg id="{i}">{line}</seg>\n' for i, line in enumerate(lines, first))


def sgml(kind, lines):
    extra = 'sysid="ref" ' if kind == "refset" else ""
    return (f'<{kind} setid="newstest2099" srclang="any" {"trglang=" + chr(34) + "de" + chr(34) if extra else ""}>\n'
            f'<doc {extra}docid="a.1" genre="news" origlang="en">\n<hl>\n{segments(lines[:1])}</hl>\n'
            f'<p>\n{segments(lines[1:3], 2)}</p>\n</doc>\n'
            f'<DOC {extra}docid="b.2" genre="news" origlang="de">\n<p>\n{segments(lines[3:], 4)}</p>\n</DOC>\n</{kind}>\n')


def iwslt(lines):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<mteval>\n<srcset setid="tst2099" srclang="english">\n'
            '<doc docid="1" genre="lectures">\n<url>http://example.com</url>\n<keywords>a, b</keywords>\n'
            f'<title>A title</title>\n{segments(lines)}</doc>\n</srcset>\n</mteval>\n')


def document(name, sources, references):
    refs = "".join(f'<ref lang="de" translator="{translator}">\n<p>\n{segments(lines)}</p>\n</ref>\n'
                   for translator, lines in references.items())
    return (f'<doc id="{name}" origlang="en">\n<src lang="en">\n<p>\n{segments(sources)}</p>\n</src>\n{refs}'
            f'<hyp system="mine" lang="de">\n<p>\n{segments(["hypothesis"] * len(sources))}</p>\n</hyp>\n</doc>\n')


def wmt_xml():
    well_formed = [line.replace("1 < 2", "1 &lt; 2") for line in SOURCE]
    return ('<?xml version="1.0" encoding="utf-8"?>\n<dataset id="wmttest2099.en-de">\n'
            + document("a", well_formed[:3], {"A": REFERENCE[:3], "B": OTHER_REFERENCE[:3]})
            + document("b", well_formed[3:], {"A": REFERENCE[3:], "B": OTHER_REFERENCE[3:]}) + "</dataset>\n")


def tsv():
    return "".join(f"{i}\t{source.strip()}\t{target}\n"
                   for i, (source, target) in enumerate(zip((s.replace("\t", " ") for s in SOURCE), REFERENCE)))


def lines_of(dataset_class, name, files, paths):
    """The lines of each field of a data set that consists of these files, by sacreBLEU."""
    dataset = dataset_class(name, data=[], langpairs={"en-de": paths})
    raw = pathlib.Path(dataset._rawdir)
    raw.mkdir(parents=True)
    for file, content in files.items():
        (raw / file).write_text(content, encoding="utf-8", newline="\n")
    return {field: pathlib.Path(path).read_text(encoding="utf-8").split("\n")[:-1]
            for field, path in zip(dataset.fieldnames("en-de"), dataset.get_files("en-de"))}


def cpp_string(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def main():
    rows = []

    def add(dataset_class, name, files, paths, parts):
        fields = lines_of(dataset_class, name, files, paths)
        for field, (file, part) in parts.items():
            lines = ", ".join(cpp_string(line) for line in fields[field])
            rows.append(f"    {{{cpp_string(file)}, {cpp_string(part)}, {cpp_string(files[file])},\n     {{{lines}}}}},")

    add(FakeSGMLDataset, "news", {"src.en.sgm": sgml("srcset", SOURCE), "ref.de.sgm": sgml("refset", REFERENCE)},
        ["src.en.sgm", "ref.de.sgm"], {"src": ("src.en.sgm", ""), "ref": ("ref.de.sgm", "")})
    well_formed = [line.replace("1 < 2", "1 &lt; 2") for line in SOURCE]
    add(IWSLTXMLDataset, "ted", {"tst.en.xml": iwslt(well_formed), "tst.de.xml": iwslt(REFERENCE)},
        ["tst.en.xml", "tst.de.xml"], {"src": ("tst.en.xml", ""), "ref": ("tst.de.xml", "")})
    add(WMTXMLDataset, "wmt", {"news.xml": wmt_xml()}, ["news.xml"],
        {"src": ("news.xml", "#src"), "ref:A": ("news.xml", "#ref:A"), "ref:B": ("news.xml", "#ref:B"),
         "mine": ("news.xml", "#hyp:mine")})
    add(TSVDataset, "mtnt", {"mtnt.tsv": tsv()}, ["1:mtnt.tsv", "2:mtnt.tsv"],
        {"src": ("mtnt.tsv", "#2"), "ref": ("mtnt.tsv", "#3")})
    body = "\n".join(rows)
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(f"""\
// Written by scripts/golden/test_sets.py with sacrebleu {sacrebleu.__version__}. Do not edit.
// clang-format off
#pragma once

#include <string>
#include <vector>

namespace transformer::golden {{

/// A file of a test set, what its path has behind the name to read one of its texts, and sacreBLEU's lines of this text.
struct TestSetText {{
  std::string file, part, content;
  std::vector<std::string> lines;
}};

inline const std::vector<TestSetText> kTestSetTexts = {{
{body}
}};

}}  // namespace transformer::golden
""", encoding="utf-8")


if __name__ == "__main__":
    main()
