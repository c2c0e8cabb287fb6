"""All errors in a file of results are reported, with line and reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scripts.score import score
from tests.conftest import ROOT

from atlas.io.untrusted import Unreadable
from referee.read import Reference, read_results

REFERENCE = Reference.load(ROOT / "reference")
GOOD = "system,quantity,value\nmm1-90,mean_jobs,9\n"


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "results.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def refused(folder: Path, text: str | bytes) -> str:
    with pytest.raises(Unreadable) as error:
        read_results(write(folder, text), REFERENCE)
    return str(error.value)


def test_results_are_read_in_any_order_of_columns(tmp_path):
    text = (
        "\ufeffValue, half_width ,System,quantity,class,k,replications\n"
        "9.1,0.2,mm1-90,E[N],,,\n\n"
        "0.3,0.01,mm1-90,tail,all,10,20\n"
        "2.5,,fcfs-1-10-50,mean_response_time,2,,\n"
    )
    found = read_results(write(tmp_path, text), REFERENCE)
    assert [r.line for r in found] == [2, 4, 5]
    assert found[0].key == ("mean_jobs", "all", None)
    assert found[0].reference == pytest.approx(9, rel=1e-12)
    assert found[1].key == ("tail", "all", 10) and found[1].replications == 20
    assert found[1].reference == pytest.approx(0.9**11, rel=1e-11)
    assert found[2].half_width is None and found[2].key == ("mean_response_time", "2", None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("\n \n", "empty"),
        ("system,quantity,value\n", "a header and no results"),
        ("system;quantity;value\nmm1-90;mean_jobs;9\n", "columns between semicolons"),
        ("system\tquantity\tvalue\nmm1-90\tmean_jobs\t9\n", "columns between tabs"),
        ("system,quantity\nmm1-90,mean_jobs\n", "no column value"),
        ("system,quantity,value,value\n", "two columns 'value'"),
        ("system,quantity,value,halfwidth\n", "did you mean 'half_width'"),
        (GOOD + "mm1-90,mean_jobs,9\n", "a second time"),
        (GOOD.replace(",9", ",nine"), "value 'nine'"),
        (GOOD.replace(",9", ",1_0"), "value '1_0'"),
        (GOOD.replace(",9", ",９"), "value '９'"),
        ("system,quantity,value,half_width\nmm1-90,mean_jobs,9,0.0_1\n", "half_width '0.0_1'"),
        (GOOD.replace(",9", ","), "no value"),
        (GOOD.replace(",9", ",nan"), "a finite number"),
        (GOOD.replace(",9", ",1,5"), "4 cells"),
        (GOOD.replace("mm1-90", "mm1-91"), "did you mean 'mm1-90'"),
        (GOOD.replace("mean_jobs", "mean_job"), "did you mean 'mean_jobs'"),
        ("system,quantity,value,half_width\nmm1-90,mean_jobs,9,0\n", "or nothing if there is no"),
        ("system,quantity,value,half_width\nmm1-90,mean_jobs,9,-1\n", "a positive number"),
        ("system,quantity,value,class\nmm1-90,mean_jobs,9,2\n", "of class 2 of mm1-90"),
        ("system,quantity,value,k\nmm1-90,tail,0.5,11\n", "at k = 11 of mm1-90"),
        ("system,quantity,value,k\nmm1-90,tail,0.5,1.5\n", "a whole number from 0"),
        ("system,quantity,value,replications\nmm1-90,mean_jobs,9,1\n", "from 2 on"),
        (GOOD.encode("utf-16"), "text in UTF-8"),
        (b"system,quantity,value\nmm1-90,\xff,9\n", ":2\n    found     bytes that are no text"),
        (GOOD + "mm1-90,mean\0jobs,9\n", "a zero byte"),
    ],
)
def test_each_fault_is_said(tmp_path, text, said):
    assert said in refused(tmp_path, text)


def test_all_faults_are_said_at_once_with_their_lines(tmp_path):
    text = (
        "system,quantity,value,half_width,class\n"
        "mm1-90,mean_jobs,9,0.1,all\n"
        "mm1-9,mean_jobs,9,0.1,all\n"
        "mm1-90,mean_jobs,x,-1,all\n"
        "fcfs-1-10-50,mean_response_time,2,0.1,3\n"
    )
    message = refused(tmp_path, text)
    assert message.startswith("4 faults in ")
    assert re.findall(r"results\.csv:(\d+)", message) == ["3", "4", "4", "5"]
    assert "all; mean_response_time of class 1" in message  # what there is instead


def test_a_quantity_of_other_systems_only_is_no_misspelling(tmp_path):
    text = GOOD.replace("mm1-90,mean_jobs", "fcfs-deterministic-40,p95_waiting_time")
    message = refused(tmp_path, text)
    assert "'p95_waiting_time' of fcfs-deterministic-40, which only other systems have" in message
    assert "did you mean" not in message
    assert message.count("mean_response_time") == 1  # once, for however many classes


def test_why_nothing_was_tested_is_said(tmp_path, capsys):
    header = "system,quantity,value,half_width\n"
    bare = write(tmp_path, header + "mm1-90,mean_jobs,9.02,\n")
    assert score(bare, ROOT / "reference") == 0
    assert "not tested: no value has a half_width" in capsys.readouterr().out
    waiting = REFERENCE.values("fcfs-1-10-50")["mean_waiting_time", "all", None]["value"]
    swapped = write(tmp_path, f"{header}fcfs-1-10-50,mean_response_time,{waiting},0.01\n")
    assert score(swapped, ROOT / "reference") == 3
    assert capsys.readouterr().out.count("are of another definition") == 2


def test_a_folder_without_reference_is_said(tmp_path):
    with pytest.raises(Unreadable, match="no reference systems there"):
        Reference.load(tmp_path)


def test_the_stage_leaves_a_report_in_three_forms(tmp_path, capsys):
    text = "system,quantity,value,half_width\nmm1-90,mean_jobs,9.1,0.2\nmm5-90,mean_jobs,11.3,0.2\n"
    file = write(tmp_path, text)
    assert score(file, ROOT / "reference") == 0
    said = capsys.readouterr().out
    assert (tmp_path / "results.score.txt").read_text("utf-8") == said
    assert said.startswith("results.csv: agrees with the reference\n")
    assert REFERENCE.index["fingerprint"] in said
    assert (tmp_path / "results.score.tex").read_text("utf-8").isascii()
    badge = (tmp_path / "results.score.svg").read_text("utf-8")
    assert "2 systems agree" in badge
    assert score(write(tmp_path, text.replace("9.1", "19.1")), ROOT / "reference") == 3
    assert "1 of 2 values agree" in (tmp_path / "results.score.svg").read_text("utf-8")
    bare = "system,quantity,value\nmm1-90,mean_jobs,9.02\n"
    assert score(write(tmp_path, bare), ROOT / "reference") == 0
    assert "1 system, no intervals" in (tmp_path / "results.score.svg").read_text("utf-8")
    assert "not tested" in capsys.readouterr().out
    with pytest.raises(Unreadable, match="no column system"):
        score(write(tmp_path, "nothing"), ROOT / "reference")


def test_latex_has_signs_powers_of_ten_and_small_spaces(tmp_path):
    text = "system,quantity,value,half_width\nmm1-90,mean_jobs,0.0000617,0.0000012\n"
    assert score(write(tmp_path, text), ROOT / "reference") == 3
    latex = (tmp_path / "results.score.tex").read_text("utf-8")
    assert r"& $6.17 \cdot 10^{-5}$ & $1.2 \cdot 10^{-6}$ &" in latex
    assert r"biased by $-$100.00\,\%;" in latex or r"biased by $-$100.00\,\%." in latex


@pytest.mark.parametrize("name", ["Größe", "结果", "año — 2 €", "raw\udcff"])
def test_a_file_may_have_any_name_that_a_file_system_has(tmp_path, name):
    file = tmp_path / f"{name}.csv"
    file.write_text(GOOD, "utf-8")
    assert score(file, ROOT / "reference") == 0
    assert (tmp_path / f"{name}.score.tex").read_text("utf-8").isascii()
    assert (tmp_path / f"{name}.score.svg").is_file()
