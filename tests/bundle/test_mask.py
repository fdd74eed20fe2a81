from __future__ import annotations

import json
import time

import pyarrow as pa
import pytest

from inquest.bundle.mask import RULES, Masker

# Every secret is put together at run time: none of these strings was ever valid, and no scanner should find one here.
H40 = "0123456789abcdef0123456789abcdef01234567"
A36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + "." + "dozjgNryP4J3jVmNHl0w5N"

SECRETS = [
    ("huggingface", "logged in with {} ok", "hf_" + A36),
    ("huggingface", "HF_TOKEN={}", "hf_" + A36),
    ("github", "git clone https://{}@github.com/a/b", "ghp_" + A36),
    ("github", "tok {}.", "gho_" + A36),
    ("github", "tok {}.", "github_pat_" + "11ABCDEFG0" + "_" + A36),
    ("gitlab", "tok {}", "glpat-" + A36[:20]),
    ("aws_id", "AWS_ACCESS_KEY_ID={}", "AKIA" + "ABCDEFGHIJ234567"),
    ("aws_id", "id '{}'", "ASIA" + "ABCDEFGHIJ234567"),
    ("aws_secret", "AWS_SECRET_ACCESS_KEY={}", A36 + "/+aB"),
    ("aws_secret", "aws_secret_access_key = {}", A36 + "/+aB"),
    ("google", "key={}", "AIza" + A36[:35]),
    ("google_key_id", '"private_key_id": "{}",', H40),
    ("openai", "OPENAI_API_KEY={}", "sk-" + A36),
    ("openai", "key {} used", "sk-proj-" + A36),
    ("slack", "{}", "xoxb-" + "123456789012-abcdefABCDEF"),
    ("slack_hook", "POST https://hooks.slack.com/services/{}", "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"),
    ("wandb", "WANDB_API_KEY={}", H40),
    ("wandb", "wandb login {}", H40),
    ("wandb", "wandb: Paste an API key from your profile and hit enter: {}", H40),
    ("netrc", "machine api.wandb.ai login user password {}", H40),
    ("authorization", "Authorization: Bearer {}", "abcdefgh"),
    ("authorization", "'authorization': 'Basic {}'", "dXNlcjpwYXNz"),
    ("bearer", "curl -H 'X: bearer {}'", A36),
    ("url_password", "postgres://me:{}@db.example/x", "p@ss:w0rd"),
    ("url_password", "http_proxy=http://user:{}@proxy:3128/", "hunter"),
    ("url_token", "https://{}@host/x", A36),
    ("signed_url", "https://x.blob.core.windows.net/a?sv=1&sig={}&se=2", "AbC%2Fdef0123456789%3D"),
    ("signed_url", "https://b.s3.amazonaws.com/o?X-Amz-Signature={}", H40 + "0123456789abcdef01234567"),
    ("flag", "train.py --hub-token {} --lr 1e-4", "abc123def456"),
    ("password", "DB_PASSWORD={}", "hunter"),
    ("password", "{{'password': '{}'}}", "correct horse battery"),
    ("password", "password: {}", "hunter2"),
    ("secret", "client_secret={}", "abc123def456"),
    ("secret", 'api_key="{}"', "abc123def456"),
    ("token", "access_token={}", "abc123def456"),
    ("token", '"token": "{}"', "abc123def456"),
    ("token", "https://host/x?token={}&y=1", "abc123def456"),
    ("jwt", "got {} back", JWT),
]

ORDINARY = [
    "step 10/100 loss 2.3456 lr 1e-4 grad_norm 0.87 12345 tokens/s",
    "max_new_tokens=256 num_tokens: 1234 tokens_per_s=5.1e+04",
    "<|token|> <|endoftext|> pad_token=</s> eos_token: <|im_end|>",
    "pad_token='<|pad_0|>' bos_token=bos_token_id_1 mask_token: [MASK]",
    "next_token=world1234 stop_token=abc12345",
    "token=50256 token: 1.5e+10 token=0x7ffd1234abcd",
    "token_type_ids=None use_auth_token=None token=True hub_token=null",
    "pip install sk-learn sk-learn-contrib-a-very-long-name-indeed",
    "tokenizer=gpt2 tokenizer: meta-llama/Llama-3.1-8B-Instruct",
    f"Checkpoint hash {H40} saved; commit {H40}",
    f"wandb: Run data is saved locally in /x/run-20261120_101112-{H40[:8]}",
    f"wandb: git commit {H40}",
    "wandb: Syncing run fluent-frost-12",
    "hf_model_name=llama hf_hub_download hf_transfer_enabled_for_this_run",
    "https://huggingface.co/gpt2/resolve/main/model.safetensors",
    "tcp://10.0.0.1:29500 init_method=tcp://node01:29500",
    "git@github.com:org/repo.git user@host:/path",
    "Enter password: ",
    "Invalid password: incorrect",
    "password=None password: null password=***",
    "the bearer of good news, bearer authentication failed",
    "secret=None secretary=present secret_santa",
    "eyJ is how a JWT begins",
    "key=value api_key=None",
    "AKIA is a prefix; ASIAN markets",
    "xoxo-with-love",
    "checkpoint=s3://bucket/step_1000/model.pt@v2",
    "-----BEGIN CERTIFICATE-----",
    "ghp_short",
    "Traceback (most recent call last):",
]


@pytest.mark.parametrize(("rule", "template", "secret"), SECRETS)
def test_secret_is_masked_and_counted(rule: str, template: str, secret: str) -> None:
    masker = Masker(b"key")
    masked = masker.text(template.format(secret), "log_lines", "text")
    assert secret not in masked
    assert f"[masked:{rule}:" in masked
    before, after = template.replace("{{", "{").replace("}}", "}").split("{}")
    assert masked.startswith(before)
    assert masked.endswith(after)
    assert masker.counts() == {(rule, "log_lines", "text"): 1}


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_text_is_left_alone(line: str) -> None:
    masker = Masker(b"key")
    assert masker.text(line) == line
    assert masker.counts() == {}


def test_every_rule_has_a_sample() -> None:
    assert {rule for rule, _, _ in SECRETS} | {"private_key"} == {rule.name for rule in RULES}


def test_column_gives_what_text_gives() -> None:
    """The RE2 hints of whole columns and the Python ones find the same lines."""
    lines = [template.format(secret) for _, template, secret in SECRETS] + ORDINARY
    lines.append("Ünïcödé ↑ hf_" + A36)
    masked = Masker(b"key").column(pa.array([*lines, None]), "t", "c").to_pylist()
    assert masked == [*(Masker(b"key").text(line) for line in lines), None]


def test_masking_twice_changes_nothing() -> None:
    masker = Masker(b"key")
    once = [masker.text(template.format(secret)) for _, template, secret in SECRETS]
    assert [masker.text(line) for line in once] == once


def test_equal_secrets_look_equal_under_one_key_only() -> None:
    line = "x hf_" + A36
    assert Masker(b"a").text(line) == Masker(b"a").text(line)
    assert Masker(b"a").text(line) != Masker(b"b").text(line)
    assert Masker().text(line) == "x [masked:huggingface]"


BODY = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB", "abCD01+/", "Zm9v="]
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


def test_private_key_across_lines_and_calls() -> None:
    masker = Masker(b"key")
    lines = [("out", "before"), ("out", BEGIN), ("err", "loss 0.5"), *(("out", b) for b in BODY), ("out", END)]
    lines += [("out", BODY[0]), ("err", "step 2")]
    masked: list[str] = []
    for stream, line in lines:  # one line a call: the border between two batches may lie anywhere
        masked += masker.column(pa.array([line]), "log_lines", "text", [stream]).to_pylist()
    text = "\n".join(masked[:-2])
    assert not any(body in text for body in BODY)
    assert masked[0] == "before"
    assert masked[2] == "loss 0.5"
    assert masked[-2:] == [BODY[0], "step 2"]  # behind the end, base64 is only base64
    whole = Masker(b"key").column(pa.array([t for _, t in lines]), "log_lines", "text", [s for s, _ in lines])
    assert whole.to_pylist() == masked


def test_two_private_keys_of_which_one_ends() -> None:
    lines = [f"{BEGIN} {END} {BEGIN}", BODY[0], END, BODY[0]]
    masked = Masker(b"key").column(pa.array(lines), "log_lines", "text", ["out"] * 4).to_pylist()
    assert BODY[0] not in masked[1]
    assert masked[3] == BODY[0]


def test_private_key_within_one_text() -> None:
    key = json.dumps({"private_key": "\n".join([BEGIN, *BODY, END, ""]), "x": "kept"})
    masked = Masker(b"key").text(key)
    assert not any(body in masked for body in BODY)
    assert "kept" in masked


def test_private_key_behind_a_prefix_of_a_rank() -> None:
    lines = [f"[rank0]: {line}" for line in [BEGIN, *BODY, END]]
    masked = Masker(b"key").column(pa.array(lines), "log_lines", "text", ["out"] * len(lines)).to_pylist()
    assert not any(body in line for body in BODY for line in masked)


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "eyJ",
            "eyJaaaaaaaaa.",
            "hf_",
            "sk-",
            "sk-proj-",
            "://",
            "://a:",
            "password",
            "password=",
            "token=",
            "token =",
        ),
        *("-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "--token ", "-a", "a-", "secret: '", "api_key ", "api key a"),
        *(
            "wandb",
            "login a ",
            "login\tpassword ",
            "bearer ",
            "authorization: ",
            "?sig=",
            "aws_secret_key",
            "ghp_",
            "1",
        ),
        *("://1", "xoxb-", "AKIA", " ", "\\n", "=", 'token"', "://a@", "hooks.slack.com/services/"),
    ],
)
@pytest.mark.parametrize("end", ["", "!", "-----END PRIVATE KEY-----"])
def test_no_line_takes_more_than_linear_time(unit: str, end: str) -> None:
    """Sixteen times the length may take about sixteen times as long; quadratic would be 256 times."""
    masker = Masker(b"key")

    def cost(length: int) -> float:
        line = (unit * length)[:length] + end
        began = time.process_time()
        masker._line(line, "s", "", "")  # as the begin of a private key, or as any line
        masker._line(line, "s", "", "")  # as part of one, where the line above began it
        masker._blocks.clear()
        return time.process_time() - began

    if cost(64 << 10) > 0.3:  # slow, or a slow machine: only then is the ratio looked at
        long, short = (min(cost(length) for _ in range(3)) for length in (64 << 10, 4 << 10))
        assert long < 80 * short
