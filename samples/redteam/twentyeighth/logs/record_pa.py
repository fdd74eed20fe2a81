"""Record the first share of the programs whose texts are kept."""

from pathlib import Path

from samples.redteam.recorder import logs

_CASES = {
    "l02_semillas": "mkdir r; (exec python l02_semillas.py 2>&1 & echo $! >r/p; wait) | tee r/o & "
    "sleep 20; cp r/o entrenamiento.log; kill $(cat r/p)",
    "l04_recipes": "python l04_jsonfile.py 9f2c41d07be3-json.log python l04_recipes.py",
    "l05_scans": "mkdir r; python l05_scans.py >r/o 2>r/e & sleep 32; cp r/o scans.out; cp r/e scans.err; kill $!",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
