"""What the documents name is there: files, goals, commands, options, keys, scenes, functions."""
import fnmatch
import functools
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["OCTANT_SOURCE"])
OCTANT = os.environ["OCTANT"]
PAGES = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "SECURITY.md",
         SOURCE / "examples" / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]
# What the goals of the Makefile and the commands leave behind, and names of what is elsewhere.
MADE = re.compile(r"(build|build-\w+|demo|bundle|ring|out|octant-\w+|~|\.venv)(/|$)")


@functools.cache
def octant(*arguments):
    return subprocess.run([OCTANT, *arguments], text=True, capture_output=True, check=False)


@functools.cache
def options(command):
    done = octant("help", command)
    return set(re.findall(r"(?m)^  (--[a-z-]+)", done.stdout)) if done.returncode == 0 else None


@functools.cache
def sources():
    return "\n".join(path.read_text(encoding="utf-8") for folder in ("include", "src")
                     for path in (SOURCE / folder).rglob("*.[ch]"))


def goals():
    return set(re.findall(r"(?m)^([a-z]+):", (SOURCE / "Makefile").read_text()))


def blocks(text):
    """The lines of code blocks that are no YAML, CMake or C."""
    for kind, body in re.findall(r"(?ms)^```(\w*)\n(.*?)^```", text):
        if kind in ("", "sh"):
            yield from (line.split(" #")[0].strip() for line in body.splitlines())


def spans(text):
    return re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```", "", text))


def anchor(heading):
    words = re.sub(r"[^\w\s-]", "", re.sub(r"[`*]", "", heading).lower())
    return words.strip().replace(" ", "-")


def command_lines(text):
    """Command lines of octant, in blocks and in running text, without the program's name."""
    for line in [*blocks(text), *spans(text)]:
        for part in re.split(r"&&|\||>", line):
            if re.match(r"(bundle/bin/)?octant [a-z]", part.strip()):
                yield shlex.split(part)[1:]


class Docs(unittest.TestCase):
    def check(self, wrong):
        """Asks for what is wrong with each page: nothing should be."""
        found = [f"{page.relative_to(SOURCE)}: {problem}" for page in PAGES
                 for problem in wrong(page, page.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])

    def test_links_lead_somewhere(self):
        def wrong(page, text):
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"https?:", target):
                    continue
                name, _, place = target.partition("#")
                path = (page.parent / name) if name else page
                headings = re.findall(r"(?m)^#+ (.*)$", path.read_text(encoding="utf-8")) \
                    if place and path.exists() else []
                if not path.exists() or (place and place not in map(anchor, headings)):
                    yield target
        self.check(wrong)

    def test_links_that_lead_out_are_well_formed(self):
        loader = importlib.machinery.SourceFileLoader("links", str(SOURCE / "tools/check-links"))
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("links", loader))
        loader.exec_module(tool)
        found = list(tool.links(SOURCE))
        self.assertGreater(len(found), 8)
        self.assertEqual([address for _, address in found if tool.wrong(address)], [])
        for address in ("http://example.org", "https://example", "https:///page",
                        "https://doi.org/309333a0", "https://doi.org/"):
            self.assertTrue(tool.wrong(address), address)

    def test_files_are_there(self):
        folders = {path.name for path in SOURCE.iterdir() if path.is_dir()}

        def wrong(_, text):
            for span in spans(text):
                for word in span.split():
                    name = word.rstrip(",.:;/")
                    if MADE.match(name) or "/" not in name or name.split("/")[0] not in folders:
                        continue
                    # src/force/foo.c is the module that CONTRIBUTING.md invents.
                    if "foo" not in name and not list(SOURCE.glob(re.sub(r"<\w+>", "*", name))):
                        yield name
        self.check(wrong)

    def test_tests_are_there(self):
        known = {path.stem for folder in ("tests", "tools")
                 for path in (SOURCE / folder).rglob("*")}
        for path in (SOURCE / "tests").rglob("test_*.py"):
            known.update(re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")))

        def wrong(_, text):
            for name in re.findall(r"(?<![\w-])((?:test|accuracy|fuzz|check|count)[_-][\w*<>-]+)",
                                   " ".join(spans(text) + [*blocks(text)])):
                if not fnmatch.filter(known, re.sub(r"<\w+>", "*", name)):
                    yield name
        self.check(wrong)
        text = (SOURCE / "CONTRIBUTING.md").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"(?m)^\| `tests/(\w+)`", text)),
                         {path.name for path in (SOURCE / "tests").iterdir() if path.is_dir()})

    def test_goals_are_in_the_makefile(self):
        def wrong(_, text):
            for line in [*blocks(text), *spans(text)]:
                yield from set(re.findall(r"(?:^|\W)make ([a-z]+)\b", line)) - goals()
        self.check(wrong)
        text = (SOURCE / "docs" / "building.md").read_text(encoding="utf-8")
        self.assertEqual([goal for goal in goals() - {"build"} if f"`make {goal}`" not in text], [])

    def test_tools_take_these_options(self):
        def wrong(_, text):
            for line in [*blocks(text), *spans(text)]:
                for tool, rest in re.findall(r"(?:^|\W)tools/([\w-]+)((?: --?[\w-]+)*)(?![\w.])",
                                             line):
                    path = SOURCE / "tools" / tool
                    script = path.read_text(encoding="utf-8") if path.exists() else ""
                    yield from (f"{tool} {option}" for option in rest.split()
                                if option not in script)
        self.check(wrong)

    def test_commands_and_options_exist(self):
        def wrong(_, text):
            for name, *words in command_lines(text):
                if options(name) is None:
                    yield f"octant {name}"
                    continue
                for word in words:
                    if word.startswith("--") and word.split("=")[0] not in options(name):
                        yield f"octant {name} {word}"
        self.check(wrong)

    def test_keys_exist(self):
        def wrong(_, text):
            for words in command_lines(text):
                for option, value in zip(words, words[1:]):
                    if option in ("--set", "--a", "--b", "--scan") and "=" in value:
                        # Parameters of a function of the user's have names of the scene's own.
                        key = re.sub(r"(\.parameters)\..*", r"\1", value.split("=")[0])
                        if octant("list", key).returncode != 0:
                            yield value
        self.check(wrong)

    def test_scenes_exist(self):
        known = {scene["name"] for scene in json.loads(octant("list", "scenes", "--json").stdout)}
        known |= {path.name for path in (SOURCE / "examples").glob("*.yaml")}

        def wrong(_, text):
            own = set(re.findall(r"(?m)^# (\w+\.yaml)$", text)) | set(spans(text))
            for name, *words in command_lines(text):
                scene = words[0] if words else "-"
                if name in ("run", "check", "accuracy", "stability") and re.match("[a-z]", scene):
                    if scene not in known | own:
                        yield scene
        self.check(wrong)

    def test_whole_scenes_are_right(self):
        def wrong(_, text):
            for scene in re.findall(r"(?ms)^```yaml\n(# \w+\.yaml\n.*?)^```", text):
                with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                    file.write(scene)
                    file.flush()
                    yield from octant("check", file.name).stderr.splitlines()
        self.check(wrong)

    def test_the_indexes_are_whole(self):
        text = (SOURCE / "README.md").read_text(encoding="utf-8")
        for scene in json.loads(octant("list", "scenes", "--json").stdout):
            self.assertIn(f"`{scene['name']}`", text)
        index = (SOURCE / "docs" / "README.md").read_text(encoding="utf-8")
        for page in (SOURCE / "docs").rglob("*.md"):
            name = page.relative_to(SOURCE / "docs").as_posix()
            self.assertTrue(name == "README.md" or f"({name})" in index, name)

    def test_functions_exist(self):
        known = (SOURCE / "CMakeLists.txt").read_text() + sources()

        def wrong(_, text):
            for span in spans(text):
                for name in re.findall(r"\b(?:oct|OCT)_\w+", span):
                    if name not in known and "foo" not in name and "<" not in span:
                        yield name
        self.check(wrong)

    def test_functions_of_a_simulation_are_where_the_map_has_them(self):
        text = (SOURCE / "docs" / "design.md").read_text(encoding="utf-8")
        rows = text.partition("## Where a function is")[2].partition("\n## ")[0]
        named = {SOURCE / "src" / name for line in rows.splitlines() if line.startswith("| `")
                 for name in spans(line.split("|")[1])}
        holds = {path for path in (SOURCE / "src").rglob("*.c")
                 if re.search(r"(?m)^[a-z].*\boct_sim_\w+\([^;]*\n\{", path.read_text("utf-8"))}
        self.assertEqual(named, holds)

    def test_options_of_cmake_exist(self):
        text = (SOURCE / "docs" / "building.md").read_text(encoding="utf-8")
        rows = re.findall(r"(?m)^\| ((?:`[A-Z0-9_]+`(?:, )?)+) \|", text)
        listed = {name for row in rows for name in re.findall(r"\w+", row)}
        known = set(re.findall(r"(?m)^(?:option\(|set\((?=OCT_))(\w+)",
                               (SOURCE / "CMakeLists.txt").read_text()))
        self.assertEqual(listed, known | {"BUILD_TESTING"})

    def test_packages_are_those_that_are_installed(self):
        text = (SOURCE / "docs" / "building.md").read_text(encoding="utf-8")
        named = re.findall(r"\b[a-z0-9]+(?:-[a-z0-9]+)*-(?:dev|icd|venv|headers|base)\b", text)
        self.assertGreater(len(named), 8)
        setup = re.split(r'[\s"]', (SOURCE / "tools" / "setup").read_text())
        self.assertEqual([package for package in named if package not in setup], [])

    def test_folders_of_the_sources_are_all_named(self):
        folders = {path.name for path in (SOURCE / "src").iterdir()}
        text = (SOURCE / "docs" / "design.md").read_text(encoding="utf-8")
        rows = re.findall(r"(?m)^\| (`src/[^|]*) \|", text)
        named = {name.split("/")[-1] for row in rows for name in re.findall("`([^`]+)`", row)}
        self.assertEqual(named, folders)
        text = (SOURCE / "CONTRIBUTING.md").read_text(encoding="utf-8")
        layers = re.search(r"util ←[^.]*", text)[0].replace("`", "")
        self.assertEqual(set(re.findall(r"[a-z]+", layers)), folders)

    def test_what_to_cite_has_this_version(self):
        version = octant("--version").stdout.split()[1]
        self.assertIn(f"\nversion: {version}\n", (SOURCE / "CITATION.cff").read_text())


if __name__ == "__main__":
    unittest.main()
