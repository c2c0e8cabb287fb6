"""The archive is the same each time, describes itself as a Workflow Run Crate, and shows damage."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from rocrate.rocrate import ROCrate
from rocrate.vocabs import RO_CRATE

from output import specs
from output.specs import canonical
from provenance import manifest
from stages import archive, verify

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    *("Snakefile", "README.md", "requirements.lock", "config/config.yaml"),
    "scripts/stages/draw.py",
)
DATA = "results/series/stability-region/0123.csv"
AGREED = "results/agreed/f00d.txt"
BIBLIOGRAPHY = {
    "title": "A Paper",
    "authors": ["Adèle Author", "Bob"],
    "year": 2020,
    "doi": "10.1/x",
}
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.6",
    "https://w3id.org/ro/wfrun/workflow/0.6",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.1",
}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def make_run(root: Path) -> archive.Spec:
    """A run of one figure and one ledger, and what there is to archive of it."""

    def write(name: str, content: bytes) -> str:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        return digest(content)

    def make(id: str, title: str | None, suffixes: list[str], day: int) -> dict:
        names = [f"figures/a-paper/{id}.{suffix}" for suffix in suffixes]
        sums = {Path(name).name: write(name, f"{name}\n".encode() * 50) for name in names}
        sidecar = {
            "paper": "a-paper",
            "id": id,
            "title": title,
            "caption": title and "What it shows.",
            "fingerprint": f"{id}-made",
            "bibliography": BIBLIOGRAPHY,
            "outputs": sums,
            "made": f"2026-11-{day}T10:00:00+00:00",
        }
        name = f"figures/a-paper/{id}.json"
        write(name, json.dumps(sidecar).encode())
        return {"files": [*names, name], "fingerprint": f"{id}-made", "series": [DATA]}

    write(DATA, b"x [1]\n0.25\n")
    write(AGREED, b"2 products are up to date\n")
    return {
        "project": {
            "name": "multiserver-atlas",
            "version": "0.1.0",
            "description": "Results.",
            "licence": "MIT",
            "keywords": ["queueing theory"],
        },
        "run": "f00d",
        "command": "snakemake all --configfile settings.json",
        "texts": {"settings.json": '{"effort": "quick", "papers": "all"}\n'},
        "bibliography": "@misc{own,\n}\n",
        "products": [
            make("fig1", "Figure λ", ["pdf", "figure.tex"], 20),
            make("ledger", None, ["csv", "txt"], 21),
        ],
        "agreed": AGREED,
        "sources": {name: write(name, f"# {name}\n".encode()) for name in SOURCES},
    }


@pytest.fixture
def root(tmp_path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


@pytest.fixture
def spec(root) -> archive.Spec:
    return make_run(root)


@pytest.fixture
def packed(root, spec, tmp_path) -> Path:
    target = tmp_path / "archive/atlas.crate.zip"
    archive.pack(spec, root, root, target)
    return target


@pytest.fixture
def unpacked(packed, tmp_path) -> Path:
    with zipfile.ZipFile(packed) as file:
        file.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


@pytest.fixture
def graph(unpacked) -> dict[str, dict]:
    """The entities of the metadata by their id, none of which may occur twice."""
    entities = json.loads((unpacked / "ro-crate-metadata.json").read_text("utf-8"))["@graph"]
    assert len({entity["@id"] for entity in entities}) == len(entities)
    return {entity["@id"]: entity for entity in entities}


def faults(files: Path, against: Path | None = None) -> list[str]:
    opened = None if against is None else verify.open_files(against)
    return verify.verify(verify.open_files(files), opened).faults


def flip(file: Path, at: int = 0) -> None:
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)


def test_the_same_files_make_the_same_archive(packed, tmp_path):
    again = tmp_path / "another/place/run"
    again.mkdir(parents=True)
    spec = make_run(again)
    for file in again.rglob("*"):
        os.utime(file, (10**9, 10**9))
    spec["products"].reverse()
    archive.pack(spec, again, again, tmp_path / "again.crate.zip")
    assert (tmp_path / "again.crate.zip").read_bytes() == packed.read_bytes()


def test_everything_is_packed_under_its_own_name(root, spec, unpacked):
    assert archive.find_faults(spec, root, root) == []
    files = {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}
    made = {f"figures/a-paper/{name}" for name in ("fig1.pdf", "fig1.figure.tex", "fig1.json")}
    made |= {f"figures/a-paper/ledger.{suffix}" for suffix in ("csv", "txt", "json")}
    own = {"settings.json", "references.bib", "manifest-sha256.txt", "ro-crate-metadata.json"}
    assert files == made | own | {DATA, AGREED} | set(SOURCES)
    for name in files - own:
        assert (unpacked / name).read_bytes() == (root / name).read_bytes()
    assert (unpacked / "settings.json").read_text("utf-8") == spec["texts"]["settings.json"]
    assert (unpacked / "references.bib").read_text("utf-8") == spec["bibliography"]


def test_the_metadata_conform_to_the_profiles(graph, unpacked):
    metadata = json.loads((unpacked / "ro-crate-metadata.json").read_text("utf-8"))
    assert metadata["@context"] == "https://w3id.org/ro/crate/1.3/context"
    descriptor = graph["ro-crate-metadata.json"]
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.3"}
    assert descriptor["about"] == {"@id": "./"}
    root = graph["./"]
    assert root["@type"] == "Dataset"
    assert {profile["@id"] for profile in root["conformsTo"]} == PROFILES
    assert root["name"] == "multiserver-atlas 0.1.0"
    assert root["description"] == "Results."
    assert root["datePublished"] == "2026-11-21T10:00:00+00:00"
    assert root["license"] == {"@id": "https://spdx.org/licenses/MIT"}
    assert root["mainEntity"] == {"@id": "Snakefile"}
    workflow = graph["Snakefile"]
    assert workflow["@type"] == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert graph[workflow["programmingLanguage"]["@id"]]["name"] == "Snakemake"
    assert workflow["version"] == "0.1.0"


def test_every_file_is_listed_with_its_size_and_sum(graph, unpacked):
    files = {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}
    parts = [part["@id"] for part in graph["./"]["hasPart"]]
    assert sorted(parts) == sorted(files - {"ro-crate-metadata.json"})
    for name in parts:
        content = (unpacked / name).read_bytes()
        assert graph[name]["contentSize"] == str(len(content))
        if name != "manifest-sha256.txt":
            assert graph[name]["sha256"] == digest(content)
    assert graph["figures/a-paper/fig1.pdf"]["encodingFormat"] == "application/pdf"


def test_the_run_made_the_outputs_from_the_config(graph):
    action = graph["#run-f00d"]
    assert graph["./"]["mentions"] == [{"@id": "#run-f00d"}]
    assert action["@type"] == "CreateAction"
    assert action["instrument"] == {"@id": "Snakefile"}
    assert action["description"] == "snakemake all --configfile settings.json"
    assert action["endTime"] == "2026-11-21T10:00:00+00:00"
    assert "agent" not in action
    assert {entity["@id"] for entity in action["object"]} == {
        "config/config.yaml",
        "requirements.lock",
        "settings.json",
    }
    made = {name for name in graph if name.startswith(("figures/", "results/"))}
    assert len(made) == 8
    assert {entity["@id"] for entity in action["result"]} == made


def test_a_figure_leads_to_its_data_its_sidecar_and_its_paper(graph):
    figure = graph["figures/a-paper/fig1.pdf"]
    assert (figure["name"], figure["description"]) == ("Figure λ", "What it shows.")
    assert figure["isBasedOn"] == [{"@id": DATA}]
    assert graph[figure["citation"]["@id"]]["name"] == "A Paper"
    assert figure["citation"] == {"@id": "https://doi.org/10.1/x"}
    assert graph["figures/a-paper/ledger.csv"]["name"] == "ledger of a-paper"
    about = graph["figures/a-paper/fig1.json"]["about"]
    assert {"@id": "figures/a-paper/fig1.pdf"} in about
    people = [entity["name"] for entity in graph.values() if entity["@type"] == "Person"]
    assert people == BIBLIOGRAPHY["authors"]
    assert all(id.isascii() and " " not in id for id in graph)


def test_every_term_is_known_and_every_reference_leads_somewhere(graph):
    for entity in graph.values():
        types = entity["@type"]
        terms = {*([types] if isinstance(types, str) else types), *entity} - {"@id", "@type"}
        assert terms <= RO_CRATE["@context"].keys()
        for key, value in entity.items():
            for item in value if isinstance(value, list) else [value]:
                # The specification and a language's home page are on the web.
                if isinstance(item, dict) and not item["@id"].startswith("http"):
                    assert item["@id"] in graph, key


def test_the_crate_can_be_read_back(packed):
    crate = ROCrate(packed)
    assert crate.mainEntity.id == "Snakefile"
    [action] = crate.root_dataset["mentions"]
    assert action["instrument"] is crate.mainEntity
    assert crate.get(DATA) in action["result"]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum is not there")
def test_the_manifest_is_one_for_sha256sum(unpacked):
    def check() -> int:
        command = ["sha256sum", "--check", "--strict", "--quiet", "manifest-sha256.txt"]
        return subprocess.run(command, cwd=unpacked, capture_output=True, check=False).returncode

    assert check() == 0
    flip(unpacked / DATA)
    assert check() == 1


def test_verify_finds_what_is_changed_missing_and_unexpected(packed, unpacked):
    assert faults(packed) == []
    assert faults(unpacked) == []
    flip(unpacked / "figures/a-paper/fig1.pdf", 7)
    (unpacked / DATA).unlink()
    (unpacked / "more.txt").touch()
    flip(unpacked / "ro-crate-metadata.json", 20)
    assert faults(unpacked) == [
        "changed     figures/a-paper/fig1.pdf",
        f"missing     {DATA}",
        "changed     ro-crate-metadata.json",
        "unexpected  more.txt",
    ]


def test_verify_checks_the_outputs_in_a_working_folder(root, packed):
    for name in ("figures/README.md", "results/series/stability-region/4567.csv", "more.txt"):
        (root / name).touch()
    assert faults(root, packed) == []
    flip(root / "figures/a-paper/ledger.csv", -1)
    (root / "figures/a-paper/ledger.txt").unlink()
    (root / "figures/a-paper/fig2.pdf").touch()
    flip(root / "Snakefile")
    assert faults(root, packed) == [
        "changed     figures/a-paper/ledger.csv",
        "missing     figures/a-paper/ledger.txt",
        "unexpected  figures/a-paper/fig2.pdf",
    ]


def test_a_sidecar_of_another_making_is_no_fault_if_that_made_the_same(root, packed):
    name = "figures/a-paper/fig1.json"
    sidecar = json.loads((root / name).read_text("utf-8"))
    against = verify.open_files(packed)
    later = sidecar | {"made": "2027-01-01T00:00:00+00:00", "seconds": 9}
    (root / name).write_text(json.dumps(later), encoding="utf-8")
    found = verify.verify(verify.open_files(root), against)
    assert (found.faults, found.remade) == ([], [name])
    for wrong in (json.dumps(later | {"fingerprint": "another"}), "{", "[]"):
        (root / name).write_text(wrong, encoding="utf-8")
        found = verify.verify(verify.open_files(root), against)
        assert (found.faults, found.remade) == ([f"changed     {name}"], [])


def test_verify_finds_a_flipped_byte_within_an_archive(packed):
    with zipfile.ZipFile(packed) as file:
        member = file.getinfo(DATA)
    start = member.header_offset + 30 + len(DATA)
    whole = packed.read_bytes()
    # Bits of the first and last byte say where the data end, which the size says too.
    for at in range(start + 1, start + member.compress_size - 1):
        flip(packed, at)
        assert faults(packed) == [f"changed     {DATA}"]
        packed.write_bytes(whole)


def test_verify_refuses_what_has_no_manifest(packed, root, tmp_path):
    with pytest.raises(ValueError, match="found no manifest"):
        verify.verify(verify.open_files(root))
    packed.write_bytes(packed.read_bytes()[:-30])
    with pytest.raises(ValueError, match="no whole zip archive"):
        verify.open_files(packed)
    with pytest.raises(ValueError, match="found nothing"):
        verify.open_files(tmp_path / "none.zip")


def test_what_is_not_as_it_was_made_is_not_archived(root, spec):
    flip(root / "figures/a-paper/fig1.pdf")
    flip(root / "scripts/stages/draw.py")
    (root / DATA).unlink()
    spec["products"][1]["fingerprint"] = "another"
    del spec["sources"]["requirements.lock"]
    changed = "changed since it was made or since the run began"
    expected = [
        f"  {root}/{DATA}: missing",
        f"  {root}/figures/a-paper/fig1.pdf: {changed}",
        f"  {root}/scripts/stages/draw.py: {changed}",
        "  figures/a-paper/ledger.json: made from ledger-made, expected another",
        "  requirements.lock: not among the sources",
    ]
    assert sorted(archive.find_faults(spec, root, root)) == sorted(expected)


def test_the_two_commands(root, spec, tmp_path, monkeypatch, capsys):
    def run(module, *arguments: str) -> None:
        monkeypatch.setattr(sys, "argv", [module.__name__, *arguments])
        module.main()

    monkeypatch.chdir(root)
    text = canonical(spec)
    (tmp_path / f"{specs.digest(text)}.json").write_text(text, encoding="utf-8")
    target = str(tmp_path / "a.crate.zip")
    pack = (f"../{specs.digest(text)}.json", "--root", ".", "--output", target)
    run(archive, *pack)
    run(verify, target)
    run(verify, ".", "--against", target)
    assert capsys.readouterr().out.count("files are as the manifest says") == 2
    flip(root / "figures/a-paper/fig1.pdf")
    with pytest.raises(
        SystemExit, match=r"as the manifest says:\nchanged     figures/a-paper/fig1.pdf"
    ):
        run(verify, ".", "--against", target)
    with pytest.raises(SystemExit, match="not fit to be archived"):
        run(archive, *pack)
    with pytest.raises(SystemExit, match="found nothing"):
        run(verify, "none.zip")


def zip_up(target: Path, members: list[tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return target


def test_an_archive_that_unpacks_to_too_much_is_refused_unread(tmp_path, monkeypatch):
    bomb = zip_up(tmp_path / "bomb.zip", [("a", bytes(2**20)), ("b", bytes(2**20))])
    assert bomb.stat().st_size < 2**12
    verify.open_files(bomb)
    monkeypatch.setattr(manifest, "LARGEST", 2**20)
    with pytest.raises(ValueError, match="found 2 files of 2097152 bytes in all, expected at most"):
        verify.open_files(bomb)
    monkeypatch.setattr(manifest, "LARGEST", 2**30)
    monkeypatch.setattr(manifest, "MOST", 1)
    with pytest.raises(ValueError, match="found 2 files"):
        verify.open_files(bomb)


def test_a_member_that_is_larger_than_it_says_is_not_read_on(packed, tmp_path):
    with zipfile.ZipFile(packed) as file:
        member = file.getinfo(DATA)
    size = member.file_size.to_bytes(4, "little")
    content = packed.read_bytes()
    place = content.rfind(DATA.encode()) - 46 + 24  # the size in the central directory
    assert content[place : place + 4] == size
    packed.write_bytes(content[:place] + (1).to_bytes(4, "little") + content[place + 4 :])
    assert faults(packed) == [f"changed     {DATA}"]


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "a/../../b", "C:\\windows", "..\\b"])
def test_an_archive_with_names_that_lead_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match="expected names below one folder"):
        verify.open_files(zip_up(tmp_path / "a.zip", [(name, b"x")]))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_a_name_twice_is_refused(tmp_path):
    with pytest.raises(ValueError, match="found 'a' 2 times"):
        verify.open_files(zip_up(tmp_path / "a.zip", [("a", b"x"), ("a", b"y")]))


def test_deeply_nested_sidecars_break_nothing(root, packed):
    (root / "figures/a-paper/fig1.json").write_text("[" * 100_000, encoding="utf-8")
    assert faults(root, packed) == ["changed     figures/a-paper/fig1.json"]


def test_verify_runs_by_its_path_from_any_folder_with_the_standard_library_alone(packed, tmp_path):
    command = [sys.executable, "-I", "-S", ROOT / "scripts", "verify", packed]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "files are as the manifest says" in done.stdout
