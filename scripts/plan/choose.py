"""What a run is about: its run-wide choices and its paper files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, NoReturn

from plan.errors import Fault, Path, raise_for, suggest
from plan.read import read_yaml
from plan.validate import Schemas

CONFIG = "config/config.yaml (or --config, --configfile)"


@dataclass(frozen=True, slots=True)
class Choice:
    """The completed run-wide choices `run`, and the paper `files`, of which `given` are not in
    config/papers; `everything` says whether no paper there is left out."""

    run: Mapping[str, Any]
    files: tuple[FilePath, ...]
    given: tuple[FilePath, ...]
    everything: bool

    @property
    def settings(self) -> dict[str, Any]:
        """What makes the same run again, along with the given files: no papers but those are said
        by leaving the key out."""
        return {key: value for key, value in self.run.items() if key != "papers" or value}


def choose(
    config: Mapping[str, Any], root: FilePath, given: Iterable[str | FilePath], schemas: Schemas
) -> Choice:
    """What `config` asks for in the project under `root`.

    Those of the `given` config files that have a `paper` are paper files too. The run is then about
    these alone, unless one of them names `papers` besides. Raises `ConfigError`.
    """
    own = {FilePath(file): read_yaml(FilePath(file), str(file))[0] or {} for file in given}
    own = {file: content for file, content in own.items() if "paper" in content}
    about_papers = set(schemas.keys("paper")) if own else set()
    run = {key: value for key, value in config.items() if key not in about_papers}
    run, faults = schemas.check("config", run, ())
    raise_for(faults, CONFIG, {})

    folder = root / "config/papers"
    known = sorted(file.stem for file in folder.glob("*.yaml"))
    if own and not any("papers" in content for content in own.values()):
        run["papers"] = []
    papers = known if run["papers"] == "all" else run["papers"]
    for i, paper in enumerate(papers):
        if paper not in known:
            refuse(("papers", i), paper, known)
    for file, content in own.items():
        if content["paper"] in known:
            fault = Fault(("paper",), repr(content["paper"]), "a name that no other paper has")
            raise_for([fault], str(file), {})
    if not (root / run["style"]).is_file():
        refuse(("style",), run["style"], ["the matplotlib style files there are"])
    files = [folder / f"{paper}.yaml" for paper in papers]
    return Choice(run, (*files, *own), tuple(own), papers == known)


def refuse(path: Path, found: str, known: list[str]) -> NoReturn:
    """Raise `ConfigError` for a run-wide choice that is none of the known ones."""
    fault = Fault(path, repr(found), "one of " + ", ".join(known), suggest(found, known))
    raise_for([fault], CONFIG, {})
