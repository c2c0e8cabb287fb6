"""Text as LaTeX that compiles."""

from __future__ import annotations

MATHEMATICS = {
    **{"α": r"\alpha", "γ": r"\gamma", "δ": r"\delta", "θ": r"\theta", "λ": r"\lambda"},
    **{"μ": r"\mu", "ν": r"\nu", "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "φ": r"\phi"},
    **{"ω": r"\omega", "Ω": r"\Omega", "⟹": r"\Longrightarrow", "⊂": r"\subset", "∪": r"\cup"},
    **{"Γ": r"\Gamma", "Δ": r"\Delta", "Φ": r"\Phi", "Σ": r"\Sigma", "∏": r"\prod", "∞": r"\infty"},
    **{"→": r"\to", "≤": r"\le", "≥": r"\ge", "≈": r"\approx", "∼": r"\sim", "≫": r"\gg"},
    **{"∅": r"\emptyset", "⇒": r"\Rightarrow", "√": r"\surd", "∑": r"\sum", "≪": r"\ll"},
    **{"β": r"\beta", "ε": r"\epsilon", "η": r"\eta", "ξ": r"\xi", "τ": r"\tau", "ζ": r"\zeta"},
    **{"∫": r"\int", "χ": r"\chi", "κ": r"\kappa", "ω": r"\omega", "ψ": r"\psi", "∩": r"\cap"},
    **{"×": r"\times", "·": r"\cdot", "∈": r"\in", "∀": r"\forall", "≠": r"\ne", "±": r"\pm"},
    **{"ℓ": r"\ell", "𝓩": r"\mathcal{Z}"},
    **{"⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor"},
}

ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{c: rf"\{c}" for c in "&%$#_"},
        # BibTeX counts braces, escaped or not.
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        **{"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "…": r"\dots{}",
        "é": r"{\'e}",
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

    Raises `ValueError` on a character that is not known here, rather than leave it to LaTeX.
    """
    escaped = text.translate(ESCAPES)
    if not escaped.isascii():
        strange = sorted({c for c in escaped if not c.isascii()})
        raise ValueError(f"no LaTeX for {', '.join(strange)} in {text!r}; add it to latex.py")
    return escaped
