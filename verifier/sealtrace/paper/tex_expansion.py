"""A document as one stream of tokens: files put in, macros expanded, false conditionals left out.

Every token of an expansion stands where the macro was called, and every argument where it was written, so that a
cell can be traced to its source. Expansion is bounded: macros that call themselves are reported, never followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sealtrace.paper.extracted import Load, ReadingProblem
from sealtrace.paper.tex_definitions import FROZEN, PROGRAMMING, Definitions, Macro
from sealtrace.paper.tex_files import Files, OpenFiles
from sealtrace.paper.tex_harmless import prints_nothing
from sealtrace.paper.tex_tokens import Token, TokenStream, braced, is_undecided, names, written
from sealtrace.process import keep_reading

# Macros that call each other: what TeX expands deeper has no end, or none that is worth waiting for.
MAX_DEPTH = 100
MAX_PUSHED = 300_000
"""Tokens that macros may produce, beside five for each token of the source."""
LONGEST_NAME = 100
"""Tokens that the name of a file may become."""
_INPUT = names("input include subfile import subimport PlainInput @input @@input")
_STYLES = {"usepackage": ".sty", "RequirePackage": ".sty", "documentclass": ".cls", "LoadClass": ".cls"}
# A paper is set by pdfTeX unless it says otherwise. What a macro prints in mathematics it prints in text as well.
_ENGINES = {"ifpdf": True, "ifPDFTeX": True, "iftutex": False, "ifmmode": True} | dict.fromkeys(
    ["ifxetex", "ifXeTeX", "ifluatex", "ifLuaTeX", "ifxetexorluatex"], False
)
_TRUE, _FALSE, _NO_VALUE = "BooleanTrue", "BooleanFalse", "NoValue"
_SWITCH = re.compile(r"(?:new|provide)(?:bool|toggle)|(?P<set>set)(?:bool|toggle)|(?:bool|toggle)(?P<to>true|false)")
_ASKS = re.compile(r"If(Boolean|NoValue|Value)(T?F?)")
_DEFINED = {"ifdef": True, "ifcsdef": True, "ifundef": False, "ifcsundef": False, "@ifundefined": False}
# These have the branches as arguments, and no \fi.
_BRANCHES_IN_BRACES = _DEFINED.keys() | names(
    "ifthenelse iftoggle ifbool ifdefstring ifstrequal ifblank ifstrempty ifdefempty iflanguage"
)


_DECIDING = (
    PROGRAMMING - names("relax else fi string noexpand")
    | _INPUT
    | names("begin end newenvironment renewenvironment newcolumntype newcounter setcounter")
)
"""What a condition cannot stand around without changing tables."""


class Expander:
    """The stream."""

    def __init__(self, text: str, source: str, load: Load, problems: list[ReadingProblem]) -> None:
        self.problems = problems
        self._files = Files(text, source, load, problems)
        tokens = self._files.main
        self._sources = OpenFiles(source, tokens)
        self._allowed = MAX_PUSHED + 5 * len(tokens)
        self._known = Definitions(problems)
        self._switches: dict[str, bool] = dict(_ENGINES)
        self._conditionals: list[bool] = []  # whether each open one was decided
        self._runaway: set[str] = set()
        self._undecided: dict[tuple[str, str], bool] = {}
        """Conditions by name and file: whether what stands in tables is certain all the same."""
        self._sealed: dict[str, list[Token]] = {}
        self._at_begin: list[Token] = []
        """What packages and the preamble put off until the document begins."""
        self._documents: set[str] = set()  # files in which one begins
        self.has_document = any(
            token.is_command("begin") and written(tokens[index + 1 : index + 4]) == "{document}"
            for index, token in enumerate(tokens)
        )

    @property
    def column_types(self) -> dict[str, Macro]:
        """The \\newcolumntype definitions so far."""
        return self._known.column_types

    def doubts(self) -> Iterator[ReadingProblem]:
        """What could change what is printed, in the files read so far, beyond what is followed here."""
        return self._files.doubts()

    def next(self) -> Token | None:
        """The next token after expansion, or None at the end."""
        while (token := self._sources.next()) is not None:
            keep_reading()
            if token.kind == "{":
                self._known.scopes.append(("{", []))
            elif token.kind == "}":
                self._known.close_scope("{")
            elif token.kind == "command" and self._obeyed(token):
                continue
            return token
        return None

    def _obeyed(self, token: Token) -> bool:
        """Obeys or expands a command. False if it is left to the reader of the stream."""
        name, sources = token.text, self._sources
        if sources.pushed > self._allowed:
            self.problems.append(token.problem("macros expand without end: the rest is not read"))
            sources.drop_until(None)
            return True
        if name in ("sealed", "sealedcell") and self._sealed_number(token):
            return True
        macro = self._known.macros.get(name)
        if macro is not None and token.depth != FROZEN:
            return self._expanded(token, macro)
        if self._known.obeyed(token, sources):
            return True
        if (asked := _ASKS.fullmatch(name)) is not None:
            self._answer(asked)
        elif name in _STYLES:
            self._read_styles(token)
        elif name in _INPUT:
            self._put_in(token)
        elif name == "AtBeginDocument":
            self._at_begin += sources.argument()
        elif name == "endinput":
            sources.drop_file()
        elif name in ("csname", "@nameuse", "csuse"):
            sources.expand([self._named(token)])
        elif name == "expandafter":
            first, following = sources.next(), sources.peek()
            if following is not None and following.is_command("csname"):
                sources.next()
                sources.expand([self._named(following)])
            sources.push([first] if first is not None else [])
        elif name in ("begingroup", "bgroup"):
            self._known.scopes.append(("{", []))
        elif name in ("endgroup", "egroup"):
            self._known.close_scope("{")
        elif name == "begin":
            return self._begin(token)
        elif name == "end":
            return self._end(token)
        else:
            return self._decided(token)
        return True

    def _sealed_number(self, token: Token) -> bool:
        """Recomputed numbers, as `sealtrace macros` writes them: kept by name, or put where they are asked for."""
        if token.text == "sealed" and not self._sealed:
            return False
        key = "@".join(" ".join(written(self._sources.argument()).split()) for _ in range(3))
        if token.text == "sealedcell":
            self._sealed[key] = self._sources.argument()
        elif key in self._sealed:
            self._sources.expand(_instantiate(self._sealed[key], [], token, token.end))
        else:
            self.problems.append(token.problem(f"no sealed cell is called {key}"))
        return True

    def _named(self, token: Token) -> Token:
        """The command that \\csname a1\\endcsname or \\csuse{a1} spells."""
        if token.text == "csname":
            spelled = self._sources.delimited((token._replace(text="endcsname"),)) or []
        else:
            spelled = self._sources.argument()
        return token._replace(text=self._spelled(spelled), depth=token.depth + 1)

    # Calls

    def _expanded(self, call: Token, macro: Macro) -> bool:
        if call.depth > MAX_DEPTH:
            if call.text not in self._runaway:
                self._runaway.add(call.text)
                self.problems.append(call.problem(f"\\{call.text} calls itself without end"))
            return False
        arguments, end = self._arguments(call, macro)
        self._sources.expand(_instantiate(macro.body, arguments, call, end))
        return True

    def _arguments(self, call: Token, macro: Macro) -> tuple[list[list[Token]], int]:
        """Arguments of a call, and the offset at which the call ends."""
        if macro.signature is not None:
            return [self._signed(letter, default, call) for letter, default in macro.signature], call.end
        end = call.end
        arguments: list[list[Token]] = []
        for expected in macro.delimiters[0] if macro.delimiters else ():
            following = self._sources.peek()
            if following is not None and (following.kind, following.text) == (expected.kind, expected.text):
                self._sources.next()
        for number in range(macro.parameters):
            if number == 0 and macro.default is not None:
                option = self._sources.option()
                arguments.append(_instantiate(macro.default, [], call, call.end) if option is None else option)
                continue
            delimiter = macro.delimiters[number + 1] if macro.delimiters else ()
            found = self._sources.delimited(delimiter) if delimiter else self._sources.argument()
            if found is None:
                self.problems.append(call.problem(f"a call of \\{call.text} whose end is not found"))
                # A stray token, so that a table in which this happens is refused.
                found = [call._replace(kind="stray", text="")]
            arguments.append(found)
            last = self._sources.last
            if last is not None and last.file is call.file:
                end = max(end, last.end)
        return arguments, end

    # Arguments and packages

    def _signed(self, letter: str, default: list[Token], call: Token) -> list[Token]:
        """An argument by its letter in a signature, behind which its delimiters stand."""
        kind, delimiters = letter[0], letter[1:] or "[]"
        if kind in "st":
            following = self._sources.peek()
            there = following is not None and following.text == ("*" if kind == "s" else delimiters)
            if there:
                self._sources.next()
            return [call._replace(kind="command", text=_TRUE if there else _FALSE)]
        if kind in "oOrRdD":
            option = self._sources.option(delimiters) if len(delimiters) == 2 else None
            absent = default if kind in "ORD" else [call._replace(kind="command", text=_NO_VALUE)]
            return absent if option is None else option
        return self._sources.argument()

    def _answer(self, asked: re.Match[str]) -> None:
        """\\IfBooleanTF and its like: pushes the branch that holds."""
        sources = self._sources
        about = sources.argument()
        holds = written(about) == {"Boolean": f"\\{_TRUE}", "NoValue": f"\\{_NO_VALUE}"}.get(asked.group(1), "")
        if asked.group(1) == "Value":
            holds = written(about) != f"\\{_NO_VALUE}"
        branches = {branch: sources.argument() for branch in asked.group(2)}
        sources.expand(branches.get("T" if holds else "F", []))

    def _read_styles(self, token: Token) -> None:
        """Takes the definitions of packages or a class that lie beside the document."""
        option = self._sources.option()
        asked = [name.strip() + _STYLES[token.text] for name in written(self._sources.argument()).split(",")]
        if asked == ["subfiles.cls"] and option:
            asked = [written(option)]  # the document that it is a part of, and whose macros it uses
        while asked:
            style = self._files.style(asked.pop(0))
            if style is not None:
                required, switches = self._known.take_package(style)
                self._switches.update(dict.fromkeys(switches, False))
                asked += [f"{name.strip()}.sty" for name in required]

    # Environments

    def _begin(self, token: Token) -> bool:
        name = written(self._sources.group_ahead())
        if name == "document" and self._at_begin:
            put_off, self._at_begin = self._at_begin, []
            self._sources.expand([token, *braced(token, self._sources.argument()), *put_off])
            return True
        self._known.scopes.append(("begin", []))
        if name == "document":
            self._documents.add(token.file.name)
        own = self._known.environments.get(name)
        if own is None:
            return False
        self._sources.argument()
        return self._expanded(token, own[0])

    def _end(self, token: Token) -> bool:
        name = written(self._sources.group_ahead())
        if any(opened == "begin" for opened, _earlier in self._known.scopes[-MAX_DEPTH:]):
            self._known.close_scope("begin")
        own = self._known.environments.get(name)
        if own is not None and token.depth <= MAX_DEPTH:
            self._sources.argument()
            last = self._sources.last
            end = last.end if last is not None and last.file is token.file else token.end
            self._sources.expand(_instantiate(own[1], [], token, end))
            return True
        if name == "document":
            if len(self._sources.opened) > 1 and token.file.name in self._documents:
                self._sources.drop_file()  # a file that is a document of its own ends by itself
            else:
                # Nothing after it is printed, unless it is another file that was put behind this one.
                self._sources.drop_until(self._files.after_document(token))
            return True
        return False

    # Conditionals

    def _decided(self, token: Token) -> bool:
        """True if the token is a part of a conditional, and is obeyed here."""
        name = token.text
        if name == "newif":
            target = self._sources.argument()
            if target and target[0].kind == "command":
                self._switches[target[0].text] = False
        elif name.endswith("true") and f"if{name[:-4]}" in self._switches:
            self._switches[f"if{name[:-4]}"] = True
        elif name.endswith("false") and f"if{name[:-5]}" in self._switches:
            self._switches[f"if{name[:-5]}"] = False
        elif (switch := _SWITCH.fullmatch(name)) is not None:
            self._set_switch(switch)
        elif name in ("ifbool", "iftoggle", "notbool", "nottoggle") and (
            held := self._switches.get(f"{written(self._sources.group_ahead())} ")
        ) in (True, False):
            self._sources.argument()
            self._choose(held is name.startswith("if"))
        elif name == "ifthenelse" and (equal := _equal(self._sources.group_ahead())) is not None:
            self._sources.argument()
            self._choose(equal)
        elif name in ("ifstrempty", "ifblank"):
            self._choose(not written(self._sources.argument()))
        elif name == "ifstrequal":
            first = self._sources.argument()
            self._choose(written(first) == written(self._sources.argument()))
        elif name in ("IfFileExists", "InputIfFileExists"):
            file = written(self._sources.argument())
            there = self._files.holds(file, token)
            branches = [self._sources.argument() for _ in range(2)]
            if there and name.startswith("Input"):
                self._put_in(token, file)
            self._sources.expand(branches[0] if there else branches[1])  # in front of the file
        elif name in ("@ifnextchar", "@ifstar"):
            self._next_character(token)
        elif name in _DEFINED:
            asked = self._sources.argument()
            self._choose(self._known.knows(written(asked).lstrip("\\")) is _DEFINED[name])
        elif name in ("ifdefined", "iftrue", "iffalse") or name in self._switches or self._asks_width(name):
            self._conditionals.append(True)
            holds = self._switches.get(name, name == "iftrue")
            if name == "ifdefined":
                holds = self._known.knows(written(self._sources.argument()).lstrip("\\"))
            if not holds:
                self._skip_branch(token)
        elif name == "else":
            if self._conditionals and self._conditionals[-1]:
                self._skip_branch(token)
        elif name == "fi":
            if self._conditionals:
                self._conditionals.pop()
        elif is_undecided(name):
            if name not in _BRANCHES_IN_BRACES:
                self._conditionals.append(False)
            key = (name, token.file.name)
            if not self._undecided.get(key, True):
                return False
            inside = None if name in _BRANCHES_IN_BRACES else self._sources.condition_ahead()
            certain = inside is not None and (prints_nothing(inside) or self._only_says(inside))
            if self._undecided.get(key) is not certain:
                self._undecided[key] = certain
                message = f"\\{name} is not evaluated: all its branches are read"
                self.problems.append(token.problem(message, warning=True, certain=certain))
            return False
        else:
            return False
        return True

    def _only_says(self, tokens: list[Token]) -> bool:
        """Whether tokens define nothing and hold no table; one that holds a condition is refused."""
        called = {token.text for token in tokens if token.kind == "command"}
        switches = {f"{name[2:]}{to}" for name in self._switches for to in ("true", "false")}
        changing = _DECIDING | switches | self._known.macros.keys() | (_STYLES.keys() if self._files.styles else set())
        return called.isdisjoint(changing)

    def _asks_width(self, name: str) -> bool:
        """\\ifdim\\width>\\linewidth: whether a table is scaled down; it is taken not to be."""
        following = self._sources.peek() if name == "ifdim" else None
        return following is not None and following.is_command("width")

    def _set_switch(self, switch: re.Match[str]) -> None:
        """\\newbool{x}, \\booltrue{x}, \\setbool{x}{true}: switches of etoolbox, told from others by a blank."""
        name = f"{written(self._sources.argument())} "
        to = written(self._sources.argument()) if switch["set"] else switch["to"]
        self._switches[name] = to == "true"

    def _next_character(self, token: Token) -> None:
        """@ifnextchar and @ifstar: chooses by what stands behind the branches."""
        star = token.text == "@ifstar"
        asked = [token._replace(kind="*", text="*")] if star else self._sources.argument()
        branches = [self._sources.argument() for _ in range(2)]
        following = self._sources.ahead()
        opening = bool(asked) and asked[0].is_command("bgroup")
        wanted = ("{", "{") if opening else (asked[0].kind, asked[0].text) if asked else None
        holds = following is not None and (following.kind, following.text) == wanted
        if holds and star:
            self._sources.next()
        self._sources.expand(branches[0] if holds else branches[1])

    def _choose(self, holds: bool) -> None:
        branches = [self._sources.argument() for _ in range(2)]
        self._sources.expand(branches[0] if holds else branches[1])

    def _skip_branch(self, opening: Token) -> None:
        """Leaves out tokens to the \\else or \\fi of the innermost open conditional."""
        depth = 0
        while (token := self._sources.next()) is not None:
            if token.kind != "command":
                continue
            if is_undecided(token.text):
                depth += token.text not in _BRANCHES_IN_BRACES
            elif token.text == "fi":
                if depth == 0:
                    self._conditionals.pop()
                    return
                depth -= 1
            elif token.text == "else" and depth == 0 and opening.text != "else":
                return  # what follows is the branch that holds
        self.problems.append(opening.problem(f"\\{opening.text} without \\fi: the rest is not read"))

    # Files

    def _put_in(self, token: Token, name: str = "") -> None:
        name = name or self._file_name(token)
        if not name:
            self.problems.append(token.problem(f"\\{token.text} names no file", warning=True))
            return
        self._allowed += 5 * self._files.put_in(name, token, self._sources)

    def _file_name(self, token: Token) -> str:
        sources = self._sources
        following = sources.ahead()
        if following is not None and following.kind == "{":
            name = self._spelled(sources.argument())
            if token.text in ("import", "subimport"):
                name += self._spelled(sources.argument())
            return name.strip('"')
        name = ""
        while (following := sources.peek()) is not None and following.kind in ("text", "_"):
            name += following.text
            sources.next()
        return name

    def _spelled(self, tokens: list[Token]) -> str:
        """The name of a file with the macros in it that take no argument: `\\input{\\tabdir/main}`."""
        for _ in range(MAX_DEPTH):
            macros = [self._known.macros.get(token.text) if token.kind == "command" else None for token in tokens]
            if not any(macro is not None and not macro.parameters for macro in macros):
                break
            tokens = [
                inner
                for token, macro in zip(tokens, macros, strict=True)
                for inner in (macro.body if macro is not None and not macro.parameters else [token])
            ][:LONGEST_NAME]
        return written(tokens)


def _equal(test: list[Token]) -> bool | None:
    """Whether \\equal{a}{b} holds; None where it is another test, or where only TeX knows what it compares."""
    stream = TokenStream(test)
    asked = stream.next()
    texts = stream.argument(), stream.argument()
    unknown = any(token.kind == "command" for text in texts for token in text)
    if asked is None or not asked.is_command("equal") or unknown or stream.ahead() is not None:
        return None
    return written(texts[0]) == written(texts[1])


def _instantiate(body: list[Token], arguments: list[list[Token]], call: Token, end: int) -> list[Token]:
    """A macro's body at the place of its call, with the arguments where they were written."""
    depth = call.depth + 1
    result: list[Token] = []
    for token in body:
        if token.kind == "param" and not token.text.startswith("##"):
            number = int(token.text[1:])
            result += [
                inner._replace(depth=depth) if inner.kind == "command" and inner.depth < depth else inner
                for inner in (arguments[number - 1] if number <= len(arguments) else [])
            ]
            continue
        text = token.text[1:] if token.kind == "param" else token.text
        kept = FROZEN if token.depth == FROZEN else depth
        result.append(Token(token.kind, text, call.file, call.start, end, kept))
    return result
