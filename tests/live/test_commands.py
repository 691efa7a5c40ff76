"""From a plan to commands, by hand: both modes, what Slurm refuses, the way out, the ways in which clusters fail."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planbatch.experiments.live.slurm.client import LINE
from planbatch.experiments.live.slurm.commands import commands_for, give_back, held_by_others, lines_of
from planbatch.experiments.live.slurm.marks import (
    DriveRules,
    Mark,
    Target,
    mark_of,
    requested_begin,
    without_driver_changes,
)
from planbatch.experiments.live.slurm.snapshot import JobArray
from tests.live.builders import NOW, SOFT, STRICT, after, applied, by_number, freed, job, parked, plan, snapshot

FREED = ["update JobId=1 StartTime=now", "update JobId=1 AdminComment=planbatch:free"]


def lines(queue, starts, rules=STRICT, early=()):
    """The lines of the commands; some jobs may start before they are due."""
    targets = frozenset(Target(each.key) for each in early)
    return lines_of(commands_for(queue, starts, queue.time, rules, targets))


def line(number, at=NOW, asked=0, more=""):
    """The line that sets a begin time."""
    return f"update JobId={number} StartTime=uts{at} AdminComment=planbatch:asked={asked}:begin={at}{more}"


def at(queue, later):
    """The same cluster so many seconds later."""
    return replace(queue, time=NOW + later)


def as_requested(queue, number, rules=STRICT):
    """The job as its user asked for it."""
    return by_number(without_driver_changes(queue, rules).snapshot, number)


# Marks


@given(st.builds(Mark, *[st.integers(0, 2**33)] * 2, by=st.integers(0, 2**43), open=st.booleans())
       | st.builds(Mark, *[st.integers(0, 2**33)] * 3, st.integers(0, 2**33), st.integers(1, 999)))  # fmt: skip
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
    jobs = [parked(i) for i in (1, 2, 3, 4)]
    starts = plan((jobs[2], -5), (jobs[0], -1), (jobs[1], 0), (jobs[3], 1))
    assert lines(snapshot(*jobs), starts) == [line(3), line(1), line(2)]


def test_a_released_job_is_not_released_again_and_holds_its_nodes():
    due = plan((job(1), 0))
    queue = after(snapshot(parked(1)), commands_for(snapshot(parked(1)), due, NOW, STRICT))
    assert lines(queue, due) == []
    assert without_driver_changes(queue, STRICT).released == {job(1).key: NOW}


def test_a_job_without_a_planned_start_waits_at_the_horizon():
    """Half of the horizon has passed: it is put there again, until the driver dies."""
    assert lines(snapshot(parked(1, 300)), {}) == []
    assert lines(snapshot(parked(1, 299)), {}) == [line(1, NOW + 600)]


def test_a_task_of_an_array_is_released_alone():
    """And the others are left alone in that tick: what is said to the array is said to its tasks as well.

    A task with a row of its own is released by the number of that row.
    """
    row = parked(59, 10, array=JobArray(59, None, (1, 2, 3)))
    starts = {Target(row.key, 2): NOW, Target(row.key, 1): NOW + 60}
    assert lines(snapshot(row), starts) == [line("59_2")]
    split = freed(61, array=JobArray(59, 2))
    assert lines(snapshot(row, split), {}) == []
    own = parked(61, array=JobArray(59, 2))
    assert lines(snapshot(own), {Target(own.key, 2): NOW}) == [line(61)]


def test_unmarked_jobs_are_adopted_only_if_asked():
    queue = snapshot(job(1))
    assert lines(queue, plan((job(1), 60))) == []
    adopting = DriveRules("strict", adopt=True)
    assert lines(queue, plan((job(1), 60)), adopting) == [line(1, NOW + 600)]
    assert lines(queue, plan((job(1), 0)), adopting) == [line(1)]


@pytest.mark.parametrize(("comment", "noplan", "kept_out"), [
    ("noplan", {"root"}, False), ("noplan", {"ann"}, True), ("noplan", {"*"}, True), ("noplan please", {"*"}, False),
])  # fmt: skip
def test_a_site_says_who_may_keep_jobs_out_of_the_plan(comment, noplan, kept_out):
    """Who may not is planned all the same; who may is given back."""
    hers = parked(1, comment=comment)
    rules = replace(STRICT, noplan=tuple(noplan))
    assert lines(snapshot(hers), plan((hers, 0)), rules) == (FREED if kept_out else [line(1)])


# What its user asked for


def test_a_begin_time_of_the_user_is_kept_in_the_mark():
    """She asked for 100 s from now; the plan comes later. She gets hers back at the end."""
    hers = parked(1, 200, asked=NOW + 100)
    assert as_requested(snapshot(hers), 1).begin_time == NOW + 100
    [renewed] = lines(snapshot(hers), plan((hers, 500)))
    assert renewed == line(1, NOW + 600, NOW + 100)
    back, _ = lines_of(give_back(snapshot(hers), NOW))
    assert back == f"update JobId=1 StartTime=uts{NOW + 100}"


def test_a_begin_time_that_somebody_changed_since_is_hers():
    """It is not the one of the mark: strict puts it off again, and she gets it back."""
    changed = replace(parked(1, 200), begin_time=NOW + 5000)
    for rules in (STRICT, SOFT):
        assert as_requested(snapshot(changed), 1, rules).begin_time == NOW + 5000
    now = replace(parked(1), begin_time=NOW - 2)
    assert lines(snapshot(now), plan((now, 60))) == [line(1, NOW + 600, NOW - 2)]


def test_a_begin_time_that_slurm_set_a_little_later_is_the_driver_s():
    """What has passed becomes the moment in which Slurm reads it; a minute later it is none of the driver's."""
    for late, own in ((1, True), (60, True), (61, False)):
        one = replace(freed(1, 70), begin_time=NOW - 70 + late)
        assert (requested_begin(one) == 0) is own
    late = replace(freed(1, 3), begin_time=NOW - 1)
    assert without_driver_changes(snapshot(late), STRICT).released.keys() == {late.key}


@pytest.mark.parametrize("who", ["user", "admin"])
@pytest.mark.parametrize("rules", [STRICT, SOFT])
def test_holds_are_others_and_stay(who, rules):
    """A held job is neither planned nor released; what it was given is renewed, so that its release starts nothing."""
    for one in (parked(7, held=who), freed(7, 4, held=who), job(7, held=who)):
        queue = snapshot(one)
        assert as_requested(queue, 7, rules).held == who
        assert without_driver_changes(queue, rules).released == {}
        sent = lines(queue, plan((one, 0)), rules)
        assert all(f"StartTime=uts{NOW + 600}" in each for each in sent)
        assert len(sent) == (rules is STRICT and one.begin_time == NOW - 4)


# What Slurm refuses


@pytest.mark.parametrize(("rules", "in_time"), [(STRICT, 16), (SOFT, 61)])
@pytest.mark.parametrize(("reason", "seconds"), [
    ("Licenses", 1), ("QOSMaxCpuPerUserLimit", 1), ("AssocGrpCpuLimit", 1), ("ReqNodeNotAvail", 1),
    ("Resources", 11), ("Priority", None), ("None", None), ("BeginTime", None),
])  # fmt: skip
def test_what_slurm_refuses_is_taken_back_at_once_and_holds_nothing(reason, seconds, rules, in_time):
    """For a reason of its own in the next tick; if it only does not start, when it has had the time to.

    In soft mode, jobs that Slurm's backfill starts, every 30 s by default, are given a minute.
    """
    seconds = seconds or in_time
    queue = snapshot(freed(7, reason=reason))
    before, then = at(queue, seconds - 1), at(queue, seconds)
    assert without_driver_changes(before, rules).released.keys() == {job(7).key}
    assert lines(before, {}, rules) == []
    assert without_driver_changes(then, rules).released == {}
    [command] = commands_for(then, {}, then.time, rules)
    assert command.action == "take back"
    assert reason in command.reason
    mark = mark_of(command.lines[0].split("AdminComment=")[1])
    assert (mark.back, mark.times) == (then.time, 1)


def test_what_was_taken_back_is_left_alone_twice_as_long_each_time():
    """10, then 20 s, at most ten minutes; meanwhile its begin time is at the horizon."""
    waiting = snapshot(freed(7, 16))
    [command] = commands_for(waiting, {}, NOW, STRICT)
    assert command.lines == (line(7, NOW + 600, more=f":back={NOW}:times=1"),)
    assert command.reason == "released 16 s ago, it has not started (Priority)"
    then = after(waiting, [command])
    assert as_requested(then, 7).begin_time == NOW + 10
    assert as_requested(at(then, 10), 7).begin_time == 0
    again = applied(at(then, 10), lines(at(then, 10), plan((job(7), 10))))
    assert mark_of(by_number(again, 7).admin_comment).times == 1
    [command] = commands_for(at(again, 26), {}, NOW + 26, STRICT)
    assert command.lines[0].endswith(f"back={NOW + 26}:times=2")
    assert (STRICT.pause(2), STRICT.pause(99)) == (20, 600)


def test_jobs_of_the_same_shape_and_user_are_left_alone_together():
    """8 is like 7; 9 asks for more, 10 is of somebody else."""
    jobs = [freed(7, 16), parked(8), parked(9, nodes=2), parked(10, user="eve")]
    user_queue = without_driver_changes(snapshot(*jobs), STRICT)
    begins = {each.job_id: each.begin_time - NOW for each in user_queue.snapshot.jobs if each.begin_time}
    assert begins == {7: 10, 8: 10}
    assert {key.job_id for key in user_queue.suspects} == {7, 8, 9}


def test_jobs_beyond_the_share_are_planned_later():
    """Of an array, the tasks; of a job, and of an array of which no task is left, the whole."""
    row, other = parked(59, array=JobArray(59, None, (1, 2))), parked(60)
    queue = without_driver_changes(snapshot(row, other), STRICT)
    first, second = Target(row.key, 1), Target(row.key, 2)
    rest = queue.without(frozenset({first, Target(other.key)}), NOW + 5).snapshot
    assert by_number(rest, 59).array.tasks == (2,)
    assert [by_number(rest, number).begin_time for number in (59, 60)] == [0, NOW + 5]
    rest = queue.without(frozenset({first, second}), NOW + 5).snapshot
    assert by_number(rest, 59).begin_time == NOW + 5


# Soft


def test_begin_times_follow_the_plan():
    """1 starts now; 2 in 50 s; 3 in two hours, so its begin time lies at the horizon, 600 s from now.

    4 is what a strict driver left; an array begins with its first task.
    """
    jobs = [job(1), job(2), job(3), parked(4)]
    starts = plan(*zip(jobs, (0, 50, 7200, 90), strict=True))
    assert sorted(lines(snapshot(*jobs), starts, SOFT)) == [
        line(1), line(2, NOW + 50), line(3, NOW + 600), line(4, NOW + 90)]  # fmt: skip
    row = job(59, array=JobArray(59, None, (1, 2)))
    for first, second in ((90, 40), (0, 0)):
        tasks = {Target(row.key, 1): NOW + first, Target(row.key, 2): NOW + second}
        assert lines(snapshot(row), tasks, SOFT) == [line(59, NOW + second)]


def test_reasons_tell_times_as_clocks_here_show_them():
    """A job that is released, and one whose begin time is set."""
    local_time = f"{datetime.fromtimestamp(NOW):%Y-%m-%d %H:%M:%S}"
    there = f"{datetime.fromtimestamp(NOW + 9):%Y-%m-%d %H:%M:%S}"
    first, second = parked(1), job(2)
    (release,) = commands_for(snapshot(first), plan((first, 0)), NOW, STRICT)
    (begins,) = commands_for(snapshot(second), plan((second, 9)), NOW, SOFT)
    assert release.reason == f"its start was planned for {local_time}"
    assert begins.reason == f"its start is planned for {there}"


@pytest.mark.parametrize(("current", "planned", "expected"), [
    (50, 50, None), (50, 55, None), (50, 56, 56), (50, 46, None), (50, 45, 45), (50, 0, 0), (5, 6, None), (5, 7, 7),
    (600, 7200, None), (300, 7200, None), (299, 7200, 600), (9000, 7200, 600),
])  # fmt: skip
def test_a_begin_time_is_set_only_if_it_will_not_do(current, planned, expected):
    """Seconds from now: a second or a tenth of the lead is left; far ones move when half of the horizon has passed."""
    queue = snapshot(parked(1, current))
    sent = lines(queue, plan((job(1), planned)), SOFT)
    assert sent == ([] if expected is None else [line(1, NOW + expected)])


def test_a_job_that_left_the_plan_gets_its_own_begin_time_back():
    queue = snapshot(parked(1, 200))
    assert lines(queue, {}, SOFT) == FREED


# Soft: the job that nothing may delay


def test_the_job_that_nothing_may_delay_is_open_to_slurm_until_it_is_due():
    """It may start, but is not released: it holds no nodes, is not taken back for lack of room, and has no grace."""
    waits = parked(7, 100)
    starts = plan((waits, 100))
    assert lines(snapshot(waits), starts, SOFT) == []
    opened = lines(snapshot(waits), starts, SOFT, [waits])
    assert opened == [line(7, more=":open")]
    then = at(applied(snapshot(waits), opened), 90)
    assert lines(then, starts, SOFT, [waits]) == []
    assert without_driver_changes(then, SOFT).released == {}
    assert lines(at(then, 100), starts, SOFT, [waits]) == [line(7, NOW + 100)]
    assert lines(then, plan((waits, 300)), SOFT) == [line(7, NOW + 300)]  # it may be delayed again

    refused = replace(then, jobs=(replace(then.jobs[0], reason="Licenses"),))
    back = line(7, NOW + 690, more=f":back={NOW + 90}:times=1")
    assert lines(refused, starts, SOFT) == [back]  # Slurm has the last word
    assert lines(snapshot(parked(7)), starts, STRICT, [waits]) == []  # in strict mode no job is open


# The way out


def test_everything_is_given_back_as_its_user_asked_for_it():
    queue = snapshot(
        parked(1),
        parked(2, held="user"),
        parked(3, held="admin", reason="JobHeldAdmin"),
        parked(4, 900, asked=NOW + 700),
        freed(6),
        job(7, held="user"),
        job(8, "something else"),
    )
    then = after(queue, give_back(queue, NOW))
    assert [each.held for each in then.jobs] == [each.held for each in queue.jobs]
    assert [each.begin_time - NOW for each in then.jobs[:4]] == [0, 0, 0, 700]
    assert [each.admin_comment for each in then.jobs] == [*["planbatch:free"] * 5, "", "planbatch:something else"]
    assert give_back(then, NOW) == []
    first, second = held_by_others(then)
    assert "job 2 is held by its user" in first
    assert "scontrol release 3" in second


@pytest.mark.parametrize(
    "fields", [{"partition": "side"}, {"partition": "main,side"}, {"reservation": "course"}, {"het_job": 4}]
)
@pytest.mark.parametrize("mode", ["strict", "soft"])
def test_what_is_not_planned_any_more_is_given_back_in_the_same_tick(fields, mode):
    """Finding 4: a job that its user moved, say."""
    rules = DriveRules(mode, partitions=("main",))
    queue = snapshot(parked(1, **fields))
    assert lines(queue, {}, rules) == FREED


# The ways in which clusters fail


def test_failure_1_a_number_that_was_given_out_again_is_another_job():
    """The controller was killed: number 7 is now a job that was submitted later, and not yet planned.

    A command that the controller forgot is given again.
    """
    old, new = parked(7, submit=NOW - 50), parked(7, submit=NOW - 2)
    assert lines(snapshot(old), plan((old, -30))) == [line(7)]
    assert lines(snapshot(new), plan((old, 0))) == []


def test_failure_2_a_requeued_job_waits_for_the_plan():
    """It was released at NOW - 60 and ran; its node died; Slurm gave it a begin time 121 s later."""
    requeued = replace(freed(7, 60, submit=NOW - 3, restarts=1), begin_time=NOW + 118, reason="BeginTime")
    [line_] = lines(snapshot(requeued), plan((requeued, 118)))
    assert line_ == line(7, NOW + 600, NOW + 118)
    then = applied(snapshot(requeued), [line_])
    assert as_requested(then, 7).begin_time == NOW + 118
    assert lines(at(then, 200), plan((requeued, 200))) == [line(7, NOW + 200, NOW + 118)]


def test_failure_3_running_jobs_are_never_touched():
    """Whether they run over their limit or not."""
    running = freed(7, 900, state="RUNNING", start_time=NOW - 900, end_time=NOW - 300)
    for rules in (STRICT, SOFT):
        assert lines(snapshot(running), plan((running, 0)), rules) == []
    assert give_back(snapshot(running), NOW) == []


def test_failures_4_6_and_7_what_is_gone_or_not_in_the_plan_is_not_released():
    """A job that never starts; one that is gone; and all, if the nodes are unknown after a restart."""
    fits, never, gone = parked(1), parked(2, nodes=900), parked(7, state="CANCELLED")
    assert lines(snapshot(fits, never), plan((fits, 0))) == [line(1)]
    assert lines(snapshot(gone), plan((gone, 0))) == lines(snapshot(), plan((gone, 0))) == []
    assert lines(snapshot(fits), {}) == []


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_failure_9_a_driver_that_was_killed_halfway_through_its_lines(cut):
    """Whatever was carried out of two releases, the next driver does the rest, and nothing twice."""
    jobs = [parked(i) for i in (1, 2)]
    starts = plan((jobs[0], 0), (jobs[1], 0))
    first = lines(snapshot(*jobs), starts)
    rest = lines(applied(snapshot(*jobs), first[:cut]), starts)
    assert first[:cut] + rest == [line(1), line(2)]


FOREIGN = [
    {"comment": "noplan", "user": "root"}, {"held": "user"}, {"held": "admin"}, {"partition": "side"},
    {"partition": "main,side"}, {"admin_comment": "planbatch:of somebody else"}, {"reservation": "course"},
]  # fmt: skip


@pytest.mark.parametrize("fields", [{}, *FOREIGN])
@pytest.mark.parametrize("mode", ["strict", "soft", "adopting"])
def test_failure_10_foreign_jobs_are_left_alone(fields, mode):
    """In strict mode, those without a mark are foreign as well."""
    strict, adopt = mode != "soft", mode == "adopting"
    rules = DriveRules("strict" if strict else "soft", partitions=("main",), adopt=adopt)
    foreign = job(7, **fields)
    if fields or mode == "strict":
        assert lines(snapshot(foreign), plan((foreign, 500)), rules) == []
        assert lines(snapshot(foreign), plan((foreign, 0)), rules) == []
    if mode == "strict" and "planbatch" not in foreign.admin_comment:
        assert as_requested(snapshot(foreign), 7) == foreign


# Whatever the cluster


@st.composite
def clusters(draw):
    """A queue with all kinds of marks, holds and begin times, and a plan for some of it."""
    marks = st.sampled_from(["", "free", "other", f"asked=0:begin={NOW - 5}", f"asked=0:begin={NOW - 99}:by=7",
                             f"asked=0:begin={NOW + 600}:back={NOW - 3}:times=1",
                             f"asked=0:begin={NOW + 50}:back={NOW - 90}:times=2",
                             f"asked=0:begin={NOW + 50}", f"asked={NOW + 9}:begin={NOW + 70}"])  # fmt: skip
    jobs = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        held = draw(st.sampled_from([None, None, "user", "admin"]))
        begins = [0, NOW - 99, NOW - 5, NOW + 9, NOW + 50, NOW + 70, NOW + 600, NOW + 5000]
        jobs.append(job(number, draw(marks), held=held, restarts=draw(st.integers(0, 1)),
                        state=draw(st.sampled_from(["PENDING", "PENDING", "PENDING", "RUNNING", "COMPLETED"])),
                        comment=draw(st.sampled_from(["", "noplan", "; scontrol shutdown\n"])),
                        name=draw(st.sampled_from(["j", "$(id)", "x\nshutdown"])),
                        reason=draw(st.sampled_from(["", "Resources", "Licenses"])),
                        begin_time=draw(st.sampled_from(begins))))  # fmt: skip
    starts = {Target(each.key): NOW + draw(st.integers(-5, 3000)) for each in jobs if draw(st.booleans())}
    rules = DriveRules(draw(st.sampled_from(["soft", "strict"])), adopt=draw(st.booleans()))
    return snapshot(*jobs), starts, rules


@given(clusters())
def test_all_lines_may_be_sent(case):
    queue, starts, rules = case
    assert all(LINE.fullmatch(each) for each in lines(queue, starts, rules))
    assert all(LINE.fullmatch(each) for each in lines_of(give_back(queue, NOW)))


@given(clusters())
def test_applied_twice_there_is_nothing_to_do(case):
    """After two ticks: in the first, a job may be taken back that is planned in the second."""
    queue, starts, rules = case
    for _ in range(2):
        queue = after(queue, commands_for(queue, starts, NOW, rules))
    assert commands_for(queue, starts, NOW, rules) == []


@given(clusters(), st.integers(0, 40))
def test_lines_that_were_cut_off_are_made_up_for(case, cut):
    """A driver that was killed anywhere leaves what the next one brings to the same end."""
    queue, starts, rules = case
    whole = queue
    for _ in range(2):
        whole = after(whole, commands_for(whole, starts, NOW, rules))
    broken = applied(queue, lines(queue, starts, rules)[:cut])
    for _ in range(3):
        broken = after(broken, commands_for(broken, starts, NOW, rules))
    assert [each.begin_time for each in broken.jobs] == [each.begin_time for each in whole.jobs]


@given(clusters())
def test_nothing_is_let_start_before_its_planned_start_nor_what_is_held(case):
    queue, starts, rules = case
    for command in commands_for(queue, starts, NOW, rules):
        if command.action == "release":
            released = next(each for each in queue.jobs if each.key == command.key)
            assert starts[Target(released.key)] <= NOW
            assert released.pending
            assert released.held is None


@given(clusters())
def test_what_nobody_marked_is_never_touched(case):
    """Strict, and the way out."""
    queue, starts, _ = case
    marked = {each.key for each in queue.jobs if mark_of(each.admin_comment)}
    assert {command.key for command in commands_for(queue, starts, NOW, STRICT)} <= marked
    assert {command.key for command in give_back(queue, NOW)} <= marked


@pytest.mark.parametrize("fields", [{"every": 0}, {"grace": -1}, {"share": 2}])
def test_rules_have_ranges(fields):
    with pytest.raises(ValueError):
        DriveRules("strict", **fields)
