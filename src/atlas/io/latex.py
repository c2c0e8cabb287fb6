"""Text as LaTeX that compiles."""

from __future__ import annotations

import unicodedata

MATHEMATICS = {
    **{"α": r"\alpha", "γ": r"\gamma", "δ": r"\delta", "θ": r"\theta", "λ": r"\lambda"},
    **{"μ": r"\mu", "ν": r"\nu", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "φ": r"\phi"},
    **{"ω": r"\omega", "Ω": r"\Omega", "⟹": r"\Longrightarrow", "⊂": r"\subset", "∪": r"\cup"},
    **{"Γ": r"\Gamma", "Δ": r"\Delta", "Φ": r"\Phi", "Σ": r"\Sigma", "∏": r"\prod", "∞": r"\infty"},
    **{"→": r"\to", "≤": r"\le", "≥": r"\ge", "≈": r"\approx", "∼": r"\sim", "≫": r"\gg"},
    **{"∅": r"\emptyset", "⇒": r"\Rightarrow", "√": r"\surd", "∑": r"\sum", "≪": r"\ll"},
    **{"β": r"\beta", "ε": r"\epsilon", "η": r"\eta", "ξ": r"\xi", "τ": r"\tau", "ζ": r"\zeta"},
    **{"∫": r"\int", "χ": r"\chi", "κ": r"\kappa", "ψ": r"\psi", "∩": r"\cap"},
    **{"×": r"\times", "·": r"\cdot", "∈": r"\in", "∀": r"\forall", "≠": r"\ne", "±": r"\pm"},
    **{"ℓ": r"\ell", "𝓩": r"\mathcal{Z}"},
    **{"⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor"},
}

# Combining marks, with commands that every LaTeX font encoding has; from the dot below on, they
# stand under the letter.
ACCENTS = {
    **{"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u0304": "="},
    **{"\u0307": ".", "\u0306": "u ", "\u030c": "v ", "\u030a": "r ", "\u030b": "H "},
    **{"\u0323": "d ", "\u0327": "c ", "\u0331": "b "},
}
BELOW = {"d ", "c ", "b "}

# Letters that the fonts of the encoding OT1 lack: they are set in T1, which LaTeX always knows. A
# second pair of braces keeps BibTeX from changing the encoding to lower case.
FURTHER = {
    **{"đ": r"\dj", "Đ": r"\DJ", "ð": r"\dh", "Ð": r"\DH", "þ": r"\th", "Þ": r"\TH"},
    **{"ŋ": r"\ng", "Ŋ": r"\NG", "«": r"\guillemotleft", "»": r"\guillemotright"},
    **{"‹": r"\guilsinglleft", "›": r"\guilsinglright"},
    **{"„": r"\quotedblbase", "‚": r"\quotesinglbase", '"': r"\textquotedbl"},
    **{unicodedata.normalize("NFC", f"{c}\u0328"): rf"\k{{{c}}}" for c in "AaEeIiOoUu"},
}
SIGNS = {
    **{"™": r"\texttrademark{}", "‰": r"\textperthousand{}", "†": r"\dag{}", "‡": r"\ddag{}"},
    **{"¶": r"\P{}", "ª": r"\textordfeminine{}", "º": r"\textordmasculine{}", "¬": r"$\neg$"},
    **{"¥": r"\textyen{}", "¢": r"\textcent{}", "№": r"\textnumero{}", "¦": r"\textbrokenbar{}"},
    **{"¼": r"$\frac14$", "¾": r"$\frac34$", "‑": r"\mbox{-}", "‒": "--", "―": "---"},
    **{c: rf"{{\textcommabelow{{{unicodedata.normalize('NFD', c)[0]}}}}}" for c in "șȘțȚ"},
}


def _accented(letter: str) -> str | None:
    """A Latin letter with one mark, such as ñ, in the form that BibTeX takes for one letter; None
    for any other."""
    base, *marks = unicodedata.normalize("NFD", letter)
    accent = ACCENTS.get("".join(marks))
    if accent is None or not base.isascii():
        return None
    dotless = base in "ij" and accent not in BELOW
    return rf"{{\{accent}{chr(92) * dotless}{base}}}"


LATIN = {c: _accented(c) for c in map(chr, (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)))}
ESCAPES = str.maketrans(
    {
        **{letter: latex for letter, latex in LATIN.items() if latex},
        **{c: rf"{{{{\fontencoding{{T1}}\selectfont{latex}}}}}" for c, latex in FURTHER.items()},
        **SIGNS,
        **{"ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "ı": r"{\i}"},
        **{"æ": r"{\ae}", "Æ": r"{\AE}", "œ": r"{\oe}", "Œ": r"{\OE}", "¿": "{?`}", "¡": "{!`}"},
        **{"€": r"\texteuro{}", "£": r"\pounds{}", "°": r"\textdegree{}", "§": r"\S{}"},
        **{"©": r"\copyright{}", "®": r"\textregistered{}", "•": r"\textbullet{}"},
        **{"µ": r"$\mu$", "÷": r"$\div$", "—": "---", "‘": "`", "\xa0": "~", "\u202f": r"\,"},
        "\\": r"\textbackslash{}",
        **{c: rf"\{c}" for c in "&%$#_"},
        # BibTeX counts braces, escaped or not.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        **{"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "…": r"\dots{}",
        "−": "$-$",
        **{c: f"${{}}^{n}$" for n, c in enumerate("⁰¹²³⁴")},
        **{c: f"$_{n}$" for n, c in enumerate("₀₁₂₃")},
        "–": "--",
        "’": "'",
        "½": r"$\frac12$",
        "′": "${}'$",
        "“": "``",
        "”": "''",
        **{symbol: f"${command}$" for symbol, command in MATHEMATICS.items()},
    }
)


def escape(text: str) -> str:
    """`text` as LaTeX that prints it, in ASCII.

    Raises `ValueError` at a character that is not known here.
    """
    escaped = unicodedata.normalize("NFC", text).translate(ESCAPES)
    if not escaped.isascii():
        strange = sorted({c for c in escaped if not c.isascii()})
        raise ValueError(f"no LaTeX for {', '.join(strange)} in {text!r}")
    return escaped
