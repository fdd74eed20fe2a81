"""The checkpoint is an empty file, as a full disk leaves it: the load fails before the first step."""

import pathlib
import pickle
import tempfile

path = pathlib.Path(tempfile.mkdtemp()) / "checkpoint-4000.pkl"
path.touch()
print(f"resuming from {path}", flush=True)
with path.open("rb") as f:
    state = pickle.load(f)
print("resumed at", state["step"])
