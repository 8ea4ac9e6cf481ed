"""octant help, the manual pages and the completions for shells."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from octant_cli import OctantTest

SHELLS_REQUIRED = os.environ.get("OCTANT_REQUIRE_SHELLS") == "1"


class HelpTest(OctantTest):
    def needs(self, *programs):
        for program in programs:
            if not shutil.which(program):
                if SHELLS_REQUIRED:
                    self.fail(f"{program} is not installed")
                self.skipTest(f"{program} is not installed")

    def commands(self):
        return re.findall(r"(?m)^  ([a-z]+)  ", self.octant("help").stdout)

    def options(self, command):
        return re.findall(r"(?m)^  --([a-z-]+)", self.octant("help", command).stdout)


class Help(HelpTest):
    def test_is_what_the_options_say(self):
        self.assertEqual(self.octant("help").stdout, self.octant("--help").stdout)
        self.assertIn("help", self.commands())
        for command in self.commands():
            self.assertEqual(self.octant("help", command).stdout,
                             self.octant(command, "--help").stdout)

    def test_what_is_no_command_may_be_in_a_scene(self):
        self.assertIn("surface_density", self.octant("help", "ring").stdout)
        self.assertIn("did you mean `render`?", self.refused("help", "rendr"))
        self.assertIn("did you mean bash?", self.refused("help", "--completion", "bsh"))
        self.refused("help", "--man", "ring")


class Manual(HelpTest):
    def pages(self):
        yield "octant.1", self.octant("help", "--man").stdout
        yield "octant-scene.5", self.octant("help", "--man", "scene").stdout
        for command in self.commands():
            yield f"octant-{command}.1", self.octant("help", "--man", command).stdout

    def test_roff_has_nothing_to_complain_of(self):
        self.needs("groff")
        for name, text in self.pages():
            path = self.write(name, text)
            done = subprocess.run(["groff", "-K", "utf8", "-T", "utf8", "-ww", "-man", path],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def shown(self, text):
        """A page as man shows it, without line breaks, hyphenation and overstriking."""
        done = subprocess.run(["groff", "-K", "utf8", "-T", "utf8", "-man", "-rHY=0", "-rLL=400n",
                               "-P-c", "-P-b", "-P-u"],
                              input=text, capture_output=True, text=True, check=True)
        return re.sub(r"\s+", " ", done.stdout)

    def test_every_option_is_there_with_its_sentence(self):
        self.needs("groff")
        for command in self.commands():
            text = self.shown(self.octant("help", "--man", command).stdout)
            help = self.octant("help", command).stdout
            for option, sentence in re.findall(r"(?m)^  (--\S+(?: \S+)?)  +(\S.*)$", help):
                self.assertIn(option, text, command)
                # Typesetters know better quotes.
                self.assertIn(re.split("[`'\"]", sentence)[0].strip(), text, command)
            self.assertIn(re.search("(?m)^example: (.*)$", help)[1].split('"')[0], text)

    def test_scenes_and_every_key_are_there(self):
        self.needs("groff")
        text = self.shown(self.octant("help", "--man", "scene").stdout)
        for section in self.octant_json("list")["sections"]:
            for module in section["modules"]:
                self.assertIn(f" {module['name']} ", text)
                for field in module["fields"]:
                    self.assertIn(f" {field['name']}", text)
        text = self.shown(self.octant("help", "--man").stdout)
        for name in [scene["name"] for scene in self.octant_json("list", "scenes")]:
            self.assertIn(f" {name} ", text)
        for command in self.commands():
            self.assertIn(f"octant-{command}(1)", text)


class Completions(HelpTest):
    def script(self, shell, name):
        return self.write(name, self.octant("help", "--completion", shell).stdout)

    def bash(self, line, setting=""):
        """What the function of the script offers for a line that ends where the cursor is."""
        script = self.script("bash", "octant.bash")
        done = subprocess.run(
            ["bash", "--norc", "-c", f"source {script}; {setting} COMP_LINE=$1; "
             "COMP_POINT=${#COMP_LINE}; _octant; printf '%s\\n' \"${COMPREPLY[@]}\"", "-", line],
            cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return [word for word in done.stdout.splitlines() if word]

    def test_bash_knows_every_command_and_option(self):
        self.assertEqual(self.bash("octant "), self.commands())
        self.assertEqual(self.bash("octant re"), ["render"])
        self.assertEqual(self.bash("octant --v"), ["--version"])
        for command in self.commands():
            self.assertEqual({word[2:] for word in self.bash(f"octant {command} --")},
                             set(self.options(command)), command)

    def test_bash_knows_what_options_take(self):
        for line in ("octant run plummer --precision ", "octant run --precision="):
            self.assertEqual(self.bash(line), ["single", "mixed", "double", "auto"])
        self.assertEqual(self.bash("octant run --precision=d"), ["double"])
        self.assertEqual(self.bash("octant run --precision=d", "COMP_WORDBREAKS=' ';"),
                         ["--precision=double"])
        self.assertEqual(self.bash("octant run --set gravity.the"), ["gravity.theta="])
        self.assertEqual(self.bash("octant run --set models.0.ring.radius.la"),
                         ["models.0.ring.radius.law="])
        self.assertEqual(self.bash("octant convert a.csv b.csv --units so"), ["solar"])
        self.assertEqual(self.bash("octant render a.hdf5 --axis "), ["x", "y", "z"])
        self.assertEqual(self.bash("octant render a.hdf5 --map "),
                         self.octant("render", "--list-maps").stdout.split())
        self.assertEqual(self.bash("octant run plummer --steps "), [])
        (self.folder / "results").mkdir()
        self.assertEqual(self.bash("octant run plummer --out "), ["results"])

    def test_bash_knows_what_commands_take(self):
        scenes = {scene["name"] for scene in self.octant_json("list", "scenes")}
        offered = set(self.bash("octant run "))
        self.assertLessEqual(scenes | {"small.yaml"}, offered)
        self.assertEqual(self.bash("octant check sm"), ["small.yaml"])
        self.assertEqual(self.bash("octant run --json saturn-ring-m"), ["saturn-ring-moonlet"])
        self.assertIn("small.yaml", self.bash("octant info "))
        self.assertEqual(self.bash("octant help st"), ["stability"])
        self.assertEqual(self.bash("octant list toomre_q"), ["toomre_q"])
        self.assertEqual(self.bash("octant bench "),
                         ["block", "criteria", "cube", "direct", "outputs", "ring", "systems",
                          "theta", "tree"])
        self.assertEqual(self.bash("octant scaling "), ["tree", "ring", "cube", "direct"])
        self.assertEqual(self.bash("octant cite "), [])
        self.assertEqual(self.bash("octant nonsense "), [])

    def test_bash_knows_every_key(self):
        reference = self.octant_json("list")

        def keys(prefix, fields):
            for field in fields:
                if field["type"] == "group":
                    yield from keys(f"{prefix}{field['name']}.", field["fields"])
                else:
                    yield f"{prefix}{field['name']}="
        known = {*keys("", reference["top"]["fields"]), *keys("", reference["constants"]["fields"])}
        for section in reference["sections"]:
            name = section["name"]
            if section["named"]:  # by words of the user's, which nobody can complete
                continue
            known |= {f"{name}.{section['selector']}="} if section["selector"] else set()
            for module in section["modules"] or [{"name": "", "fields": []}]:
                prefix = f"{name}.0.{module['name']}." if section["list"] else f"{name}."
                known |= {*keys(prefix, section["fields"] + module["fields"])}
        self.assertEqual(set(self.bash("octant run --set ")), known)

    def typed(self, command, prepare, line):
        """Types a line into an interactive shell, where octant prints the words it got."""
        pid, handle = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ.update(TERM="dumb", HOME=str(self.folder), PS1="$ ")
            os.execvp(command[0], command)
        seen = ""

        def until(pattern):
            nonlocal seen
            deadline = time.monotonic() + 30
            while not re.search(pattern, seen) and time.monotonic() < deadline:
                if select.select([handle], [], [], 0.5)[0]:
                    seen += os.read(handle, 65536).decode(errors="replace")
            self.assertRegex(seen, pattern)

        try:
            for text in [*prepare, "octant() { printf '<%s>' \"$@\"; }", "echo rea''dy"]:
                os.write(handle, text.encode() + b"\n")
            until("ready\r")
            os.write(handle, line.encode() + b"\t")
            time.sleep(1)
            os.write(handle, b"\n")
            until(r"<[^%]*>")
        finally:
            os.close(handle)
            os.waitpid(pid, 0)
        return re.findall(r"<([^%>]*)>", seen)

    def check_typed(self, command, *prepare):
        for line, words in [("octant stab", ["stability"]),
                            ("octant run saturn-ring-m", ["run", "saturn-ring-moonlet"]),
                            ("octant run --precision=do", ["run", "--precision=double"]),
                            ("octant run --set gravity.the",
                             ["run", "--set", "gravity.theta="])]:
            self.assertEqual(self.typed(command, prepare, line), words)

    def test_bash_as_it_is_typed(self):
        script = self.script("bash", "octant.bash")
        self.check_typed(["bash", "--norc", "-i"], f"source {script}")

    def test_zsh_as_it_is_typed(self):
        self.needs("zsh")
        self.script("zsh", "_octant")
        self.check_typed(["zsh", "-f", "-i"], "fpath=($PWD $fpath)", "autoload -U compinit",
                         "compinit -u -D")

    def test_fish(self):
        self.needs("fish")
        script = self.script("fish", "octant.fish")

        def offered(line):
            done = subprocess.run(["fish", "--no-config", "-c",
                                   f"source {script}; complete -C '{line}'"], cwd=self.folder,
                                  env=dict(os.environ, HOME=str(self.folder)), text=True,
                                  capture_output=True, check=True)
            self.assertEqual(done.stderr, "")
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        self.assertEqual(set(offered("octant ")), set(self.commands()))
        for command in self.commands():
            self.assertEqual({word[2:] for word in offered(f"octant {command} --")},
                             set(self.options(command)), command)
        self.assertEqual(offered("octant run --precision do"), ["double"])
        self.assertEqual(offered("octant run --set gravity.the"), ["gravity.theta="])
        self.assertEqual(offered("octant run saturn-ring-m"), ["saturn-ring-moonlet"])
        self.assertIn("small.yaml", offered("octant check "))


if __name__ == "__main__":
    unittest.main()
