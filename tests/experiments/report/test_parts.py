"""Tables, pictures for pages, processors of jobs, and the jobs that a page carries."""

import csv
import io
import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.common.table import Column, Table, time_column
from planbatch.experiments.figures.style import drawing
from planbatch.experiments.report.blocks import Block, Section
from planbatch.experiments.report.drawing import apply_theme, finish
from planbatch.experiments.report.gantt_data import decode, encode
from planbatch.experiments.report.page import render
from planbatch.experiments.runs.processor_assignment import assign

TABLE = Table(
    "waits",
    "Waits & more",
    [Column("policy", "policy"), Column("wait", "mean wait", "{:.1f} s".format, best="min"), Column("n", "50%", str)],
    [{"policy": "a_b", "wait": 2.25, "n": 3}, {"policy": "<c>", "wait": 1.5}, {"policy": "d", "wait": float("nan")}],
)


def spans_of(rows):
    """Give starts, ends and sizes of (start, procs, runtime) tuples."""
    start, procs, runtime = np.array(sorted(rows, key=lambda row: row[0]), dtype=np.int64).T
    return start, start + runtime, procs


def test_a_table_as_csv_has_plain_values():
    """Keys as headings, numbers without units, nothing where there is none."""
    rows = list(csv.reader(io.StringIO(TABLE.csv())))
    assert rows == [["policy", "wait", "n"], ["a_b", "2.25", "3"], ["<c>", "1.5", ""], ["d", "", ""]]


def test_a_table_as_html_is_accessible_and_escaped():
    """Caption, scopes, the best value marked, a dash for nothing."""
    results = SimpleNamespace(cells=[], title="A page", version="0")
    page = render(results, [Section("", "s", [Block("", "b", tables=[TABLE])])], [], [])  # type: ignore[arg-type]
    table = page[page.index("<table>") : page.index("</table>") + 8]
    root = ET.fromstring(table.replace("class=text", 'class="text"').replace("class=best", 'class="best"'))
    caption = root.find("caption/span")
    assert caption is not None
    assert caption.text == "Waits & more"
    assert [th.attrib["scope"] for th in root.iter("th")] == ["col"] * 3 + ["row"] * 3
    assert [td.text for td in root.iter("td")] == ["2.2 s", "3", "1.5 s", "–", "–", "–"]
    assert [td.text for td in root.iter("td") if td.attrib.get("class") == "best"] == ["1.5 s"]


def test_a_table_as_latex_escapes_its_commands():
    """Underscores, ampersands and per cent signs; the best value in bold."""
    latex = TABLE.latex()
    assert r"a\_b & 2.2 s & 3 \\" in latex
    assert r"\caption{Waits \& more}" in latex
    assert r"policy & mean wait & 50\% \\" in latex
    assert r"\textbf{1.5 s}" in latex
    assert latex.count("{") == latex.count("}")


def test_durations_of_a_column_have_one_unit():
    """It stands in the heading; CSV has seconds, and columns that readers do not see."""
    table = Table(
        "waits", "Waits",
        [Column("policy", "policy"), time_column("wait", "wait", "min"), Column("p50", only="files")],
        [{"policy": "a", "wait": 6840.0, "p50": 1}, {"policy": "b", "wait": 7320.0}, {"policy": "c"}],
    )  # fmt: skip
    assert table.texts() == (["policy", "wait (h)"], [["a", "1.9"], ["b", "2.0"], ["c", "–"]])
    assert table.csv().splitlines()[:2] == ["policy,wait,p50", "a,6840,1"]
    assert "wait (h) \\\\" in table.latex()


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    """Give a picture with lines, an image and text, and the folder of its files."""
    folder = tmp_path_factory.mktemp("pictures")
    with drawing(3, 2) as figure:
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], marker="o")
        axes.imshow(np.eye(3), extent=(0, 1, 0, 1))
        axes.set_title("caf\N{LATIN SMALL LETTER E WITH ACUTE} & more")
        return finish(figure, "a-picture", "A picture", "How to read it.", folder), folder


def test_a_picture_takes_the_colours_of_the_page(picture):
    """No ink of its own, no size, no white ground; identifiers of its own."""
    svg = picture[0].svg
    root = ET.fromstring(svg)
    assert "#222222" not in svg.lower()
    assert "var(--ink)" in svg
    assert "width" not in root.attrib
    assert "viewBox" in root.attrib
    identifiers = re.findall(r'\sid="([^"]+)"', svg)
    assert identifiers
    assert len(set(identifiers)) == len(identifiers)
    assert all(name.startswith("a-picture-") for name in identifiers)
    referred = re.findall(r'url\(#([^)]+)\)|xlink:href="#([^"]+)"', svg)
    assert {one or other for one, other in referred} <= set(identifiers)


def test_a_picture_is_written_as_svg_and_png_with_colours_of_its_own(picture):
    _, folder = picture
    assert "var(--" not in (folder / "a-picture.svg").read_text()
    assert (folder / "a-picture.png").read_bytes().startswith(b"\x89PNG")


def test_places_are_shortened_and_texts_are_not():
    """The tick 0.005 stays what it is."""
    svg = apply_theme('<svg viewBox="0 0 10 5"><path d="M 0.12345 7"/><text>0.005</text></svg>', "n")
    assert 'd="M 0.12 7"' in svg
    assert "<text>0.005</text>" in svg


def test_colours_are_replaced_whole():
    """A longer number that begins like a colour stays."""
    svg = apply_theme(
        '<svg width="10pt" height="5pt" viewBox="0 0 10 5"><g style="fill: #222222; x: #2222220"/></svg>', "n"
    )
    assert "fill: var(--ink)" in svg
    assert "#2222220" in svg


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=40))
def test_columns_of_the_page_are_read_back(numbers):
    column = np.array(numbers, dtype=np.int64)
    np.testing.assert_array_equal(decode(encode(column)), column)


def test_a_number_too_large_for_the_page_is_reported():
    with pytest.raises(ValueError, match="too large"):
        encode(np.array([2**31]))


def test_processors_by_hand():
    """Job 3 finds no block of three and is cut in two; job 4 takes the smallest block that holds it.

    ::

        7 |. . . . . . . . .
        6 |. . . . . . 3 3 3
        5 |2 2 2 2 2 2 2 2 2
        4 |2 2 2 2 2 2 2 2 2
        3 |1 1 1 1 1 . 3 3 3 5
        2 |1 1 1 1 1 . 3 3 3 5
        1 |0 0 0 0 0 0 0 0 0 5
        0 |0 0 0 0 0 0 0 0 0 4

    (and job 5 takes all processors but one)
    """
    rows = [(0, 2, 9), (0, 2, 5), (0, 2, 9), (6, 3, 3), (9, 1, 1), (9, 7, 1)]
    pieces = assign(*spans_of(rows), 8)
    assert pieces == [[(0, 2)], [(2, 2)], [(4, 2)], [(2, 2), (6, 1)], [(0, 1)], [(1, 7)]]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6), st.integers(1, 9)), min_size=1, max_size=25))
def test_no_processor_runs_two_jobs_and_every_job_gets_its_own(rows):
    """On a machine that is large enough for all that runs at once."""
    start, end, procs = spans_of(rows)
    running = [np.flatnonzero((start <= t) & (t < end)) for t in range(40)]
    busy = [int(procs[jobs].sum()) for jobs in running]
    pieces = assign(start, end, procs, max(busy))
    for jobs, count in zip(running, busy, strict=True):
        used = [p for job in jobs for low, length in pieces[job] for p in range(low, low + length)]
        assert len(used) == len(set(used)) == count
    assert [sum(count for _, count in own) for own in pieces] == procs.tolist()
    if max(busy) > 1:
        with pytest.raises(ValueError, match="more than"):
            assign(start, end, procs, max(busy) - 1)
