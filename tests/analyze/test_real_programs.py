"""Small programs that ran for real and told of themselves in words of their own, each beside its near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def told(folder: Path, text: str, exit_code: int | None = None) -> str:
    """The family, or the outcome, and which part of it."""
    (folder / "job.log").write_text(text)
    found = analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]
    return f"{found.family or found.outcome} {found.sub_mode or ''}".strip()


def lines(form: str, reports: int = 24) -> str:
    """Reports ``k`` of something ``v`` that falls, while ``u`` rises, ``left`` counts down and ``s`` are seconds."""
    return "".join(
        form.format(k=k, v=4 / k, u=-4 / k, left=reports - k, s=0.8 * k) + "\n" for k in range(1, reports + 1)
    )


def raised(message: str) -> str:
    return f'Traceback (most recent call last):\n  File "/w/fs.py", line 9, in <module>\n    step()\n{message}\n'


FITTED = lines("cycle {k}/24: squared error {v:.4f}")
FITTED_HALF = "".join(FITTED.splitlines(keepends=True)[:12])
DOTS = lines("........ pass {k} residual {v:.5f}", 16)
KEPT = "kept state/ae-state.npz (pass 16)\n"
RESET = raised("ConnectionResetError: [Errno 104] Connection reset by peer")
LOST = lines("sweep {k}/24  inertia/point nan  moved nan  smallest {k}")
BEYOND = "".join(f"epoch {k}/30  squared error {8.4e108 if k < 3 else 'NaN'}\n" for k in range(1, 31))
CURVES = "stage 1 of 2: teacher (19k)\n" + lines("  teacher {k:2d}/24  ce {v:.4f}") + "{head}" + lines("  student {k}")
SHELL = "[ana@w2 fsdp]$ {env}torchrun --nproc-per-node 2 fs.py\n"
SHOWN = lines("{s:5.1f} s: cost {v:.3f}")
EIO = raised("OSError: [Errno 5] Input/output error: '/data/shard-017.bin'")
TERM = "SIGTERM received (preempted); wrote path.json at lambda no. 24, exiting for requeue\n"
LAMBDAS = lines("lambda {k:3d}/60 = {v:.4f}: nonzero 3, deviance explained 0.2150")
SPOT = "spot-agent: notice: {}\ncaught signal 15: state kept in w.bin at iteration 12, leaving with 75\n"
PICKLED = (
    'Traceback (most recent call last):\n  File "/w/al.py", line 7, in <module>\n'
    '    lab, k0 = pickle.load(open("pool.pkl", "rb"))\n_pickle.UnpicklingError: pickle data was truncated\n'
)


@pytest.mark.parametrize(
    ("text", "exit_code", "expected"),
    [
        # what is left to do, and what falls
        (lines("{left} epochs left, mean squared deviation {v:.4f}"), None, "G1"),
        (lines("{left} epochs left, mean squared deviation {v:.4f}")[:-200], None, "cannot_decide"),
        (lines("{left} clusters, mean squared deviation {v:.4f}"), None, "cannot_decide"),
        # per cent, of the whole
        (lines("{k} % done, objective {v:.4e}", 100), 0, "G1"),
        (lines("{k} % done, objective {v:.4e}", 40), None, "cannot_decide"),
        # several values in a line; a likelihood rises
        (lines("tour {k}/24 : log-vraisemblance moyenne {u:.4f}, justesse 0.8"), None, "G1"),
        (lines("tour {k}/24 : vraisemblance moyenne {u:.4f}, justesse 0.8"), None, "cannot_decide"),
        # every value of every report is none; some values of some are not told of
        (LOST, 0, "E1 nan"),
        (LOST.replace("moved nan", "moved 0.25"), 0, "cannot_decide"),
        (LOST.replace("inertia/point", "load").replace("moved", "power"), 0, "cannot_decide"),
        (BEYOND, None, "E1 nan"),
        # another start of what counts in words of its own
        (DOTS + KEPT + RESET + DOTS + KEPT + "finished\n", None, "E2 silent_restart"),
        ("fold 1 of 2\n" + DOTS + "fold 2 of 2\n" + DOTS + "finished\n", 0, "G1"),
        # what awk and Perl die of, and what they only warn of
        (FITTED_HALF + "Illegal division by zero at fit.pl line 12.\nended with 255\n", None, "A1 mid_run"),
        (FITTED + "Use of uninitialized value $w in addition (+) at fit.pl line 9.\n", None, "G1"),
        (FITTED_HALF + "awk: cmd. line:1: (FILENAME=- FNR=310) fatal: division by zero attempted\n", 2, "A1 mid_run"),
        # a heading with a number in it is one all the same
        (CURVES.format(head="stage 2 of 2: student (434), T=3, alpha=0.7\n"), None, "G1"),
        (CURVES.format(head=""), None, "cannot_decide"),
        # a command that was called again went on; one that was not
        (SHELL.format(env="DIE=1 ") + SHOWN + EIO + SHELL.format(env="CKPT=chk ") + SHOWN, None, "cannot_decide"),
        (SHELL.format(env="DIE=1 ") + SHOWN + EIO + SHELL.format(env="CKPT=chk "), None, "A1"),
        # told to leave, and started again; told to leave
        (LAMBDAS + TERM + "going on from path.json\n" + LAMBDAS + "path complete\n", 0, "cannot_decide"),
        (LAMBDAS + TERM, 0, "outside_families planned_signal"),
        # taken back by its provider, or only told of it
        (FITTED_HALF + SPOT.format("this instance will be reclaimed in 30 seconds"), 75, "F2 lost"),
        (FITTED_HALF + SPOT.format("none so far"), 75, "cannot_decide"),
        # whose state it was, or that it was data
        ("found pool.pkl of an earlier build, loading it\n" + PICKLED, None, "E2 corrupt"),
        ("found the data of an earlier build, loading it\n" + PICKLED, None, "A1 startup"),
    ],
)
def test_in_its_own_words(tmp_path: Path, text: str, exit_code: int | None, expected: str) -> None:
    assert told(tmp_path, text, exit_code) == expected


@pytest.mark.parametrize(("still_s", "family"), [(60, None), (1, "F3")])
def test_a_limit_after_a_silence(tmp_path: Path, still_s: int, family: str | None) -> None:
    """Who counts every half second and then says nothing for a minute stood still when the limit came."""
    form = "2026-11-23T23:{m:02d}:{s:02d}.{f}246501Z "
    at = [form.format(m=25, s=k // 2, f=5 * (k % 2)) for k in range(32)]
    text = "".join(f"{clock}[server] round {k}/499 |w| = {4 / (1 + k):.4f}\n" for k, clock in enumerate(at))
    end = form.format(m=25 + (16 + still_s) // 60, s=(16 + still_s) % 60, f=0)
    (tmp_path / "5_train.log").write_text(f"{text}{end}##[error]The task has timed out.\n")
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == family


def test_a_watch_showed_stacks_before_it_was_stopped(tmp_path: Path) -> None:
    """An administrator who stops what hangs is not what ended it; one who stops what went on is."""
    rows = "".join(f"Nov 23 23:21:{k:02d} forge python3[48121]: | {k:4d} | {1 / k:.6f} |\n" for k in range(1, 21))
    stop = "Nov 23 23:23:08 forge systemd[1]: Stopping nca.service - neural cellular automaton...\n"
    watch = "Nov 23 23:22:43 forge python3[48121]: Timeout (0:01:15)!\n"
    assert told(tmp_path, rows + watch + stop) == "cannot_decide"
    assert told(tmp_path, rows + stop) == "outside_families scheduler_term"


def test_two_who_play_show_how_far_it_came(tmp_path: Path) -> None:
    """Their losses are no curve; the count beside them is of the run."""
    text = "".join(
        f"[{e}/200][{b}/40] D {0.6 + b / 100:.3f} G {1.4 - b / 50:.3f}\n" for e in (1, 2, 3) for b in (10, 20, 30, 40)
    )
    (tmp_path / "gan.log").write_text(text)
    steps = parse_logs(import_logs([tmp_path]))["fact_steps"]
    assert steps.select("step", "total_steps").row(-1) == (120, 8000)
    assert steps["loss"].null_count() == steps.height
    (tmp_path / "gan.log").write_text(text.replace(" G ", " S "))
    assert parse_logs(import_logs([tmp_path]))["fact_steps"].is_empty()


@pytest.mark.parametrize(("slow", "expected"), [(0.31, "D3"), (0.05, "G1")])
def test_ranks_that_tell_what_they_do_themselves(tmp_path: Path, slow: float, expected: str) -> None:
    """``p2 s005/120 misfit 31.99 own 0.310s peers 0.003s``: whose line it is stands before it."""
    own = {0: 0.04, 1: 0.04, 2: slow}
    text = "".join(
        f"p{r} s{s:03d}/120 misfit {40 / s:.3f} own {own[r]:.3f}s peers {slow - own[r] + 0.003:.3f}s\n"
        for s in range(5, 125, 5)
        for r in own
    )
    assert told(tmp_path, text, 0) == expected


def test_numbers_before_a_line_that_are_no_ranks(tmp_path: Path) -> None:
    """Ranks count from 0, and take turns."""
    (tmp_path / "job.log").write_text("".join(f"p{1 + k % 2} s{k} misfit {4 / (1 + k):.4f}\n" for k in range(40)))
    assert parse_logs(import_logs([tmp_path]))["fact_steps"]["rank"].is_null().all()
