"""The page in a real browser: nothing amiss, nothing fetched, and a Gantt chart that can be used."""

import base64
import re

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from planbatch.baselines.catalogue import make_policy
from planbatch.experiments.replay.replay import replay
from planbatch.experiments.report.cases import cases_of, load
from planbatch.experiments.report.page import make_report, write_page
from planbatch.experiments.runs.processor_assignment import assign
from planbatch.experiments.runs.read import read_results
from planbatch.planner.model import Workload
from tests.experiments.report.browser import browser, canvas_of, frame_after, until
from tests.experiments.report.folders import write_cell, write_experiment

pytestmark = pytest.mark.integration

DAY = 86400
#: Pixels of a panel that are neither empty nor of the ground, as a share.
PAINTED = """
const canvas = arguments[0], ratio = window.devicePixelRatio || 1;
const box = [58, 22, canvas.clientWidth - 70, 226].map((x) => Math.round(x * ratio));
const data = canvas.getContext("2d").getImageData(...box).data;
const ground = getComputedStyle(document.querySelector("nav")).backgroundColor.match(/\\d+/g).map(Number);
let painted = 0;
for (let i = 0; i < data.length; i += 4) {
  const apart = ground.reduce((sum, part, k) => sum + Math.abs(data[i + k] - part), 0);
  if (apart > 24) painted++;
}
return painted / (data.length / 4);
"""


@pytest.fixture(scope="module")
def page(grid, tmp_path_factory):
    """Give the page of the small grid, and its tables by name."""
    report = make_report(read_results(grid))
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(report, path)
    return path, {table.name: table for table in report.tables}


@pytest.fixture(scope="module")
def chrome(tmp_path_factory):
    """Give a browser and the folder that it saves into."""
    downloads = tmp_path_factory.mktemp("downloads")
    with browser(downloads) as driver:
        yield driver, downloads


@pytest.fixture
def opened(chrome, page):
    """Give the browser with the page opened anew."""
    driver, _ = chrome
    driver.get(page[0].as_uri())
    return driver


def test_nothing_is_amiss_and_nothing_fetched(opened):
    """No message in the console, all sections there and filled, all pictures drawn, no request."""
    canvas_of(opened)
    sections = opened.find_elements(By.CSS_SELECTOR, "main > section")
    assert [s.get_attribute("id") for s in sections] == [
        "summary", "trade-offs", "gantt", "lublin-batch-64", "lublin-batch-32", "cells",
    ]  # fmt: skip
    assert all(section.size["height"] > 150 for section in sections)
    pictures = opened.find_elements(By.CSS_SELECTOR, "figure svg")
    assert len(pictures) >= 1 + 2 * 7
    assert all(picture.size["height"] > 100 for picture in pictures)
    assert opened.execute_script("return performance.getEntriesByType('resource').map(e => e.name)") == []
    assert opened.get_log("browser") == []


def test_a_page_wider_than_the_screen_does_not_scroll(opened):
    """On a telephone, tables scroll by themselves."""
    opened.set_window_size(500, 900)
    assert opened.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
    opened.set_window_size(1280, 1000)


def test_dark_and_light_differ_in_ground_and_ink(opened, page, tmp_path):
    """The button changes the page, its pictures and the chart; a dark system gets a dark page."""
    canvas = canvas_of(opened)
    looks = (
        "return [getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('figure svg text')).fill]"
    )
    light = opened.execute_script(looks)
    frame_after(opened, opened.find_element(By.ID, "theme").click)
    dark = opened.execute_script(looks)
    assert light == ["rgb(255, 255, 255)", "rgb(34, 34, 34)"]
    assert dark == ["rgb(21, 24, 27)", "rgb(228, 228, 226)"]
    assert opened.execute_script(PAINTED, canvas) > 0.2
    with browser(tmp_path, dark=True) as driver:
        driver.get(page[0].as_uri())
        assert driver.execute_script(looks) == dark


def test_the_chart_zooms_to_a_span(opened):
    """Typed in days: single jobs are drawn, and they cover what was used of the machine in that span."""
    canvas = canvas_of(opened)
    first = opened.find_element(By.ID, "gantt-from")
    last = opened.find_element(By.ID, "gantt-to")
    last.send_keys(Keys.CONTROL, "a")
    frame_after(opened, lambda: last.send_keys("2.5", Keys.TAB))
    first.send_keys(Keys.CONTROL, "a")
    frame = frame_after(opened, lambda: first.send_keys("1.5", Keys.TAB))
    assert (float(frame["from"]), float(frame["to"])) == (1.5 * DAY, 2.5 * DAY)
    assert frame["mode"] == "jobs jobs"
    assert int(frame["rectangles"]) > 0
    painted = opened.execute_script(PAINTED, canvas)
    used = opened.execute_script(
        "const p = Gantt.state.panels[0]; return p.steps.reduce((sum, s) => "
        f"sum + GanttData.level(s.begun, s.ended, {1.5 * DAY}, {2.5 * DAY}), 0) / Gantt.state.capacity"
    )
    assert painted == pytest.approx(used, abs=0.08)
    assert painted > 0.1


def test_the_chart_follows_wheel_mouse_and_keys(opened):
    """Wheel zooms about the pointer once the chart was clicked; dragging and arrows move; 0 shows all."""
    canvas = canvas_of(opened)
    whole = float(canvas.get_attribute("data-to"))
    ActionChains(opened).move_to_element(canvas).click().perform()
    wheel = ActionChains(opened).move_to_element(canvas)
    at = ScrollOrigin.from_element(canvas)
    near = frame_after(opened, lambda: wheel.scroll_from_origin(at, 0, -300).perform())
    length = float(near["to"]) - float(near["from"])
    assert length < 0.8 * whole
    middle = (float(near["from"]) + float(near["to"])) / 2
    assert middle == pytest.approx(whole / 2, rel=0.06)
    frame_after_drag = frame_after(
        opened, lambda: ActionChains(opened).drag_and_drop_by_offset(canvas, 100, 0).perform()
    )
    assert float(frame_after_drag["from"]) < float(near["from"])
    assert float(frame_after_drag["to"]) - float(frame_after_drag["from"]) == pytest.approx(length)
    right = frame_after(opened, lambda: canvas.send_keys(Keys.ARROW_RIGHT))
    assert float(right["from"]) > float(frame_after_drag["from"])
    closer = frame_after(opened, lambda: canvas.send_keys("+"))
    assert float(closer["to"]) - float(closer["from"]) == pytest.approx(length / 2)
    everything = frame_after(opened, lambda: canvas.send_keys("0"))
    assert (float(everything["from"]), float(everything["to"])) == (0, whole)


def test_queues_have_one_scale_and_show_their_peaks(opened):
    """The longest queue under any policy is the scale of all; a column of pixels shows its peak, not its mean."""
    canvas_of(opened)
    most, peaks, lengths = opened.execute_script(
        "const s = Gantt.state;"
        "return [s.most, s.panels.map((p) => p.most), s.panels.map((p) => Math.max(...p.lengths))]"
    )
    runs = load(cases_of(read_results(load_folder(opened)))[0])
    for label, peak, mean in zip(("easy", "plan-squared-wait"), peaks, lengths, strict=True):
        jobs = runs.first(label)
        times = np.concatenate([jobs.start, jobs.submit])
        changes = np.repeat([-1, 1], len(jobs))
        assert peak == np.cumsum(changes[np.lexsort((changes, times))]).max()
        assert peak >= mean
    assert most == max(peaks)


def test_a_telephone_scrolls_pictures_and_captions_stay(opened):
    """Pictures keep a width at which their letters can be read."""
    opened.set_window_size(500, 900)
    widths = opened.execute_script(
        "return [...document.querySelectorAll('figure svg')].map((svg) => svg.getBoundingClientRect().width)"
    )
    assert min(widths) >= 400
    opened.set_window_size(1280, 1000)


def test_the_chart_tells_about_the_job_under_the_pointer(opened):
    """Its number, its size, and its start under both policies."""
    canvas = canvas_of(opened)
    frame_after(opened, lambda: opened.execute_script(f"Gantt.setSpan({DAY}, {2 * DAY})"))
    spot = opened.execute_script(
        "const s = Gantt.state, p = s.panels[0], q = p.cell.pieces;"
        "const area = (k) => (q.to[k] - q.from[k]) * q.count[k];"
        "const big = p.seen.reduce((a, b) => (area(a) > area(b) ? a : b));"
        "const from = Math.max(q.from[big], s.from), to = Math.min(q.to[big], s.to);"
        "const box = arguments[0].getBoundingClientRect(), wide = box.width - 68;"
        "return [box.left + 58 + wide * ((from + to) / 2 - s.from) / (s.to - s.from),"
        " box.top + 20 + 230 * (1 - (q.low[big] + q.count[big] / 2) / s.capacity), s.jobs.id[q.job[big]]]",
        canvas,
    )
    x, y, number = spot
    actions = ActionBuilder(opened)
    actions.pointer_action.move_to_location(round(x), round(y))
    actions.perform()
    tip = opened.find_element(By.ID, "gantt-tip")
    until(opened, lambda _: tip.is_displayed())
    assert f"job {number}" in tip.text
    assert re.search(r"easy: starts day .*waits", tip.text)
    assert re.search(r"plan-squared-wait: starts day .*waits", tip.text)


def test_every_workload_and_policy_can_be_chosen(opened):
    """Starts and processors are those of the results."""
    canvas_of(opened)
    results = read_results(load_folder(opened))
    for case in cases_of(results):
        runs = load(case)
        for label in runs.labels:
            choose(opened, case.name, label)
            until(
                opened,
                lambda d, c=case, w=label: d.execute_script(
                    "return Gantt.state.name === arguments[0] && Gantt.state.panels[0].label === arguments[1]",
                    c.name, w,
                ),
            )  # fmt: skip
            start, rows = opened.execute_script(
                "const c = Gantt.state.panels[0].cell, p = c.pieces, rows = [];"
                "for (let k = 0; k < p.size; k++) rows.push([p.job[k], p.low[k], p.count[k], p.from[k], p.to[k]]);"
                "return [Array.from(c.start), rows]"
            )
            jobs = runs.first(label)
            np.testing.assert_array_equal(start, jobs.start - jobs.submit.min())
            positions: list[list[tuple[int, int]]] = [[] for _ in range(len(jobs))]
            for job, low, count, begin, end in rows:
                assert (begin, end - begin) == (start[job], jobs.runtime[job])
                positions[job].append((low, count))
            assert [sorted(own) for own in positions] == assign(jobs.start, jobs.end, jobs.procs, case.capacity)


def load_folder(driver):
    """Find the folder of the results in the page itself."""
    from pathlib import Path

    text = driver.find_element(By.CSS_SELECTOR, "#cells p").text
    return Path(text.removeprefix("From ").removesuffix("."))


def choose(driver, case, label):
    """Choose a workload and the policy above."""
    for name, value in (("case", case), ("above", label)):
        select = Select(driver.find_element(By.ID, f"gantt-{name}"))
        if select.first_selected_option.get_attribute("value") != value:
            select.select_by_value(value)


def test_pictures_and_tables_can_be_saved(chrome, page, opened):
    """By their buttons: SVG without the page's variables, PNG of their size, CSV and LaTeX as the exports have them."""
    _, downloads = chrome
    name = "lublin-batch-64"
    for kind, what in (("svg", "load"), ("png", "map-waits"), ("csv", "summary"), ("tex", "summary")):
        opened.find_element(By.CSS_SELECTOR, f"button[data-save={kind}][data-name='{name}-{what}']").send_keys(
            Keys.ENTER
        )
        path = downloads / f"{name}-{what}.{kind}"
        until(opened, lambda _, p=path: p.exists() and p.stat().st_size)
    table = page[1][f"{name}-summary"]
    assert (downloads / f"{name}-summary.csv").read_text() == table.csv()
    assert (downloads / f"{name}-summary.tex").read_text() == table.latex()
    svg = (downloads / f"{name}-load.svg").read_text()
    assert "var(--" not in svg
    assert svg.count("<svg") == 1
    png = (downloads / f"{name}-map-waits.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) > 1000


def test_the_page_prints(opened):
    """Onto several pages of paper, on white."""
    canvas_of(opened)
    printed = base64.b64decode(opened.print_page())
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= 4
    # The chart survives: drawn anew for paper, and again for the screen.
    assert opened.execute_script(PAINTED, opened.find_element(By.ID, "gantt-canvas")) > 0.2


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Give a page with a replay of 300,000 jobs."""
    n = 300_000
    rng = np.random.default_rng(1)
    submit = np.sort(rng.integers(0, 100 * DAY, n))
    runtime = rng.geometric(1 / 900, n)
    procs = 2 ** rng.integers(0, 4, n)
    workload = Workload("large", 128, np.arange(n), submit, procs, runtime, runtime)
    folder = tmp_path_factory.mktemp("large")
    trace = replay(workload, make_policy("easy"))
    for label in ("easy", "other"):
        write_cell(folder, label, trace, label, unix_start_time=946684800 - int(submit[0]))
    write_experiment(folder, ["easy", "other"])
    path = folder / "report.html"
    write_page(make_report(read_results(folder)), path)
    return path


def ticks(driver, begin, end):
    """Show a span, and give the texts of its ticks."""
    frame = frame_after(driver, lambda: driver.execute_script(f"Gantt.setSpan({begin}, {end})"))
    return frame["ticks"].split("|")


@pytest.mark.nightly
def test_hundreds_of_thousands_of_jobs_stay_light(chrome, large, record_property):
    """However far the chart is zoomed, a frame draws a bounded number of rectangles, and always some."""
    driver, _ = chrome
    driver.get(large.as_uri())
    canvas_of(driver)
    last = float(driver.execute_script("return Gantt.state.last"))
    wide, most = driver.execute_script("return [document.getElementById('gantt-canvas').clientWidth, Gantt.MOST_JOBS]")
    bound = 2 * (max(most, 5 * wide) + 2 * wide)
    modes, times = set(), []
    for step in range(24):
        half = last * 0.6**step / 2
        frame = frame_after(
            driver, lambda h=half: driver.execute_script(f"Gantt.setSpan({0.4 * last - h}, {0.4 * last + h})")
        )
        assert 0 < int(frame["rectangles"]) <= bound
        modes.add(frame["mode"])
        times.append(float(frame["milliseconds"]))
    assert modes == {"levels levels", "jobs jobs"}
    # The log tells its calendar: second 0 is the first of January, 2000.
    frame_after(driver, lambda: driver.execute_script(f"Gantt.setSpan({DAY}, {2 * DAY})"))
    status = driver.find_element(By.ID, "gantt-status").text
    assert status.startswith("2000-01-02 00:00 to 2000-01-03 00:00 (UTC)")
    # Full hours, with the date at midnights; midnights; first days of months: wherever the chart begins.
    assert ticks(driver, 0.9 * DAY, 1.4 * DAY)[:3] == ["22:00", "23:00", "2000-01-02"]
    assert ticks(driver, 1.3 * DAY, 6.4 * DAY)[:3] == ["12:00", "2000-01-03", "12:00"]
    assert ticks(driver, 1.3 * DAY, 9.4 * DAY)[:2] == ["2000-01-03", "2000-01-04"]
    driver.execute_script(f"Gantt.state.last = {300 * DAY}")
    assert ticks(driver, 0.5 * DAY, 290 * DAY)[:2] == ["2000-02", "2000-03"]
    record_property("milliseconds_a_frame_at_most", max(times))
    print(f"300,000 jobs, two panels: {np.mean(times):.1f} ms a frame, {max(times):.1f} ms at most")
    assert driver.get_log("browser") == []
