"""How Sphinx makes the site out of the pages as they are read in the repository (tools/site)."""
import pathlib
import posixpath
import re
import shutil

import latex2mathml.converter
from docutils import nodes

project = "Octant"
author = "The Octant developers"
project_copyright = "2026, The Octant developers"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "docs/howto/*.md", "examples/*.md", "reference/*.md"]
nitpicky = True
myst_heading_anchors = 4
# A block that says no language is what was typed, or printed.
highlight_language = "none"
smartquotes = False

html_theme = "furo"
html_title = "Octant"
html_static_path = ["static"]
html_css_files = ["octant.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


def with_reference(text):
    """A page with links to what is made from code: headers are pages here, and so is the help.
    Notebooks are pages, too (tools/notebook-pages)."""
    text = re.sub(r"\]\(([\w./-]+)\.ipynb\)", r"](\1.md)", text)
    text = re.sub(r"\]\([./]*include/octant/(\w+)\.h\)", r"](/reference/\1.md)", text)
    return re.sub(r"(?m)^\| `octant help` \|", "| [`octant help`](/reference/commands.md) |", text)


def contents(index):
    """The sidebar: the tables of docs/README.md, a part for each of its headings."""
    for heading, rows in re.findall(r"(?ms)^## (.*?)\n(.*?)(?=^## |\Z)", with_reference(index)):
        pages = [posixpath.normpath(posixpath.join("/docs", target))
                 for target in re.findall(r"(?m)^\| \[.*?\]\((\S+\.md)\)", rows)]
        yield "\n".join(["```{toctree}", ":hidden:", f":caption: {heading}", "", *pages, "```"])


def read(app, name, source):
    source[0] = with_reference(source[0])
    if name == root_doc:
        index = pathlib.Path(app.srcdir, "docs", "README.md").read_text(encoding="utf-8")
        source[0] += "\n" + "\n\n".join(contents(index)) + "\n"
    elif name == "docs/README":
        # It is the sidebar, and no part of it.
        source[0] = "---\norphan: true\n---\n" + source[0]


def equation(translator, node):
    """Formulae as MathML, which browsers set by themselves: no script and no other host."""
    display = "block" if node.tagname == "math_block" else "inline"
    translator.body.append(latex2mathml.converter.convert(node.astext(), display=display))
    raise nodes.SkipNode


def finished(app, failure):
    """The first page has the name that servers look for."""
    if failure is None and app.builder.name == "html":
        shutil.copy(pathlib.Path(app.outdir, "README.html"), pathlib.Path(app.outdir, "index.html"))


def setup(app):
    app.add_html_math_renderer("mathml", (equation, None), (equation, None))
    app.connect("source-read", read)
    app.connect("build-finished", finished)
