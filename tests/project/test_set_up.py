"""Set-up installs with uv, and with pip where uv fails."""

from __future__ import annotations

import importlib
import subprocess
from types import SimpleNamespace

import pytest
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("fails", "used"),
    [
        ((), ["pip", "uv", "uv"]),
        (("uv",), ["pip", "uv", "pip", "uv", "pip"]),
        (("pip",), ["pip", "pip"]),
        (("uv", "pip"), ["pip", "pip"]),
    ],
)
def test_where_uv_fails_pip_is_tried(monkeypatch, tmp_path, fails, used):
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(ROOT)
    run = importlib.import_module("run")
    monkeypatch.setattr(run, "VENV", tmp_path)
    monkeypatch.setattr(run.venv, "create", lambda *_, **__: None)
    monkeypatch.setattr(run.shutil, "rmtree", lambda *_, **__: None)
    tools = []

    def pretend(command, **_):
        tools.append("uv" if str(command[0]).endswith("uv") else "pip")
        return SimpleNamespace(returncode=int(tools[-1] in fails))

    monkeypatch.setattr(subprocess, "run", pretend)
    if "pip" in fails:
        with pytest.raises(SystemExit, match="could not be installed"):
            run.set_up()
    else:
        run.set_up()
    assert tools == used
