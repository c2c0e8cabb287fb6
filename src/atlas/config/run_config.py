"""What a run is about: its run-wide choices and its paper files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

import yaml

from atlas.config.errors import Fault, FaultCollector, Path, raise_for, suggest
from atlas.config.paper_schema import Paper
from atlas.config.read import LOADER, read_mapping, read_yaml
from atlas.config.run_schema import Run
from atlas.config.validate import check, check_values

CONFIG = "config/config.yaml"
# The systems by which others may test their simulators: a file like those of the papers.
REFERENCE = "config/reference.yaml"
ABOUT_PAPERS, ABOUT_RUNS = Paper.model_fields.keys(), Run.model_fields.keys()
# Folders in `figures` that belong to no paper.
FOLDERS = {"gallery", "preview"}


@dataclass(frozen=True, slots=True)
class Choice:
    """The completed run-wide choices `run`, and the paper `files`, of which `given` are not in
    config/papers. `everything` says whether all papers there are included. `places` are the files
    and lines of the choices, for messages about faults."""

    run: Mapping[str, Any]
    files: tuple[FilePath, ...]
    given: tuple[FilePath, ...]
    everything: bool
    places: Mapping[Path, str]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that, along with the given files, make the same run again. If the run is
        about the given papers alone, `papers` is left out."""
        return {key: value for key, value in self.run.items() if key != "papers" or value}

    def require(self, path: Path, found: str, known: Iterable[str]) -> None:
        """Raise `ConfigError` unless the value found for a choice is known."""
        known = list(known)
        if found not in known:
            hint = suggest(found, known)
            fault = Fault(path, repr(found), "one of " + ", ".join(known), hint)
            raise_for([fault], CONFIG, self.places)


def choose(
    config: Mapping[str, Any], root: FilePath, given: Iterable[str | FilePath] = ()
) -> Choice:
    """The choices for a run of the project under `root`: from config/config.yaml, the `given`
    config files, and `config`; the later overrides the earlier.

    Any given file that has a `paper` is a paper file too. The run is then about the given papers
    alone, unless one of these files or `config` also names `papers`. Raises `ConfigError`.
    """
    found = FaultCollector()
    choice = choose_sound(config, root, given, found)
    found.raise_all()
    return choice


def choose_sound(
    config: Mapping[str, Any],
    root: FilePath,
    given: Iterable[str | FilePath],
    found: FaultCollector,
) -> Choice:
    """The same without what has faults, so that the papers can be checked too; the faults are added
    to those `found`. None stands for a trace with faults, or for all of them."""
    run, lines, read = {}, {}, []
    with found.collecting():
        run, lines = read_mapping(root / CONFIG, CONFIG)
        read.append(root / CONFIG)
    places: dict[Path, str] = {path: f"{CONFIG}:{line}" for path, line in lines.items()}
    contents: dict[FilePath, dict[str, Any]] = {}
    general = (root / CONFIG).resolve()
    files = [f for f in dict.fromkeys(map(FilePath, given)) if f.resolve() != general]
    for file in files:
        name = name_of(file, root)
        with found.collecting():
            content, lines = read_mapping(file, name)
            read.append(file)
            about = [key for key in content if key in ABOUT_PAPERS - ABOUT_RUNS]
            if about and "paper" not in content:
                expected = f"paper: NAME beside {about[0]}"
                raise_for([Fault((about[0],), "no key 'paper'", expected)], name, lines)
            contents[file] = content
            own = {k: v for k, v in content.items() if k in ABOUT_RUNS or "paper" not in content}
            run = _merged(run, own)
            places |= {path: f"{name}:{line}" for path, line in lines.items() if path[0] in own}
    # Those of a file that is refused would be taken for choices of the command line.
    choices = _command_line_choices(config, read) if len(read) == 1 + len(files) else {}
    words = choices.keys()
    choices = {k: _as_number(v, run.get(k)) for k, v in choices.items() if k in ABOUT_RUNS}
    run = _merged(run, choices)
    for key in choices:
        places = {path: place for path, place in places.items() if path[0] != key}
        places[(key,)] = "--config"
    plain = _leave_out_faults(run, ABOUT_PAPERS if contents else (), places, found)
    with found.collecting():
        require_choices(words)
    papers = {file: content for file, content in contents.items() if "paper" in content}
    about_given = papers or (files and not contents)
    if about_given and not any("papers" in named for named in (choices, *contents.values())):
        plain["papers"] = []
    return _find_papers(plain, papers, root, places, found)


def _leave_out_faults(
    run: Mapping[str, Any], beside: Iterable[str], places: Mapping[Path, str], found: FaultCollector
) -> dict[str, Any]:
    """The completed choices without those that have faults, which are added to those `found`."""
    values = list(check_values(run, ()))
    completed, schema = check(Run, run, (), beside)
    told = {fault.path for fault in values}
    faults = [*values, *(fault for fault in schema if fault.path not in told)]
    with found.collecting():
        raise_for(faults, CONFIG, places)
    if completed is not None and not faults:
        return completed.plain()
    faulty = {fault.path[:1] for fault in faults}
    traces = {fault.path[1] for fault in faults if fault.path[:1] == ("traces",) and fault.path[1:]}
    sound = {key: value for key, value in run.items() if (key,) not in faulty}
    if traces:
        sound["traces"] = {k: v for k, v in run["traces"].items() if k not in traces}
    completed, _ = check(Run, sound, (), beside)
    plain = completed.plain()
    plain["traces"] |= dict.fromkeys(traces)
    if any(fault.path == ("traces",) for fault in faults):
        plain["traces"] = None
    if ("papers",) in faulty:
        plain["papers"] = []
    return plain


def require_choices(given: Iterable[str]) -> None:
    """Raise `ConfigError` about `given` keys of the command line that only a paper's file has, or
    nothing."""
    expected = f"one of {', '.join(ABOUT_RUNS)}"
    faults = []
    for key in (key for key in given if key not in ABOUT_RUNS):
        found, hint = "an unknown key", suggest(key, ABOUT_RUNS)
        if key in ABOUT_PAPERS:
            found, hint = "a key of a paper", "figures, tables and claims stand in its file"
        faults.append(Fault((key,), found, expected, hint))
    raise_for(faults, "--config", {})


def files_within(config: Mapping[str, Any], files: Iterable[str | FilePath]) -> list[FilePath]:
    """Of the config files of a workflow that has this one as a module, those that it handed on:
    all their keys are in `config`."""
    contents = {file: yaml.safe_load(file.read_text("utf-8")) for file in map(FilePath, files)}
    return [file for file, content in contents.items() if {*(content or ())} <= config.keys()]


def _find_papers(
    run: dict[str, Any],
    own: Mapping[FilePath, dict],
    root: FilePath,
    places: Mapping[Path, str],
    found: FaultCollector,
) -> Choice:
    ours = our_files(root)
    known = list(ours)
    papers = known if run["papers"] == "all" else run["papers"]
    files = [ours[paper] for paper in papers if paper in ours]
    choice = Choice(run, (*files, *own), tuple(own), papers == known, places)
    for i, paper in enumerate(papers):
        with found.collecting():
            choice.require(("papers", i), paper, known)
    taken: list[Any] = list(known)
    named = [(f, f.stem) for f in (root / "config/papers").glob("*.yaml") if f not in ours.values()]
    for file, name in [*named, *((file, content["paper"]) for file, content in own.items())]:
        if name in taken:
            fault = Fault(("paper",), repr(name), "a name that no other paper has")
            with found.collecting():
                raise_for([fault], name_of(file, root), read_yaml(file, str(file))[1])
        taken.append(name)
    if not (root / run["style"]).is_file():
        styles = sorted(f.relative_to(root).as_posix() for f in root.glob("config/*.mplstyle"))
        with found.collecting():
            other = f"a matplotlib style file that is there, in {root} unless its path is absolute"
            choice.require(("style",), run["style"], [*styles, other])
    return choice


def our_files(root: FilePath) -> dict[str, FilePath]:
    """The project's own files by the names of their papers, with that of the reference systems."""
    files = [*(root / "config/papers").glob("*.yaml"), root / REFERENCE]
    return {file.stem: file for file in sorted(files, key=lambda f: f.stem) if file.is_file()}


def is_ours(file: FilePath, root: FilePath) -> bool:
    """Whether a paper file is the project's own."""
    return file.resolve() in {one.resolve() for one in our_files(root).values()}


def name_of(file: FilePath, root: FilePath) -> str:
    """The name of a config file in messages: relative to the project for its own papers, else to
    the current folder."""
    if is_ours(file, root):
        return file.resolve().relative_to(root.resolve()).as_posix()
    near = os.path.relpath(file)
    return str(file) if near.startswith("..") else near


def reserved_names(root: FilePath) -> set[str]:
    """The names that no paper may have: those of rules, of folders and of pages."""
    templates = (root / "src/atlas/gallery/templates").glob("*.html.j2")
    return FOLDERS | rule_names(root) | {f.name.removesuffix(".html.j2") for f in templates}


def rule_names(root: FilePath) -> set[str]:
    """The names of all rules of the workflow."""
    files = [root / "Snakefile", *(root / "workflow/rules").glob("*.smk")]
    texts = (file.read_text(encoding="utf-8") for file in files)
    return {rule for text in texts for rule in re.findall(r"^\s*rule (\w+):", text, re.MULTILINE)}


def _command_line_choices(config: Mapping[str, Any], files: Iterable[FilePath]) -> dict[str, Any]:
    """The part of `config` from the command line. Snakemake has read the files as YAML 1.1, which
    may misread them; a value that differs from that reading was given on the command line."""
    misread: dict[str, Any] = {}
    for file in files:
        try:
            misread = _merged(misread, yaml.load(file.read_text(encoding="utf-8"), LOADER))
        except (yaml.YAMLError, ValueError, TypeError):
            continue
    return {k: v for k, v in config.items() if not (k in misread and misread[k] == v)}


def _as_number(value: Any, replaced: Any) -> Any:
    """`value`, with numbers for texts where it replaces numbers: Snakemake leaves as text what is
    within a mapping on the command line."""
    if isinstance(value, Mapping) and isinstance(replaced, Mapping):
        return {key: _as_number(one, replaced.get(key)) for key, one in value.items()}
    if isinstance(value, str) and isinstance(replaced, int | float):
        with suppress(ValueError):
            return json.loads(value)
    return value


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """`other` over `one`, mapping by mapping."""
    result = dict(one)
    for key, value in other.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = _merged(result[key], value) if both else value
    return result
