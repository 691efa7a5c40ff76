"""A real browser for tests: Chromium without a window, driven by chromedriver."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.needs import browser_and_driver

#: For how long a test waits for the page before it gives up; nothing is measured by it.
PATIENCE = 120
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--window-size=1280,1000", "--disable-background-networking", "--no-first-run",
)  # fmt: skip


@contextmanager
def browser(downloads: Path, *, dark: bool = False) -> Iterator[Any]:
    """Give a browser that saves into a folder; see :func:`browser_and_driver`."""
    program, driver = browser_and_driver()
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, *(["--blink-settings=preferredColorScheme=0"] if dark else [])):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver_ = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield driver_
    finally:
        driver_.quit()


def until(driver: Any, condition: Callable[[Any], Any]) -> Any:
    """Wait until a condition holds, and return what it gave."""
    return WebDriverWait(driver, PATIENCE, poll_frequency=0.05).until(condition)


def canvas_of(driver: Any) -> Any:
    """Bring the chart into view, and wait for its first frame."""
    canvas = driver.find_element(By.ID, "gantt-canvas")
    driver.execute_script("document.getElementById('gantt').scrollIntoView()")
    until(driver, lambda _: canvas.get_attribute("data-mode"))
    return canvas


def frame_after(driver: Any, act: Callable[[], Any]) -> dict[str, str]:
    """Do something, wait for a frame that was drawn later, and return what it tells of itself."""
    canvas = driver.find_element(By.ID, "gantt-canvas")
    before = int(canvas.get_attribute("data-frames"))
    act()
    until(driver, lambda _: int(canvas.get_attribute("data-frames")) > before)
    frame: dict[str, str] = driver.execute_script("return {...arguments[0].dataset}", canvas)
    return frame
