r"""Formulas in running text as LaTeX mathematics: `p_n = n^-α` becomes `$p_n = n^{-\alpha}$`.

Captions and titles are plain text with Unicode symbols, which every medium can show. A small
grammar finds the formulas:

    formula  = operand {operator operand | group | space (function | mean)}
    operand  = number | symbol | mean | function operand | group
    symbol   = a letter by itself or a Greek one, with an index (n1, p_n, Y_{d}), a star, a power;
               or a sum, a product or an integral, with its limits
    mean     = E[formula] or P(formula)
    group    = formulas separated by commas, in brackets or parentheses, with a power

A formula without a symbol is a number and stays text, except for powers of ten. A lone `a`, `A` or
`I` stays text as a word, and so does Kendall's M/G/1. Text between backticks is a name, and is set
in typewriter type. All other text is escaped.
"""

from __future__ import annotations

import re
import unicodedata

from atlas.io.latex import MATHEMATICS, escape

GREEK = "α-ωΑ-Ω"
# Other letters of words; no letter of a word is a symbol.
LATIN = "°µÀ-ÖØ-öø-ɏḀ-ỿ"
FUNCTIONS = {"ln": r"\ln ", "log": r"\log ", "exp": r"\exp ", "max": r"\max ", "min": r"\min "}
POWERS = {"²": "2", "³": "3", "⁴": "4", "⁻¹": "-1"}
OPERATORS = "=<>≤≥≈∼≠∈→⇒≪≫+−·×±/"
BINARY = {"−": "-", **{c: c for c in "=<>+-/"}}
PAIRS = {"(": ")", "[": "]"}

SUMS = "∏∑∫∪∩"
SCRIPT = rf"\{{([A-Za-z0-9ℓ{GREEK}{SUMS}\[\]()⌊⌋_*=∈⊂≤𝓩,./+−\- ]+)\}}"

# Not a letter of a word, nor the s of a genitive, of 2.5 s or of jobs/s, nor the h of hours.
SYMBOL = re.compile(
    rf"(?!(?:(?<=[0-9] )|(?<=[0-9]/)|(?<=[a-z]{{2}}/))[sh](?![A-Za-z0-9_^*(]| ?[=<>≤≥]))"
    rf"(?<![A-Za-z0-9{GREEK}{LATIN}'’.\\@])([A-Za-zℓ{GREEK}{SUMS}])"
    rf"(?:_(?:{SCRIPT}|([A-Za-z0-9{GREEK}]+))|([0-9])|(?<=[{GREEK}])((?!E\[|P\()[A-Za-z]))?"
    r"(\^?\*)?(′)?"
    rf"(?!(?!(?<=[{GREEK}])(?:E\[|P\())[A-Za-z0-9{GREEK}{LATIN}'’])"
)
RAISED = re.compile(
    rf"\^(?:{SCRIPT}|\(([A-Za-z0-9{GREEK}./+−\- ]+)\)"
    rf"|([-−]\([A-Za-z0-9{GREEK}./+−\- ]+\)|[-−]?(?:[0-9]+(?:\.[0-9]+)?|[A-Za-zℓ∞{GREEK}])))"
)
NUMBER = re.compile(
    r"(?<![A-Za-z0-9.])((?:(?<![)\]])−)?[0-9]+(?:\.[0-9]+)?)(?:e([-+]?[0-9]+))?(?![A-Za-z0-9])"
)
# Text between backticks: names of parameters and files, and commands.
NAMED = re.compile("`([^`]+)`")
# Kendall's M/G/1 and M/M/c/K, 6(a) or (b), Erlang's C, and the cells A and B.
LABEL = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{1,3}(?:/(?:[A-Za-z0-9]+|∞)){2,4}(?![A-Za-z0-9])"
    r"|[0-9]*\([a-z](?:, ?[a-z])*\)(?![A-Za-z0-9])"
    r"|Erlang(?:['’]s)? [BC](?![A-Za-z0-9_(])"
    r"|(?:[Cc]ells?|[Pp]anels?) [A-Z](?:(?:, | and | or )[A-Z])*(?![A-Za-z0-9'’]))"
)
FUNCTION = re.compile(rf"(?<![A-Za-z])({'|'.join(FUNCTIONS)}) ")
OPERATOR = re.compile(rf"( ?)([{re.escape(OPERATORS)}])\1| (-|mod) ")
WORDS = {"a", "A", "I"}


def formulate(text: str) -> str:
    """Running text as LaTeX, its formulas as mathematics; in ASCII.

    Raises `ValueError` at a character without LaTeX, as `escape` does.
    """
    text = unicodedata.normalize("NFC", text)
    if named := NAMED.search(text):
        before, after = text[: named.start()], text[named.end() :]
        return rf"{formulate(before)}\texttt{{{escape(named[1])}}}{formulate(after)}"
    parts, plain, at = [], 0, 0
    while at < len(text):
        if label := LABEL.match(text, at):
            at = label.end()
            continue
        end, latex, symbolic = _formula(text, at)
        lone = text[at:end] in WORDS
        if end > at and not lone and (symbolic or "^" in latex):
            parts += [_prose(text[plain:at]), f"${latex}$"]
            plain = at = end
        else:
            at = max(end, at + 1)
    return "".join([*parts, _prose(text[plain:])])


def _prose(text: str) -> str:
    # A formula may end before the text.
    return re.sub(r"(?:(?<=[0-9])|^) (?=\\%)", r"\\,", escape(text))


# A parser function takes the text and a position. It returns the end of its match (the position
# itself if there is none), its LaTeX, and whether a symbol occurs in it.
Read = tuple[int, str, bool]


def _formula(text: str, at: int) -> Read:
    end, latex, symbolic = _operand(text, at)
    if end == at:
        return at, "", False
    while True:
        operator = OPERATOR.match(text, end)
        if operator:
            then, more, also = _operand(text, operator.end())
            sign = _sign(operator[2] or operator[3])
            gap = " " if operator[3] or operator[1] else ""
            joined = f"{gap}{sign}{gap or ' ' * sign.startswith(chr(92))}{more}"
            found = then > operator.end()
        elif text[end : end + 1] in PAIRS:
            then, joined, also = _group(text, end)
            found = then > end
        else:
            then, joined, also = end, "", False
            if text[end : end + 1] == " " and symbolic:
                then, joined, also = _applied(text, end + 1)
                joined = rf"\,{joined}"
            found = then > end + 1
        if not found:
            return end, latex, symbolic
        end, latex, symbolic = then, latex + joined, symbolic or also


def _operand(text: str, at: int) -> Read:
    for read in (_applied, _group, _symbol, _number):
        end, latex, symbolic = read(text, at)
        if end > at:
            return end, latex, symbolic
    return at, "", False


def _applied(text: str, at: int) -> Read:
    """A function of an operand, or a mean or probability."""
    if function := FUNCTION.match(text, at):
        end, inner, symbolic = _operand(text, function.end())
        if end > function.end() and symbolic:
            return end, FUNCTIONS[function[1]] + inner, True
    preceded = at > 0 and text[at - 1].isalnum() and text[at - 1] not in MATHEMATICS
    if text[at : at + 2] in ("E[", "P(") and not preceded:
        end, inner, _ = _group(text, at + 1)
        if end > at + 1:
            return end, rf"\mathrm{{{text[at]}}}{inner}", True
    return at, "", False


def _group(text: str, at: int) -> Read:
    if text[at : at + 1] not in PAIRS:
        return at, "", False
    inside, parts, symbolic = at + 1, [], False
    while True:
        end, latex, also = _formula(text, inside)
        if end == inside:
            return at, "", False
        parts.append(latex)
        symbolic = symbolic or also
        if text[end : end + 1] == PAIRS[text[at]]:
            end, above = _power(text, end + 1)
            return end, f"{text[at]}{', '.join(parts)}{PAIRS[text[at]]}{above}", symbolic
        comma = re.compile(", ?").match(text, end)
        if not comma:
            return at, "", False
        inside = comma.end()


def _symbol(text: str, at: int) -> Read:
    match = SYMBOL.match(text, at)
    if not match:
        return at, "", False
    letter, braced, index, digit, second, star, prime = match.groups()
    below = braced or index or digit or second
    latex = _letters(letter)
    if below:
        latex += f"_{_script(below)}"
    end, above = _power(text, match.end(), ("\\prime " if prime else "") + ("*" if star else ""))
    return end, latex + above, True


def _power(text: str, at: int, above: str = "") -> tuple[int, str]:
    """The end of a power that stands at a position, if one does, and the power with what stands
    above too, as LaTeX."""
    end = at
    for power, digits in POWERS.items():
        if text.startswith(power, at):
            end, above = at + len(power), above + digits
            break
    else:
        if raised := RAISED.match(text, at):
            end, above = raised.end(), above + _inner(raised[1] or raised[2] or raised[3])
    return end, f"^{_brace(above)}" if above else ""


def _number(text: str, at: int) -> Read:
    match = NUMBER.match(text, at)
    if not match:
        return at, "", False
    digits, exponent = match[1].replace("−", "-"), match[2]
    if exponent is None:
        raised = RAISED.match(text, match.end())
        if not raised:
            return match.end(), digits, False
        power = _inner(raised[1] or raised[2] or raised[3])
        return raised.end(), f"{digits}^{{{power}}}", False
    factor = digits[:-1] if digits in ("1", "-1") else rf"{digits} \cdot "
    return match.end(), rf"{factor}10^{{{int(exponent)}}}", False


def _script(text: str) -> str:
    """An index; a word is set upright."""
    word = len(text) > 1 and text.isascii() and text.isalpha()
    return rf"\mathrm{{{text}}}" if word else _brace(_inner(text))


def _inner(text: str) -> str:
    """A formula within mathematics."""
    latex = re.sub(r"(\\[A-Za-z]+)\$+(?=[A-Za-z])", r"\1 ", formulate(text)).replace("$", "")
    return _letters(text) if r"\text" in latex else latex


def _brace(latex: str) -> str:
    return latex if len(latex) == 1 else f"{{{latex}}}"


def _sign(sign: str) -> str:
    return BINARY.get(sign) or (r"\bmod" if sign == "mod" else MATHEMATICS[sign])


def _letters(text: str) -> str:
    """Letters, digits and signs within mathematics."""
    signs = text.replace("−", "-")
    named = (f"{MATHEMATICS[c]} " if c in MATHEMATICS else escape(c) for c in signs)
    return "".join(named).strip()
