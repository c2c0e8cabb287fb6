"""The media type and a line of description for each file of an archive, by its name."""

from __future__ import annotations

from pathlib import PurePosixPath

# The standard library's table of these depends on the machine.
MEDIA_TYPES = {
    ".bib": "application/x-bibtex",
    ".cff": "application/yaml",
    ".css": "text/css",
    ".csv": "text/csv",
    ".js": "text/javascript",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".pyi": "text/x-python",
    ".sql": "application/sql",
    ".svg": "image/svg+xml",
    ".tex": "text/x-tex",
    ".toml": "application/toml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
# The longest matching prefix of a name says what a file is.
KINDS = {
    "": "Part of the project",
    ".snakemake-workflow-catalog.yml": "What the Snakemake Workflow Catalog shows of the workflow",
    "ARTIFACT.md": "What is claimed, and how to check it",
    "CITATION.cff": "How to cite the project and the papers",
    "LICENSE": "The licence",
    "README.md": "What the project is, and how to use it",
    "Snakefile": "The workflow: from config to checked figures",
    "benchmarks/": "Benchmark of the mathematics",
    "codemeta.json": "The project in the terms of CodeMeta",
    "config/": "Config of the run: a choice, a style or a tolerance",
    "config/examples/": "Example of a config",
    "config/papers/": "A paper: its bibliography, figures, tables and claims",
    "docs/": "Page of the documentation, or what makes it",
    "figures/": "Figure, table, ledger or score",
    "given/": "Config file that was given to the run",
    "manifest-sha256.txt": "SHA-256 sums of all other files",
    "profiles/": "Options of Snakemake",
    "pyproject.toml": "What the project is called and requires",
    "reference/": "Reference systems, to judge simulators by",
    "references.bib": "What to cite: the project, the papers, each figure and table",
    "requirements.lock": "The packages, pinned with their sums",
    "results/agreed/": "What the run agreed on: every claim and its verdict",
    "results/series/": "Data behind figures and tables",
    "run.py": "Sets the project up, and runs it",
    "scripts/": "Script that a rule runs",
    "settings.json": "The settings of the run",
    "src/": "Source of the library or of the pipeline",
    "workflow/": "Rule, environment or schema of the workflow",
}


def find_media_type(name: str) -> str:
    """The media type of a file; plain text if its suffix is unknown."""
    return MEDIA_TYPES.get(PurePosixPath(name).suffix, "text/plain")


def explain(name: str) -> str:
    """What a file is, in a line."""
    kind = KINDS[max(filter(name.startswith, KINDS), key=len)]
    if name.startswith("results/series/"):
        return f"{kind}: of the study {name.split('/')[2]}"
    return kind
