"""Heat maps: no bad rank is hidden, whatever the number of ranks, and no reading is made up."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from inquest.analyze.evidence import Evidence
from inquest.bundle.store import MemoryStore
from inquest.render import heat

from . import scenarios


def maps(killed, steps):
    facts = scenarios._facts({"fact_steps": steps})
    evidence = Evidence(MemoryStore.from_rows({"host_samples": []}), facts)
    with ThreadPoolExecutor(1) as hands:
        return list(heat.heat_maps(killed.verdict, evidence, hands))


def reports(ranks, slow=(), *, count=60, gap=()):
    return [
        {
            "node": f"n{rank // 8}",
            "rank": rank,
            "attempt": 0,
            "source": f"r{rank}",
            "step": step,
            "step_time_s": 3.0 if rank in slow and 20 <= step < 40 else 1.0,
            "ts_ns": scenarios.START + step * scenarios.SECOND,
        }
        for rank in range(ranks)
        for step in range(count)
        if not (rank in gap and 20 <= step < 40)
    ]


def strokes(drawn, level):
    """(row, from, to) of each stroke of a colour, in columns of the picture."""
    found = re.search(rf'<path class="heat-{level}" stroke-width="(\d+)" d="([^"]*)"', drawn.picture)
    if found is None:
        return []
    tall = int(found[1]) + 1
    out = []
    for x, y, wide in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", found[2]):
        out.append((int((float(y) - heat._TOP) // tall), float(x), float(x) + float(wide)))
    return out


@pytest.mark.parametrize("ranks", [4, 48, 512])
def test_one_slow_rank_is_seen_among_any_number(killed, ranks):
    (drawn,) = maps(killed, reports(ranks, slow={2}))
    ((row, begin, end),) = strokes(drawn, heat.LEVELS - 1)
    labels = re.findall(r'<text class="tick end[^>]*><title>([^<]*)</title>', drawn.picture)
    assert len(labels) <= heat.MOST_ROWS
    assert labels[row].startswith("rank 2") if ranks < 100 else labels[row].startswith("rank 0 + ")
    third = (heat.WIDTH - heat._LEFT - heat._RIGHT) / 3
    assert abs(begin - heat._LEFT - third) < 0.1 * third
    assert abs(end - begin - third) < 0.1 * third


def test_whom_the_verdict_names_has_a_row_of_its_own_on_top(killed):
    (drawn,) = maps(killed, reports(512, slow={killed.verdict.first_failing.rank}))
    ((row, _, _),) = strokes(drawn, heat.LEVELS - 1)
    assert row == 0
    assert f"<title>rank {killed.verdict.first_failing.rank}</title>" in drawn.picture
    assert "A row is" in drawn.note


def test_no_reading_is_a_blank_and_not_a_colour(killed):
    (drawn,) = maps(killed, reports(4, gap={1}))
    rows = [row for level in range(heat.LEVELS) for row, _, _ in strokes(drawn, level)]
    assert {row: rows.count(row) for row in rows} == {0: 1, 1: 2, 2: 1, 3: 1}


def test_words_say_who_strays(killed):
    (drawn,) = maps(killed, reports(4) + [{**row, "step_time_s": 2.5} for row in reports(5)[-60:]])
    assert drawn.note.startswith("Median of all 1 s; furthest from it over the whole: rank 4 (2.5 s).")
    assert drawn.note in drawn.picture


def test_one_row_alone_is_no_map(killed):
    assert maps(killed, reports(1)) == []


def test_gpus_of_a_node_share_a_row_with_none_of_half_a_node():
    order = [f"node{node:02} GPU {gpu}" for node in range(64) for gpu in range(8)]
    rows, share = heat._rows(order, [])
    assert share == 16
    assert [label for label, _ in rows[:2]] == ["node00 GPU 0 + 15", "node02 GPU 0 + 15"]
    assert sum(len(names) for _, names in rows) == 512
    assert len(heat._rows([f"rank {rank}" for rank in range(512)], [])[0]) == 47
