"""Guards tell a signal to the whole group from one to the parent alone, each of them once."""

import subprocess
import sys

import pytest

START = """
import os, signal, time
from inquest.capture.guards import Guards
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
life, lifeline = os.pipe()
guards = Guards(life)
ANYBODY = 1
"""


def told(code):
    """What a process of its own prints, in which all signals are blocked as in the parent of a job."""
    done = subprocess.run([sys.executable, "-c", START + code], check=True, capture_output=True, text=True, timeout=60)
    return done.stdout.split()


def test_a_signal_that_a_guard_got_went_to_the_group():
    code = """
guards.begin()
os.kill(guards._guards[0].pid, signal.SIGUSR1)
print(guards.hit(signal.SIGUSR1, ANYBODY))
print(guards.hit(signal.SIGUSR1, ANYBODY))  # at once: the same one, seen again by another way
time.sleep(0.2)
print(guards.hit(signal.SIGUSR1, ANYBODY))  # later: another one, which no guard got
guards.dismiss()
"""
    assert told(code) == ["True", "True", "False"]


def test_a_signal_that_no_guard_got_did_not():
    assert told("guards.begin()\nprint(guards.hit(signal.SIGUSR1, ANYBODY))\nguards.dismiss()") == ["False"]


@pytest.mark.parametrize(("mask", "hit"), [("0", "True"), ("1 << signal.SIGUSR1 - 1", "False")])
def test_a_guard_that_was_taken_over_tells_of_no_signal_again(mask, hit):
    code = f"""
pid = os.fork()
if pid == 0:
    signal.pause()
    os._exit(0)
os.kill(pid, signal.SIGUSR1)
guards.take_over(pid, {mask})
guards.begin()  # there is one
print(guards.hit(signal.SIGUSR1, ANYBODY))
guards.dismiss()
"""
    assert told(code) == [hit]


def test_a_guard_that_ended_is_replaced_and_another_child_is_none():
    code = """
guards.begin()
first = guards._guards[0].pid
guards.ended(first + 1)
print(len(guards._guards), guards._guards[0].pid == first)
os.kill(first, signal.SIGKILL)
guards.ended(os.waitpid(first, 0)[0])
print(len(guards._guards), guards._guards[0].pid == first)
guards.dismiss()
"""
    assert told(code) == ["1", "True", "1", "False"]
