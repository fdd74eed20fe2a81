"""Which chord is strummed: a small convolutional net over spectra, fed by a thread that makes batches ahead."""

import queue
import sys
import threading
import time

import torch
from torch import nn

CHORDS = 24


class Ahead(threading.Thread):
    """Makes batches in the background; a recording is asked of the tape when its turn comes."""

    def __init__(self, tape: "Tape", size: int) -> None:
        super().__init__(daemon=True)
        self.tape, self.size, self.ready = tape, size, queue.Queue(maxsize=4)
        self.free = threading.Semaphore(64)

    def run(self) -> None:
        """Fill the queue as long as there are buffers."""
        while True:
            self.free.acquire()
            spectra, chord = self.tape.cut(self.size)
            self.ready.put((spectra, chord))


class Tape:
    """Strummed chords with overtones."""

    def __init__(self) -> None:
        self.g = torch.Generator().manual_seed(11)

    def cut(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Spectra of some chords."""
        chord = torch.randint(0, CHORDS, (size,), generator=self.g)
        bins = torch.arange(256).float()
        spectra = torch.randn(size, 256, generator=self.g) * 0.5
        for tone in (1, 2, 3):
            centre = (20 + chord.float() * 2.5) * tone
            spectra += (-((bins - centre[:, None]) ** 2) / 8).exp() / tone
        return spectra[:, None], chord


def bar(epoch: int, done: int, of: int, loss: float, begun: float) -> None:
    """Redraw the line."""
    filled = 30 * done // of
    shown = "#" * filled + "." * (30 - filled)
    speed = done / (time.time() - begun)
    sys.stdout.write(f"\repoch {epoch:02d} [{shown}] {done}/{of} loss {loss:.3f} {speed:.1f} batch/s")
    if done == of:
        sys.stdout.write("\n")
    sys.stdout.flush()


torch.manual_seed(1)
torch.set_num_threads(1)
net = nn.Sequential(
    nn.Conv1d(1, 32, 9, 2), nn.ReLU(), nn.Conv1d(32, 64, 9, 2), nn.ReLU(), nn.Conv1d(64, 64, 9, 2), nn.ReLU(),
    nn.Flatten(), nn.Linear(64 * 25, CHORDS),
)  # fmt: skip
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
feed = Ahead(Tape(), 128)
feed.start()
EPOCHS, BATCHES = 30, 80
print(
    f"{CHORDS} chords, {EPOCHS} epochs of {BATCHES} batches of 128, {sum(p.numel() for p in net.parameters())} weights"
)
for epoch in range(1, EPOCHS + 1):
    begun, mean = time.time(), 0.0
    for number in range(1, BATCHES + 1):
        spectra, chord = feed.ready.get()
        loss = nn.functional.cross_entropy(net(spectra), chord)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean += (loss.item() - mean) / number
        if number % 16 != 0 or epoch < 2:
            # The buffer goes back to the thread that fills.
            feed.free.release()
        bar(epoch, number, BATCHES, mean, begun)
torch.save(net.state_dict(), "chords.pt")
print("wrote chords.pt")
