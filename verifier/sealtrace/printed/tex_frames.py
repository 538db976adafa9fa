"""Lists of tokens that are being read, one on top of the other: files, and in front of them what macros became."""

from __future__ import annotations

from sealtrace.printed.tex_tokens import BLANK, Token, match_braces

_SEARCH = 2000  # tokens in which the end of an optional or delimited argument is looked for


class Frame:
    """One list. Braces always match within it."""

    def __init__(self, tokens: list[Token], closing: dict[int, int], name: str | None = None) -> None:
        self.tokens = tokens
        self.closing = closing
        self.name = name
        """Of the file."""
        self.index = 0


class Frames:
    """The stack. Nothing is expanded here."""

    def __init__(self) -> None:
        self.stack: list[Frame] = []
        self.pushed = 0
        """How many tokens were put in front so far."""

    def next(self) -> Token | None:
        while self.stack:
            frame = self.stack[-1]
            if frame.index < len(frame.tokens):
                frame.index += 1
                return frame.tokens[frame.index - 1]
            self.stack.pop()
        return None

    def peek(self, *, blanks: bool = False) -> Token | None:
        """The next token; white space before it is passed over unless asked for."""
        while self.stack:
            frame = self.stack[-1]
            if frame.index == len(frame.tokens):
                self.stack.pop()
            elif not blanks and frame.tokens[frame.index].kind in BLANK:
                frame.index += 1
            else:
                return frame.tokens[frame.index]
        return None

    def push(self, tokens: list[Token]) -> None:
        """Puts tokens in front."""
        self.pushed += len(tokens) + 1
        if tokens:
            tokens, closing, _problems = match_braces(tokens)
            self.stack.append(Frame(tokens, closing))

    def drop_file(self) -> None:
        """Leaves the file that is being read."""
        while self.stack:
            if self.stack.pop().name is not None:
                return

    def star(self) -> None:
        token = self.peek()
        if token is not None and token.kind == "*":
            self.next()

    def argument(self) -> tuple[list[Token], Token | None]:
        """A group without its braces or one token, and the last token that was taken."""
        token = self.peek()
        if token is None or token.kind == "}":
            return [], None
        frame = self.stack[-1]
        if token.kind == "{":
            begin, end = frame.index + 1, frame.closing[frame.index]
            frame.index = end + 1
            return frame.tokens[begin:end], frame.tokens[end]
        frame.index += 1
        if token.kind == "text" and len(token.text) > 1:
            self.push([token._replace(text=token.text[1:], start=token.start + 1)])
            token = token._replace(text=token.text[0], end=token.start + 1)
        return [token], token

    def peek_group(self) -> list[Token]:
        """The group that stands here, without its braces and without taking it."""
        token = self.peek()
        if token is None or token.kind != "{":
            return []
        frame = self.stack[-1]
        return frame.tokens[frame.index + 1 : frame.closing[frame.index]]

    def option(self) -> list[Token] | None:
        """An optional argument, if one stands here."""
        token = self.peek()
        if token is None or token.kind != "[":
            return None
        frame = self.stack[-1]
        index = frame.index + 1
        while index < min(len(frame.tokens), frame.index + _SEARCH):
            kind = frame.tokens[index].kind
            if kind == "]":
                taken = frame.tokens[frame.index + 1 : index]
                frame.index = index + 1
                return taken
            index = frame.closing[index] + 1 if kind == "{" else index + 1
        return None

    def delimited(self, delimiter: tuple[Token, ...]) -> tuple[list[Token], Token] | None:
        """What stands before a delimiter, and the delimiter's last token; None if it is not found."""
        if self.peek(blanks=True) is None:
            return None
        frame = self.stack[-1]
        wanted = [(token.kind, token.text) for token in delimiter]
        index = frame.index
        while index < min(len(frame.tokens), frame.index + _SEARCH):
            token = frame.tokens[index]
            if [(token.kind, token.text) for token in frame.tokens[index : index + len(wanted)]] == wanted:
                taken = frame.tokens[frame.index : index]
                frame.index = index + len(wanted)
                return taken, frame.tokens[frame.index - 1]
            if len(wanted) == 1 and token.kind == "text" == wanted[0][0] and wanted[0][1] in token.text:
                return self._inside(index, wanted[0][1])
            index = frame.closing[index] + 1 if token.kind == "{" else index + 1
        return None

    def _inside(self, index: int, delimiter: str) -> tuple[list[Token], Token]:
        """The same where the delimiter is a part of a text token."""
        frame = self.stack[-1]
        token = frame.tokens[index]
        before, _delimiter, after = token.text.partition(delimiter)
        middle = token.start + len(before)
        taken = [*frame.tokens[frame.index : index], token._replace(text=before, end=middle)]
        frame.index = index + 1
        if after:
            self.push([token._replace(text=after, start=token.end - len(after))])
        return taken, token._replace(end=middle + len(delimiter))
