"""What is built and installed: a source distribution, a wheel, and the command in an environment of its own."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from planbatch import _core

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("planner", "objectives", "baselines", "experiments")
#: A user's own modules, named as the folders of the repository are; whoever imports them fails.
USERS_OWN = ("experiments/__init__.py", "planner.py", "objectives.py", "baselines.py", "tests.py")
BUILD_SDIST = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command without the paths of this process, and return what it prints."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(source: Path, folder: Path) -> Path:
    """Build a wheel with the build tools that are installed, without the network, and without compiling again."""
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "-Cwheel.cmake=false")
    run(*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """Copy what the build reads, so that it leaves nothing in the repository."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in (*PACKAGES, "planbatch", "core"):
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    shutil.copy(_core.__file__, copy / "planbatch")
    return copy


@pytest.fixture(scope="module")
def wheel(checkout, tmp_path_factory) -> Path:
    """Build the wheel from the checkout."""
    return build_wheel(checkout, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Callable[..., str]:
    """Install the wheel beside the libraries of this environment, and run programs in a user's folder."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, symlinks=True)
    paths = {"base": str(environment), "platbase": str(environment)}
    programs = Path(sysconfig.get_path("scripts", "venv", paths))
    library = Path(sysconfig.get_path("purelib", "venv", paths))
    pip = (sys.executable, "-m", "pip", "--python", programs / "python")
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=environment)
    # A path in a .pth file is searched, but .pth files there are not read: the editable installation stays away.
    (library / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")

    folder = tmp_path_factory.mktemp("user")
    for name in USERS_OWN:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("raise RuntimeError('the user\\'s own module is imported')\n")
    return lambda program, *words: run(programs / program, *words, cwd=folder)


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    """Every module, the marker of type hints, the best-known plans, and assets: a report's page, a site's files."""
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {name for name in names if ".dist-info/" not in name}
    sources = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    sources += [path for path in (ROOT / "experiments").rglob("assets/*") if path.is_file()]
    sources.append(ROOT / "experiments" / "rounds" / "best_known.json")
    assert len(sources) > 200
    expected = {f"planbatch/{path.relative_to(ROOT).as_posix()}" for path in sources}
    expected |= {f"planbatch/{path.name}" for path in (ROOT / "planbatch").iterdir() if path.is_file()} | {
        f"planbatch/{Path(_core.__file__).name}"
    }
    assert modules == expected


def test_the_source_distribution_holds_what_the_wheel_is_made_of(checkout, wheel, tmp_path):
    """The core's sources, and the same modules: links of the checkout are files in the archive."""
    run(sys.executable, "-c", BUILD_SDIST, tmp_path, cwd=checkout)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    source = tmp_path / archive.name.removesuffix(".tar.gz")
    core = {path.relative_to(ROOT) for path in (ROOT / "core").rglob("*.*pp")}
    assert core <= {path.relative_to(source) for path in (source / "core").rglob("*")}
    with zipfile.ZipFile(wheel) as opened:
        for name in opened.namelist():
            if ".dist-info/" not in name and "/_core." not in name:
                assert (source / name).read_bytes() == opened.read(name)


def test_the_command_runs_beside_a_users_own_modules(installed):
    """As a program and as a module."""
    assert "Look up:" in installed("planbatch", "--help")
    assert installed("python", "-m", "planbatch", "--help") == installed("planbatch", "--help")


def test_policies_travel_to_the_processes_of_an_installation(installed):
    """A comparison in two processes; what they import is the installation."""
    generate = ("workload", "generate", "tiny.swf", "--count", "30", "--capacity", "16")
    installed("planbatch", *generate)
    policies = ("--policy", "easy", "--policy", "plan-wait", "--evaluations", "5")
    table = installed("planbatch", "compare", "tiny.swf", *policies, "--jobs", "2", "--out", "out")
    assert "plan-wait" in table
    code = "import planbatch, planbatch.planner as p; print(planbatch.__file__, p.__file__)"
    assert str(ROOT) not in installed("python", "-c", code)


@pytest.mark.nightly
@pytest.mark.parametrize("first", ["", "import planbatch.planner"])
def test_types_reach_a_users_mypy(installed, tmp_path, first):
    """By names of the front door, and by those of its packages; what is wrong is found."""
    code = tmp_path / "use.py"
    code.write_text(f"""\
{first}
import planbatch as pb

problem: pb.Round = pb.Round.of(4, 0, [], [(0, 2, 5)])
reveal_type(pb.solve(problem, "wait").plan)
pb.decode(problem, ordering=[0])
""")
    run_mypy = "import sys; from mypy.main import main; main(args=sys.argv[1:], clean_exit=True)"
    config = tmp_path / "mypy.ini"  # others' types, of which there are many, do not matter here
    config.write_text("[mypy]\n[mypy-numpy.*,pandas.*,matplotlib.*,requests.*,rich.*]\nfollow_imports = skip\n")
    flags = ("--config-file", config, "--follow-imports=silent", "--ignore-missing-imports", "--no-error-summary")
    with pytest.raises(AssertionError) as message:  # mypy ends with 1: it has found what is wrong
        installed("python", "-c", run_mypy, *flags, "--cache-dir", tmp_path / "cache", code)
    words = str(message.value)
    assert 'Revealed type is "planbatch.planner.plan.Plan"' in words
    assert 'Unexpected keyword argument "ordering"' in words
    assert words.count("error:") == 1
