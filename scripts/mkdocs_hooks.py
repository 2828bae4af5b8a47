"""Adapts the repository's pages, which are written for GitHub's Markdown, to MkDocs (scripts/mkdocs.yml)."""
import html
import re
from pathlib import Path, PurePosixPath

from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md"}  # of the repository's root, by their name in docs/
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
CODE = re.compile(r"`([^`\n]+)`")
LIST_ITEM = re.compile(r"(- |\d+\. )")


def on_files(files, config):
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    files.append(File.generated(config, "mkdocs.css", abs_src_path=str(Path(__file__).parent / "mkdocs.css")))
    return files


def on_page_markdown(markdown, page, **_):
    folder = "" if page.file.src_uri in PAGES.values() else "docs"
    text = LINK.sub(lambda link: site_link(link, folder), markdown)
    return separate_lists(CODE.sub(code_with_bars, text))


def code_with_bars(code):
    r"""In the cell of a table GitHub shows "\|" as a bar, also in code; Python-Markdown shows the backslash."""
    if r"\|" not in code[1]:
        return code[0]
    return "<code>" + html.escape(code[1]).replace(r"\|", "&#124;") + "</code>"


def site_link(link, folder):
    """A link to a page of the site; a link to another file of the repository becomes its text."""
    image, text, target, anchor = link.groups()
    if "://" in target:
        return link[0]
    parts = []  # of the path from the repository's root
    for part in PurePosixPath(folder, target).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    path = "/".join(parts)
    if path in PAGES:
        return f"{image}[{text}]({PAGES[path]}{anchor or ''})"
    return f"{image}[{text}]({path[len('docs/'):]}{anchor or ''})" if path.startswith("docs/") else text


def separate_lists(markdown):
    """Puts an empty line before a list that follows a paragraph, without which Python-Markdown does not see the list."""
    lines, code, previous = [], False, ""
    for line in markdown.split("\n"):
        code ^= line.startswith("```")
        follows_text = previous and not previous.startswith((" ", "|", "#")) and not LIST_ITEM.match(previous)
        if not code and LIST_ITEM.match(line) and follows_text:
            lines.append("")
        lines.append(line)
        previous = line
    return "\n".join(lines)
