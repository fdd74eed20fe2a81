"""Several starts in one log or in logs beside each other: what ended an earlier one, and what a later one took up."""

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

PLAN = 80


def loss(step):
    return 0.5 + 4 / (1 + step / 100)


def reports(first, last, *, anew=False, until=10 * PLAN):
    """Reports of every tenth step; with ``anew`` their losses are those of a run that began at ``first``."""
    return [
        f"step {step}/{until} loss {loss(step - first if anew else step):.4f}" for step in range(first, last + 1, 10)
    ]


def verdict_of(tmp_path, **files):
    for name, lines in files.items():
        (tmp_path / name.replace("__", ".")).write_text("\n".join(lines) + "\n")
    return analyze(import_logs([str(tmp_path)]))[0]


def named(verdict):
    return verdict.family or verdict.outcome


ENDS = [
    "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
    "=>> PBS: job killed: walltime 7216 exceeded limit 7200",
    "make: *** [Makefile:14: train] Terminated",
    "event Pod train-x7k2p Evicted: The node was low on resource: memory.",
]


@pytest.mark.parametrize("end", ENDS)
def test_what_ended_an_earlier_start_is_not_how_the_last_one_ended(tmp_path, end):
    told = [*reports(10, 400), end, "48 of 48 variables from ckpt/400", *reports(410, 800)]
    assert named(verdict_of(tmp_path, run__log=told)) == "G1"


@pytest.mark.parametrize("end", ENDS)
def test_the_same_word_at_the_end_is_how_it_ended(tmp_path, end):
    assert named(verdict_of(tmp_path, run__log=[*reports(10, 400), end])) != "G1"


@pytest.mark.parametrize("end", ENDS[:2])
def test_what_a_dying_job_still_says_is_no_start(tmp_path, end):
    assert named(verdict_of(tmp_path, run__log=[*reports(10, 400), end, *reports(410, 420)])) == "F3"


def test_a_mail_of_lsf_stands_above_the_output_that_it_is_of(tmp_path):
    mail = [ENDS[0], "Exited with exit code 140.", "Resource usage summary:", "The output (if any) follows:"]
    told = [*reports(10, 200), *mail, *reports(210, 400)]
    assert named(verdict_of(tmp_path, run__log=told)) != "G1"


def test_a_count_that_went_on_while_what_was_learned_was_lost(tmp_path):
    told = [*reports(10, 400), ENDS[2], "initial_step=400", *reports(410, 800, anew=True)]
    assert named(verdict_of(tmp_path, run__log=told)) == "E2"


def test_a_job_appended_by_pbs_that_died_at_its_load(tmp_path):
    head = "[PBS] 88{}.pbs1 hazel part {}"
    died = [
        "Traceback (most recent call last):",
        '  File "fit.py", line 52, in <module>',
        "    state = torch.load(newest)",
        "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
    ]
    told = [head.format(12, 1), *reports(10, 400), ENDS[1], head.format(13, 2), *died]
    assert named(verdict_of(tmp_path, run__log=told)) == "E2"


# --- which state was taken -------------------------------------------------------------------------------------------
def restarted(taken, *between):
    saves = {200: "wrote ck-200", 400: "wrote ck-400"}
    first = []
    for line in reports(10, 440):
        first.append(line)
        step = int(line.split()[1].partition("/")[0])
        first += [saves[step]] if step in saves else []
    return [*first, *between, *reports(taken + 10, 800)]


@pytest.mark.parametrize(
    "said", ["found 2 checkpoints, taking ck-200", "resumed from ck-200", "lade ck-200", "加载 ckpt-200"]
)
def test_an_older_state_was_taken(tmp_path, said):
    verdict = verdict_of(tmp_path, run__log=restarted(200, "node went away", said))
    assert named(verdict) == "E2"
    assert "step 400" in verdict.headline
    assert "step 200" in verdict.headline


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (400, ["found 2 checkpoints, taking ck-400"]),
        (200, ["loss looks bad, rolling back to ck-200"]),
        (200, ["going back to the best state, loading ck-200"]),
        (200, ["removed ck-400", "resumed from ck-200"]),
        (200, ["going on"]),
    ],
)
def test_the_newest_state_or_one_that_was_wanted(tmp_path, taken, said):
    assert "told of a state" not in verdict_of(tmp_path, run__log=restarted(taken, *said)).headline


def test_a_torn_newest_state_costs_one_save(tmp_path):
    torn = ["state 400: EOFError: Ran out of input", "restored state 300"]
    assert "told of a state" not in verdict_of(tmp_path, run__log=restarted(300, *torn)).headline


def test_states_passed_over_one_after_the_other(tmp_path):
    torn = [f"step {step}: ValueError: missing metadata" for step in (400, 300, 200)]
    verdict = verdict_of(tmp_path, run__log=restarted(100, *torn, "restored step 100"))
    assert named(verdict) == "E2"
    assert "of step 100" in verdict.headline


# --- searches --------------------------------------------------------------------------------------------------------
def test_headings_of_settings_part_the_trainings_of_a_search(tmp_path):
    told = [
        line
        for rate in ("0.5", "0.1", "0.01")
        for line in (f"--- config lr={rate} momentum=0.9", *reports(10, 400, until=400))
    ]
    assert named(verdict_of(tmp_path, run__log=told)) != "E2"


def test_an_outer_count_told_later_begins_no_second_start(tmp_path):
    run = [
        line
        for epoch in range(4)
        for line in (
            *(f"epoch {epoch} step {step} loss {loss(60 * epoch + step):.4f}" for step in range(0, 60, 10)),
            f"epoch {epoch} val rmse {20 - epoch:.2f} cm",
        )
    ]
    told = ["== fit lr=3e-4 ==", *run, "done", "== fit lr=1e-3 ==", *run[:-4]]
    assert named(verdict_of(tmp_path, run__log=told)) != "E2"


# --- logs beside each other ------------------------------------------------------------------------------------------
def clocked(day, lines):
    return [f"2025-02-{day} {at // 60:02d}:{at % 60:02d}:00 {line}" for at, line in enumerate(lines, 60)]


LIMIT = "slurmstepd: error: *** JOB 551 ON g3 CANCELLED AT 2025-02-26T02:30:00 DUE TO TIME LIMIT ***"


def test_a_later_log_that_took_what_the_earlier_one_had_saved(tmp_path):
    first = [*clocked(26, [*reports(10, 400), "saved step_400.ckpt"]), LIMIT]
    then = clocked(27, ["restored step_400.ckpt", *reports(410, 800)])
    verdict = verdict_of(tmp_path, **{"larder-551__out": first, "larder-552__out": then})
    assert named(verdict) == "G1"


def test_a_later_log_of_another_state_is_no_next_link(tmp_path):
    first = [*clocked(26, [*reports(10, 400), "saved step_400.ckpt"]), LIMIT]
    then = clocked(27, ["loading model_7.ckpt of the teacher", *reports(10, 400)])
    verdict = verdict_of(tmp_path, **{"larder-551__out": first, "larder-552__out": then})
    assert named(verdict) != "G1"
