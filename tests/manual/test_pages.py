"""What the site is made of: names with sources, links, and pages of scripts."""

import json
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

from manual import ROOT, figures, gallery, names, notebooks, reference, release
from manual.cache import cached
from manual.links import rewrite_links
from manual.roles import plain
from planbatch.experiments.cli.list import KINDS, registry_of
from planbatch.objectives.catalogue import OBJECTIVES


@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_has_a_name_has_a_source(kind):
    """And nothing else has one: the file is as long as the registry."""
    documented = set(registry_of(kind).known)
    listed = set(names.sources()[kind])
    if kind == "policies":
        plans = {name for name in documented if name.startswith("plan-")}
        assert {name.removeprefix("plan-") for name in plans} == set(names.sources()["objectives"])
        documented -= plans
    assert listed == documented
    assert all(entry["source"] for entry in names.sources()[kind].values())


def test_the_page_of_names_has_a_row_for_each():
    """With its parameters and its source; a bar in a cell does not end it."""
    page = names.page()
    for kind in KINDS:
        for name in set(registry_of(kind).known) - {f"plan-{cost}" for cost in OBJECTIVES}:
            assert f"| `{name}` |" in page
    row = next(line for line in page.splitlines() if line.startswith("| `aged-wait` |"))
    assert "(ageᵢ / T)²" in row
    assert "`age=1d`" in row
    assert row.count("|") == row.count("\\|") + 5


@pytest.mark.parametrize("package", reference.PACKAGES)
def test_every_public_name_is_in_the_reference(package):
    """Once, by the module that defines it; the index has a link to each page."""
    pages = {uri: text for uri, text in reference.pages() if uri.startswith(f"reference/{package}/")}
    lines = "\n".join(pages.values()).splitlines()
    listed = [line.rpartition(".")[2] for line in lines if line.startswith(":::")]
    assert sorted(listed) == sorted(reference.names(package))
    assert any("Experimental" in line for line in lines) == (package != "baselines")
    modules = reference.names(package)
    for listed in reference.names_by_page(package).values():
        assert sum(reference.is_class(modules[name], name) for name in listed) <= 1
    index = dict(reference.pages())["reference/index.md"]
    for uri in pages:
        assert f"]({uri.removeprefix('reference/')})" in index


def test_every_verb_has_its_help():
    """Verbs of verbs, too."""
    page = reference.verbs_page()
    for verb in ("compare", "experiment run", "rounds capture", "slurm drive", "workload fetch"):
        assert f"## planbatch {verb}\n" in page
    assert "Traceback" not in page


@pytest.mark.parametrize(
    ("text", "place", "page", "expected"),
    [
        ("[x](data.md)", "docs/index.md", "index.md", "[x](data.md)"),
        ("[x](../DESIGN.md#a)", "docs/data.md", "data.md", "[x](development/design.md#a)"),
        ("[x](data.md)", "docs/model.md", "model.md", "[x](data.md)"),
        ("[x](docs/data.md)", "DESIGN.md", "development/design.md", "[x](../data.md)"),
        ("[x](tutorials/5-dask.ipynb)", "docs/a.md", "a.md", "[x](tutorials/5-dask.md)"),
        ("`[x](../DESIGN.md)`", "docs/index.md", "index.md", "`[x](../DESIGN.md)`"),
        ("[x](https://a.org/b)", "docs/a.md", "a.md", "[x](https://a.org/b)"),
    ],
)
def test_links_lead_to_pages(text, place, page, expected):
    """From places in the repository; code and other sites stay as they are."""
    assert rewrite_links(text, place, page) == expected


def test_roles_become_code():
    """As readers of Markdown expect."""
    assert plain("see :func:`~a.b`; :class:`C`, ``d``") == "see `a.b`; `C`, ``d``"


def test_the_picture_of_a_plan_is_what_its_command_draws(tmp_path):
    """And the example's plans are those that the page tells of: the least mean wait is proven."""
    figures.write_plan(tmp_path / "plan.svg")
    committed = (ROOT / "docs" / "plan.svg").read_bytes()
    if f"Matplotlib v{version('matplotlib')}".encode() in committed:
        assert (tmp_path / "plan.svg").read_bytes() == committed
    first, best = figures.plans(figures.example()).values()
    assert first.start.tolist() == [200, 100, 500, 500]
    assert best.start.tolist() == [450, 100, 200, 200]


def test_notebooks_are_kept_without_outputs():
    """They would change with every version; and each begins with its title."""
    assert len(notebooks.NOTEBOOKS) == 8
    for path in notebooks.NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert all(not cell.get("outputs") for cell in cells), path
        assert "".join(cells[0]["source"]).startswith("# "), path


def test_names_of_pictures_differ():
    """They share a folder."""
    called = [gallery.picture_name(p) for section in gallery.EXAMPLES for p, _ in section.pictures]
    assert len(called) == len(set(called)) >= 14


def test_what_is_kept_is_made_once(tmp_path, monkeypatch):
    """Again if a part differs; what a failure leaves behind is not taken for the thing."""
    monkeypatch.setattr("manual.cache.FOLDER", tmp_path)
    folders = []

    def make(folder: Path) -> None:
        folders.append(folder)
        (folder / "a").write_text(str(len(folders)))

    assert (cached("x", [b"1"], make) / "a").read_text() == "1"
    assert (cached("x", [b"1"], make) / "a").read_text() == "1"
    assert (cached("x", [b"2"], make) / "a").read_text() == "2"
    assert len(folders) == 2

    def fail(folder: Path) -> None:
        (folder / "a").write_text("half")
        raise ValueError("half")

    with pytest.raises(ValueError, match="half"):
        cached("x", [b"3"], fail)
    assert [path.name[:2] for path in tmp_path.iterdir()] == ["x-"]


def test_the_page_of_a_release():
    """A table per number of seconds, a row per class and objective, three figures per optimizer."""
    columns = ["class", "objective", "budget", "optimizer", "searches", "mean_gap", "worst_gap", "bound_gap"]
    rows = [
        ("strip-20", "makespan", 2.0, "hybrid", 20, 0.0, 0.0125, 0.02),
        ("strip-20", "makespan", 2.0, "tabu", 20, 0.01, 0.02, float("nan")),
        ("strip-20", "makespan", 10.0, "hybrid", 6, 0.0, 0.0, 0.01),
    ]
    page = release.page(pd.DataFrame(rows, columns=columns), "9.9", "abc123")
    assert "at commit abc123" in page
    assert "| strip-20 | makespan | 0.00, 1.25, 2.00 % | 1.00, 2.00, – % |" in page
    assert page.count("## ") == 2
