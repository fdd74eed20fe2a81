"""What a watchdog of the job ends, parts of one training that were to go on, and ends of tools; each beside a twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.bundle.logs_import import import_logs
from tests.analyze.builders import Run, at

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    """The verdict on one log."""
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder / "job.log"], exit_code=exit_code), strict=True)[0]


def killed_by_its_supervisor(cpu_s: float, *, in_job: bool = True) -> Verdict:
    """A trainer whose log goes to a file, killed after a minute; ``cpu_s`` is what it used in the last half of it."""
    run = Run()
    for second in (0, 10, 20, 30, 40, 50):
        used = 25.0 + max(second - 30, 0) / 20 * cpu_s
        seen = {"event": "seen", "role": "other", "pid": 77, "ts_ns": at(second)}
        run.row("processes", **seen, cpu_user_s=used, cpu_system_s=0.0)
    sent = {"event": "signal", "role": "other", "signal": 9, "pid": 77, "ts_ns": at(52)}
    run.row("processes", **sent, sender_pid=12, sender_command="bash", sender_in_job=in_job)
    run.ended(None, t=52, term=9, pid=77, said_by="wrapper", role="task")
    return judge(run.evidence(), strict=True)


def test_who_is_killed_by_its_own_job_while_it_does_nothing_may_have_hung() -> None:
    assert killed_by_its_supervisor(0.0).outcome == "cannot_decide"


def test_who_is_killed_at_work_or_by_a_stranger_was_killed() -> None:
    assert killed_by_its_supervisor(18.0).family == "A2"
    assert killed_by_its_supervisor(0.0, in_job=False).family == "A2"


def parts(said: str, *, saves: bool = True) -> str:
    """Three parts of one length, each of which begins anew."""
    told = [f"step {50 * k} loss {1.2 + 2.4 / (1 + k / 4):.4f}\n" for k in range(1, 25)]
    saved = "checkpoint at step 1200\n" if saves else ""
    return "".join(f"=== task 88{part}: {said}\n{''.join(told)}{saved}" for part in (1, 2, 3))


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("part of 3, continues the part before", "E2"),
        ("resuming from the previous job", "E2"),
        ("picks up where the last one stopped", "E2"),
        ("seed of 3, does not continue the part before", None),
        ("fold of 3", None),
        ("continues from base.pt, another seed", None),
    ],
)
def test_parts_that_were_to_go_on_and_all_begin_anew_lost_their_work(
    tmp_path: Path, said: str, family: str | None
) -> None:
    verdict = judged(tmp_path, parts(said), 0)
    assert verdict.family == family if family else verdict.family != "E2"


RAY = """Result for PPO_lander_6f2b1_00000:
  date: 2026-03-02_10-{k:02d}-11
  done: {done}
  episode_reward_mean: {r:.2f}
  info:
    learner:
      default_policy:
        learner_stats:
          total_loss: {l:.5f}
  timesteps_total: {k}000
  training_iteration: {k}
"""


def ray(done: int) -> str:
    """Results of a trial, of which number ``done`` says that it is its last."""
    return "".join(
        RAY.format(k=k, l=9 * 0.8**k, r=20 + 13 * k, done=str(k == done).lower()) + "\n" for k in range(1, 13)
    )


def test_a_trial_that_is_done_says_so(tmp_path: Path) -> None:
    assert judged(tmp_path, ray(12)).family == "G1"
    assert judged(tmp_path, ray(0)).outcome == "cannot_decide"


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("INFO:torchtune.utils._logging:Recipe completed.", "G1"),
        ("Recipe completed successfully", "G1"),
        ("a recipe completed by others is not yet one of ours", None),
    ],
)
def test_a_recipe_that_is_completed(tmp_path: Path, said: str, family: str | None) -> None:
    told = "".join(f"Step {k} | loss:{1 + 2 / (1 + k / 9):.6f} lr:0.000300 \n" for k in range(1, 60))
    assert judged(tmp_path, told + said + "\n").family == family


def ended_by_its_script(silent_s: int, used_s: float) -> Verdict:
    """A trainer that a script, which then leaves with 0, ends after a silence in which it used some CPU time."""
    run = Run().steps([3 / (1 + k / 20) for k in range(100)], every=0.5, total_steps=400)
    run.row("processes", event="start", role="task", pid=12, ts_ns=at(0), command="bash")
    for second in range(0, 51 + silent_s, 5):
        used = min(second, 50) * 0.9 + max(second - 50, 0) / silent_s * used_s
        seen = {"event": "seen", "role": "other", "pid": 77, "ppid": 12, "ts_ns": at(second)}
        run.row("processes", **seen, command="python3", cpu_user_s=used, cpu_system_s=0.0)
    end = {"event": "exit", "pid": 77, "role": "other", "ts_ns": at(51 + silent_s), "term_signal": 15}
    run.row("processes", **end)
    return judge(run.ended(0, t=52 + silent_s, said_by="wrapper", role="task").evidence(), strict=True)


def test_who_stands_still_until_its_script_ends_it_hung() -> None:
    verdict = ended_by_its_script(60, 0.0)
    assert (verdict.family, verdict.confidence < 0.8) == ("C3", True)
    assert ended_by_its_script(60, 50.0).family != "C3"
    assert ended_by_its_script(4, 0.0).family != "C3"


_BACKEND = "/env/lib/python3.11/site-packages/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py"
AGENT = """\
Traceback (most recent call last):
  File "{b}", line 156, in {f}
    store = TCPStore(
torch.distributed.DistNetworkError: Ping failed, invalid value returned from server. Expected: 16650, Got: 134770

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/env/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "{b}", line 180, in {f}
    raise RendezvousConnectionError(
torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed.
"""


def test_an_agent_that_never_came_to_its_store_met_nobody(tmp_path: Path) -> None:
    assert judged(tmp_path, AGENT.format(b=_BACKEND, f="_create_tcp_store"), 1).family == "C1"
    assert judged(tmp_path, AGENT.format(b=_BACKEND, f="_call_store"), 1).family != "C1"  # it was there before


def search(rises: bool) -> str:
    """A search of Optuna's most of whose trials were cut short."""
    told = [f"[I 2026-03-02 10:19:22,532] A new study created in memory with name: a\n{BEST.format(k=0, b=0.70)}"]
    told += [BEST.format(k=k, b=0.70 + k / 100 * rises) if k % 7 == 0 else PRUNED.format(k=k) for k in range(1, 40)]
    return "\n".join(told) + "\nNumber of finished trials: 40\nBest trial: 35\n"


BEST = (
    "[I 2026-03-02 10:19:23,684] Trial {k} finished with value: {b} and parameters: {{'lr': 0.1}}. Best is trial {k}"
    " with value: {b}."
)
PRUNED = "[I 2026-03-02 10:19:24,310] Trial {k} pruned. "


def test_trials_that_were_cut_short_are_trials(tmp_path: Path) -> None:
    assert judged(tmp_path, search(rises=True), 0).family == "G1"
    assert judged(tmp_path, search(rises=False), 0).outcome == "cannot_decide"


REQUEUED = "submitit INFO (2026-11-23 11:37:32,734) - Requeued job 2990 (2 remaining timeouts)\n"


def epochs(begin: int, end: int) -> str:
    """Epochs of a plain loop."""
    return "".join(f"epoch {k}/60 loss {0.05 + 0.5 / k:.6f}\n" for k in range(begin, end))


def test_a_log_that_ends_in_the_run_after_a_requeue(tmp_path: Path) -> None:
    again = judged(tmp_path, epochs(1, 7) + REQUEUED + epochs(7, 9))
    assert again.family == "F2"
    assert "it ran again, and had come to epoch 8" in again.headline
    lost = judged(tmp_path, epochs(1, 7) + REQUEUED)
    assert lost.family == "F2"
    assert "ran again" not in lost.headline
    asked = judged(tmp_path, epochs(1, 7) + "Requeued job 2990, they wrote in the mail\n" + epochs(7, 9))
    assert asked.outcome == "cannot_decide"


def keras(last: int, evaluated: str = "") -> str:
    """Keras' bars of 14 batches an epoch, of 25 epochs, and what stands below."""
    told = []
    for k in range(1, last + 1):
        loss = f"{0.05 + 0.9 / k:.4f}"
        told.append(f"Epoch {k}/25\n\r 1/14 ━ 0s 5ms/step - loss: {loss}\r14/14 ━━━━ 0s 2ms/step - loss: {loss} ")
        told.append(f"- val_loss: {loss}\n")
    return "".join(told) + evaluated


@pytest.mark.parametrize(("batches", "own"), [(2, "test 0.17"), (14, "test 0.17"), (9, "")])
def test_what_keras_evaluates_below_is_no_epoch(tmp_path: Path, batches: int, own: str) -> None:
    bar = f"\r 1/{batches} ━ 0s 5ms/step - loss: 0.4\r{batches}/{batches} ━━ 0s 2ms/step - loss: 0.4\n{own}\n"
    verdict = judged(tmp_path, keras(25, bar))
    assert verdict.family == "G1"
    assert "350 steps" in verdict.headline
    assert judged(tmp_path, keras(20, bar)).family != "G1"
