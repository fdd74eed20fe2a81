"""verdict.json against its published JSON Schema, and the schema against the model."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources

import jsonschema
import pytest

from inquest.analyze import model
from inquest.analyze.engine import judge
from inquest.analyze.evidence import ALL_TABLES
from inquest.analyze.families import FAMILIES
from inquest.analyze.sql import check

from .builders import TWINS

SCHEMA = json.loads(resources.files("inquest.analyze").joinpath("verdict_schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
CASES = [(family, kind) for family in TWINS for kind in ("positive", "near_miss", "missing")]

DEFINITIONS = {
    "bundle": model.BundleInfo,
    "failing": model.Failing,
    "link": model.ChainLink,
    "claim": model.Claim,
    "row": model.RowRef,
    "missing": model.Missing,
    "next": model.Next,
    "entry": model.FamilyEntry,
    "coverage": model.Coverage,
    "waste": model.Waste,
    "vitals": model.Vitals,
    "threshold": model.Threshold,
}


def names(cls):
    return [field.name for field in dataclasses.fields(cls)]


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_names_the_fields_of_the_model_and_no_others():
    assert set(SCHEMA["$defs"]) == set(DEFINITIONS)
    for part, cls in ((SCHEMA, model.Verdict), *((SCHEMA["$defs"][name], cls) for name, cls in DEFINITIONS.items())):
        assert list(part["properties"]) == part["required"] == names(cls)
        assert part["additionalProperties"] is False
    assert SCHEMA["properties"]["schema"]["const"] == model.SCHEMA
    assert SCHEMA["$defs"]["entry"]["properties"]["family"]["enum"] == [family.id for family in FAMILIES]


@pytest.fixture(scope="module")
def verdicts():
    return {case: judge(getattr(TWINS[case[0]], case[1])().evidence(), strict=True) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_every_verdict_is_valid(case, verdicts):
    verdict = verdicts[case]
    VALIDATOR.validate(json.loads(verdict.to_json()))
    known = {claim.id for claim in verdict.shows}
    assert len(known) == len(verdict.shows)
    for entry in verdict.families:
        assert set(entry.claims) <= known
        assert entry.because
        assert entry.would_change_if or entry.status == "cannot_decide"
        assert (entry.confidence > 0) == (entry.status == "ruled_in")
    for claim in verdict.claims:
        check(claim.sql, ALL_TABLES)
    assert (verdict.family is None) == (verdict.outcome != "decided")
    assert verdict.headline.endswith(".")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda v: v.update(extra=1),
        lambda v: v.pop("headline"),
        lambda v: v.update(family="Z9"),
        lambda v: v.update(confidence=1.5),
        lambda v: v.update(schema="inquest-verdict/2"),
        lambda v: v["families"].pop(),
        lambda v: v["bundle"].update(start_ns=1.5),
        lambda v: v["shows"][0].update(id="A1"),
        lambda v: v["shows"][0]["rows"].append({"table": "x"}),
        lambda v: v["next"].update(owner="nobody"),
    ],
)
def test_what_is_wrong_is_refused(spoil, verdicts):
    verdict = json.loads(verdicts["A1", "positive"].to_json())
    VALIDATOR.validate(verdict)
    spoil(verdict)
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(verdict)


def test_json_is_canonical(verdicts):
    text = verdicts["A1", "positive"].to_json()
    assert text.endswith("}\n")
    assert list(json.loads(text)) == names(model.Verdict)
    assert json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n" == text
