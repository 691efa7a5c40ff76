"""From a plan to commands, by hand: both modes, the way out, and the ten ways in which clusters fail."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.live.slurm.asked import as_asked, released
from planbatch.experiments.live.slurm.client import LINE
from planbatch.experiments.live.slurm.commands import Target, commands_for, give_back, lines_of
from planbatch.experiments.live.slurm.marks import Mark, mark_of
from planbatch.experiments.live.slurm.rules import DriveRules
from planbatch.experiments.live.slurm.snapshot import JobArray, JobKey
from tests.live.model import NOW, after, applied, found, job, plan, snapshot

STRICT = DriveRules("strict", every=5, grace=15)
SOFT = DriveRules("soft", every=5, horizon=600)


def lines(given_, starts, rules=STRICT, now=NOW):
    """The lines of the commands."""
    return lines_of(commands_for(given_, starts, now, rules))


def due(number: int, at: int = NOW, times: int = 0, run: int = 0) -> list[str]:
    """The lines that release a job."""
    mark = f"planbatch:due={at}:times={times}:run={run}"
    return [f"update JobId={number} AdminComment={mark}", f"release {number}"]


# Marks


@given(st.builds(Mark, st.sampled_from(["new", "held", "free"]))
       | st.builds(lambda t, k, r: Mark("due", t, k, r), st.integers(0, 2**33), st.integers(0, 999), st.integers(0, 99))
       | st.builds(lambda t, k: Mark("back", t, k), st.integers(0, 2**33), st.integers(0, 999))
       | st.builds(lambda t, a: Mark("begin", t, asked=a), st.integers(0, 2**33), st.integers(0, 2**33)))  # fmt: skip
def test_marks_are_read_back_as_they_were_written(mark):
    assert mark_of(str(mark)) == mark
    assert LINE.fullmatch(f"update JobId=1 AdminComment={mark}")


@given(st.text() | st.text().map("planbatch:".__add__))
def test_any_other_text_is_no_mark(text):
    mark = mark_of(text)
    assert mark is None or str(mark) == text.strip()


# Strict


def test_what_is_due_is_released_in_the_order_of_the_plan():
    """Jobs 3, 1 and 2 are due, in this order; 4 is due in a second."""
    jobs = [job(i, "new", held="user") for i in (1, 2, 3, 4)]
    starts = plan((jobs[2], -5), (jobs[0], -1), (jobs[1], 0), (jobs[3], 1))
    assert lines(snapshot(*jobs), starts) == [*due(3), *due(1), *due(2)]


def test_a_released_job_is_not_released_again_and_holds_its_nodes():
    given_ = after(snapshot(job(1, "new", held="user")),
                   commands_for(snapshot(job(1, "new", held="user")), plan((job(1), 0)), NOW, STRICT))  # fmt: skip
    assert lines(given_, plan((job(1), 0))) == []
    assert released(given_, STRICT) == {job(1).key}


def test_jobs_that_are_held_by_the_driver_are_planned():
    asked = found(as_asked(snapshot(job(1, "new", held="user", reason="JobHeldUser")), STRICT), 1)
    assert (asked.held, asked.reason) == (None, "")


def test_a_job_without_a_planned_start_stays_held():
    assert lines(snapshot(job(1, "new", held="user")), {}) == []


def test_a_task_of_an_array_is_released_alone():
    row = job(59, "new", held="user", array=JobArray(59, None, (1, 2, 3), 3))
    starts = {Target(row.key, 2): NOW, Target(row.key, 1): NOW + 60}
    assert lines(snapshot(row), starts) == [
        f"update JobId=59_2 AdminComment=planbatch:due={NOW}:times=0:run=0", "release 59_2"]  # fmt: skip


def test_a_task_with_a_row_of_its_own_is_released_by_its_number():
    row = job(61, "held", held="user", array=JobArray(59, 2))
    assert lines(snapshot(row), {Target(row.key, 2): NOW}) == due(61)


def test_unmarked_jobs_are_adopted_only_if_asked():
    given_ = snapshot(job(1), job(2, held="user"), job(3, comment="noplan"))
    assert lines(given_, plan((job(1), 0))) == []
    adopting = DriveRules("strict", adopt=True)
    hold = ["update JobId=1 AdminComment=planbatch:held", "uhold 1"]
    assert lines(given_, plan((job(1), 0)), adopting) == hold
    assert lines(applied(given_, hold), plan((job(1), 0)), adopting) == due(1)


# Soft


def test_begin_times_follow_the_plan():
    """1 starts now; 2 in 50 s; 3 in two hours, so its begin time lies at the horizon, 600 s from now."""
    jobs = [job(i) for i in (1, 2, 3)]
    assert lines(snapshot(*jobs), plan((jobs[0], 0), (jobs[1], 50), (jobs[2], 7200)), SOFT) == [
        f"update JobId=1 StartTime=now AdminComment=planbatch:begin=0:set={NOW}",
        f"update JobId=2 StartTime=uts{NOW + 50} AdminComment=planbatch:begin=0:set={NOW + 50}",
        f"update JobId=3 StartTime=uts{NOW + 600} AdminComment=planbatch:begin=0:set={NOW + 600}",
    ]


def test_reasons_tell_times_as_clocks_here_show_them():
    """A job that is released, and one whose begin time is set."""
    here = f"{datetime.fromtimestamp(NOW):%Y-%m-%d %H:%M:%S}"
    held, free = job(1, "new", held="user"), job(2)
    (released_now,) = commands_for(snapshot(held), plan((held, 0)), NOW, STRICT)
    (begins,) = commands_for(snapshot(free), plan((free, 0)), NOW, SOFT)
    assert released_now.why == f"its start was planned for {here}"
    assert begins.why == f"its start is planned for {here}"


@pytest.mark.parametrize(("current", "planned", "wanted"), [
    (50, 50, None), (50, 51, None), (50, 52, 52), (50, 30, 30), (50, 0, 0), (0, 0, 0), (-9, -9, 0),
    (600, 7200, None), (300, 7200, None), (299, 7200, 600), (0, 7200, 600), (900, 7200, None), (9000, 7200, 600),
])  # fmt: skip
def test_a_begin_time_is_set_only_if_it_will_not_do(current, planned, wanted):
    """Seconds from now; a far begin time is put further when half of the horizon has passed."""
    mark = f"begin=0:set={NOW + current}" if current > 0 else ""
    given_ = snapshot(job(1, mark, begin_time=NOW + current))
    when = "now" if wanted == 0 else f"uts{NOW + (wanted or 0)}"
    line = (
        f"update JobId=1 StartTime={when} AdminComment=planbatch:begin=0:set={NOW + (wanted or 0)}"
    )
    assert lines(given_, plan((job(1), planned)), SOFT) == ([] if wanted is None else [line])


def test_a_job_whose_begin_time_has_come_may_start_for_a_while():
    """It is told once, holds its nodes for the grace of 15 s, and is planned anew after that."""
    [line] = lines(snapshot(job(1)), plan((job(1), 0)), SOFT)
    given_ = applied(snapshot(job(1)), [line], NOW + 15)
    assert released(given_, SOFT) == {job(1).key}
    assert lines(given_, {}, SOFT, NOW + 15) == []
    later = applied(given_, [], NOW + 16)
    assert released(later, SOFT) == frozenset()
    assert lines(later, plan((job(1), 60)), SOFT, NOW + 16) == [
        f"update JobId=1 StartTime=uts{NOW + 60} AdminComment=planbatch:begin=0:set={NOW + 60}"]  # fmt: skip


def test_the_begin_time_of_the_user_is_kept_in_the_mark():
    """She asked for 100 s from now, the plan has 200: the round sees 100, and the mark remembers it."""
    asked = job(1, begin_time=NOW + 100)
    [line] = lines(snapshot(asked), plan((asked, 200)), SOFT)
    assert line.endswith(f"AdminComment=planbatch:begin={NOW + 100}:set={NOW + 200}")
    then = applied(snapshot(asked), [line])
    assert found(then, 1).begin_time == NOW + 200
    assert found(as_asked(then, SOFT), 1).begin_time == NOW + 100


def test_a_begin_time_that_the_user_changed_since_is_hers():
    changed = job(1, f"begin=0:set={NOW + 200}", begin_time=NOW + 5000)
    assert found(as_asked(snapshot(changed), SOFT), 1).begin_time == NOW + 5000


def test_a_job_that_left_the_plan_gets_its_own_begin_time_back():
    given_ = snapshot(job(1, f"begin=0:set={NOW + 200}", begin_time=NOW + 200))
    assert lines(given_, {}, SOFT) == ["update JobId=1 StartTime=now AdminComment=planbatch:free"]


def test_an_array_begins_with_its_first_task():
    row = job(59, array=JobArray(59, None, (1, 2), 2))
    starts = {Target(row.key, 1): NOW + 90, Target(row.key, 2): NOW + 40}
    [line] = lines(snapshot(row), starts, SOFT)
    assert line.startswith(f"update JobId=59 StartTime=uts{NOW + 40} ")


def test_soft_gives_back_what_a_strict_driver_left_held():
    given_ = snapshot(job(1, "new", held="user"))
    assert lines(given_, {}, SOFT) == ["release 1", "update JobId=1 AdminComment=planbatch:free"]


# The way out


def test_everything_is_given_back_as_its_user_asked_for_it():
    given_ = snapshot(
        job(1, "new", held="user"),
        job(2, "held", held="user", comment="mine planbatch:hold"),
        job(3, "held", held="admin"),
        job(4, f"begin={NOW + 700}:set={NOW + 900}", begin_time=NOW + 900),
        job(5, f"begin=0:set={NOW + 900}", begin_time=NOW + 900),
        job(6, f"due={NOW}:times=0:run=0"),
        job(7, held="user"),
        job(8, "something else"),
    )
    then = after(given_, give_back(given_, NOW))
    assert [each.held for each in then.jobs] == [
        None, "user", "admin", None, None, None, "user", None]  # fmt: skip
    assert [each.begin_time for each in then.jobs[3:5]] == [NOW + 700, 0]
    assert [each.admin_comment for each in then.jobs] == [
        *["planbatch:free"] * 6, "", "planbatch:something else"]  # fmt: skip
    assert give_back(then, NOW) == []


# The ten failures


def test_failure_1_a_number_that_was_given_out_again_is_another_job():
    """The controller was killed: number 7 is now a job that was submitted later, and not yet planned."""
    old = job(7, "new", held="user", submit=NOW - 50)
    new = job(7, "new", held="user", submit=NOW - 2)
    assert lines(snapshot(old), plan((old, 0))) == due(7)
    assert lines(snapshot(new), plan((old, 0))) == []


def test_failure_1_a_command_that_the_controller_forgot_is_given_again():
    held = job(7, "new", held="user")
    assert lines(snapshot(held), plan((held, -30))) == due(7)


def test_failure_2_a_requeued_job_is_held_again():
    """It was released at NOW - 60 and ran; its node died; it waits, not held, with a begin time 121 s later."""
    requeued = job(
        7, f"due={NOW - 60}:times=0:run=0", submit=NOW - 3, restarts=1, begin_time=NOW + 118
    )
    [command] = commands_for(snapshot(requeued), plan((requeued, 118)), NOW, STRICT)
    assert (command.deed, command.why) == ("hold", "it was requeued, and is not held")
    then = after(snapshot(requeued), [command])
    assert found(then, 7).held == "user"
    assert lines(then, plan((requeued, 0)), now=NOW + 200) == due(7, NOW + 200, run=1)
    assert lines(then, plan((requeued, 118))) == []


def test_failure_2_a_job_that_is_requeued_and_held_waits_for_the_plan():
    requeued = job(7, f"due={NOW - 60}:times=0:run=0", restarts=1, held="user")
    assert lines(snapshot(requeued), plan((requeued, 30))) == []
    assert lines(snapshot(requeued), plan((requeued, 0))) == due(7, run=1)


def test_failure_3_running_jobs_are_never_touched():
    """Whether they run over their limit or not."""
    running = job(
        7,
        f"due={NOW - 900}:times=0:run=0",
        state="RUNNING",
        start_time=NOW - 900,
        end_time=NOW - 300,
    )
    assert lines(snapshot(running), plan((running, 0))) == []
    assert lines(snapshot(running), plan((running, 0)), SOFT) == []
    assert give_back(snapshot(running), NOW) == []


def test_failure_4_a_job_that_can_never_start_is_not_released():
    """It is not in the plan."""
    fits, never = job(1, "new", held="user"), job(2, "new", held="user", nodes=900)
    assert lines(snapshot(fits, never), plan((fits, 0))) == due(1)


def test_failure_5_what_does_not_start_is_taken_back_and_left_alone_for_a_while():
    """Released at NOW; after 16 s it is held, and released again no earlier than 10 s, then 20 s, later."""
    waiting = job(7, f"due={NOW}:times=0:run=0", reason="Resources")
    given_ = snapshot(waiting)
    assert lines(given_, plan((waiting, 0)), now=NOW + 15) == []
    [command] = commands_for(given_, plan((waiting, 0)), NOW + 16, STRICT)
    assert command.lines == (
        "uhold 7",
        f"update JobId=7 AdminComment=planbatch:back={NOW + 16}:times=1",
    )
    assert command.why == "released 16 s ago, it has not started (Resources)"
    then = after(given_, [command], NOW + 16)
    assert found(as_asked(then, STRICT), 7).begin_time == NOW + 26
    assert lines(then, plan((waiting, 0)), now=NOW + 25) == []
    assert lines(then, plan((waiting, 0)), now=NOW + 26) == due(7, NOW + 26, times=1)
    again = applied(then, due(7, NOW + 26, times=1))
    [command] = commands_for(again, {}, NOW + 42, STRICT)
    assert command.lines[1].endswith(f"back={NOW + 42}:times=2")
    assert STRICT.pause(2) == 20


def test_failure_6_a_job_that_is_gone_gets_no_command():
    gone = job(7, "new", held="user", state="CANCELLED")
    assert lines(snapshot(gone), plan((gone, 0))) == []
    assert lines(snapshot(), plan((gone, 0))) == []


def test_failure_7_a_plan_without_nodes_releases_nothing():
    """After a restart of the controller all nodes are unknown for seconds: no job has a planned start."""
    assert lines(snapshot(job(7, "new", held="user")), {}) == []


@pytest.mark.parametrize("fields", [
    {"comment": "planbatch:hold"}, {"comment": "my words planbatch:hold"}, {"held": "admin"},
])  # fmt: skip
def test_failure_8_what_users_and_administrators_hold_is_not_released(fields):
    held = job(7, "new", **({"held": "user"} | fields))
    assert lines(snapshot(held), plan((held, 0))) == []
    assert found(as_asked(snapshot(held), STRICT), 7).held == held.held


def test_failure_8_a_user_cannot_release_her_job_outside_the_plan():
    released = job(7, "new")
    assert lines(snapshot(released), plan((released, 60)))[-1] == "uhold 7"


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 4])
def test_failure_9_a_driver_that_was_killed_halfway_through_its_lines(cut):
    """Whatever was carried out of two releases, the next driver does the rest, and nothing twice."""
    jobs = [job(i, "new", held="user") for i in (1, 2)]
    starts = plan((jobs[0], 0), (jobs[1], 0))
    first = lines(snapshot(*jobs), starts)
    then = applied(snapshot(*jobs), first[:cut])
    rest = lines(then, starts)
    assert [line for line in first[:cut] + rest if line.startswith("release")] == [
        "release 1",
        "release 2",
    ]


@pytest.mark.parametrize("fields", [{}, {"comment": "noplan"}, {"held": "user"}, {"held": "admin"}])
def test_failure_10_foreign_jobs_are_left_alone(fields):
    foreign = job(7, **fields)
    assert lines(snapshot(foreign), plan((foreign, 0))) == []
    assert as_asked(snapshot(foreign), STRICT) == snapshot(foreign)


@pytest.mark.parametrize("fields", [
    {"comment": "noplan"}, {"held": "user"}, {"held": "admin"}, {"partition": "side"}, {"partition": "main,side"},
    {"admin_comment": "planbatch:of somebody else"},
])  # fmt: skip
def test_failure_10_soft_leaves_foreign_jobs_alone(fields):
    foreign = job(7, **fields)
    rules = DriveRules("soft", partitions=frozenset({"main"}))
    assert lines(snapshot(foreign), plan((foreign, 500)), rules) == []


# Whatever the cluster


@st.composite
def clusters(draw):
    """A queue with all kinds of marks, holds and begin times, and a plan for some of it."""
    marks = st.sampled_from(["", "new", "held", "free", "other", f"due={NOW - 5}:times=1:run=0",
                             f"due={NOW - 99}:times=0:run=1", f"back={NOW - 3}:times=1", f"back={NOW - 90}:times=2",
                             f"begin=0:set={NOW + 50}", f"begin={NOW + 9}:set={NOW + 70}"])  # fmt: skip
    jobs = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        held = draw(st.sampled_from([None, "user", "user", "admin"]))
        jobs.append(job(number, draw(marks), held=held, restarts=draw(st.integers(0, 1)),
                        state=draw(st.sampled_from(["PENDING", "PENDING", "PENDING", "RUNNING", "COMPLETED"])),
                        comment=draw(st.sampled_from(["", "noplan", "planbatch:hold", "; scontrol shutdown\n"])),
                        name=draw(st.sampled_from(["j", "$(id)", "x\nshutdown"])),
                        begin_time=draw(st.sampled_from([0, NOW + 9, NOW + 50, NOW + 70, NOW + 5000]))))  # fmt: skip
    starts = {
        Target(each.key): NOW + draw(st.integers(-5, 3000)) for each in jobs if draw(st.booleans())
    }
    rules = DriveRules(draw(st.sampled_from(["soft", "strict"])), adopt=draw(st.booleans()))
    return snapshot(*jobs), starts, rules


@given(clusters())
def test_all_lines_may_be_sent(case):
    given_, starts, rules = case
    assert all(LINE.fullmatch(line) for line in lines(given_, starts, rules))
    assert all(LINE.fullmatch(line) for line in lines_of(give_back(given_, NOW)))


@given(clusters())
def test_applied_twice_there_is_nothing_to_do(case):
    """After two ticks: in the first, a job may be held that is released in the second."""
    given_, starts, rules = case
    for _ in range(2):
        given_ = after(given_, commands_for(given_, starts, NOW, rules))
    assert commands_for(given_, starts, NOW, rules) == []


@given(clusters(), st.integers(0, 40))
def test_lines_that_were_cut_off_are_made_up_for(case, cut):
    """A driver that was killed anywhere leaves what the next one brings to the same end."""
    given_, starts, rules = case
    if rules.mode == "soft" and any(
        each.admin_comment.startswith("planbatch:due") for each in given_.jobs
    ):
        return
    whole = given_
    for _ in range(2):
        whole = after(whole, commands_for(whole, starts, NOW, rules))
    broken = applied(given_, lines(given_, starts, rules)[:cut])
    for _ in range(3):
        broken = after(broken, commands_for(broken, starts, NOW, rules))
    assert [each.held for each in broken.jobs] == [each.held for each in whole.jobs]
    assert [each.begin_time for each in broken.jobs] == [each.begin_time for each in whole.jobs]


@given(clusters())
def test_nothing_starts_before_its_planned_start(case):
    """Strict: whatever is released is held, marked, due, and held neither by its user nor by an administrator."""
    given_, starts, _ = case
    for command in commands_for(given_, starts, NOW, STRICT):
        if command.deed != "release":
            continue
        released = next(each for each in given_.jobs if each.key == command.key)
        assert starts[Target(released.key)] <= NOW
        assert released.pending
        assert released.held == "user"
        assert "planbatch:hold" not in released.comment
        assert mark_of(released.admin_comment).kind in ("new", "held", "due", "back")


@given(clusters())
def test_what_nobody_marked_is_never_touched(case):
    """Strict, and the way out."""
    given_, starts, _ = case
    marked = {each.key for each in given_.jobs if mark_of(each.admin_comment)}
    assert {command.key for command in commands_for(given_, starts, NOW, STRICT)} <= marked
    assert {command.key for command in give_back(given_, NOW)} <= marked


def test_keys_are_numbers_and_not_texts():
    """A key that is none would end up in a line."""
    assert JobKey(1, 2, 3) == (1, 2, 3)
    with pytest.raises(ValueError):
        DriveRules("strict", every=0)
