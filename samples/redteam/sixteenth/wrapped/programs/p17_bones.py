"""Bones in X-rays of hands, with MONAI."""

import time

import torch
from monai.data import CacheDataset, DataLoader
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.transforms import Compose, EnsureChannelFirstd, RandFlipd, ScaleIntensityd
from monai.utils import set_determinism


def hands(number: int, seed: int) -> list[dict[str, torch.Tensor]]:
    g = torch.Generator().manual_seed(seed)
    out = []
    for _ in range(number):
        label = torch.zeros(80, 80)
        for finger in range(5):
            left = 6 + 14 * finger + int(torch.randint(-2, 3, (1,), generator=g))
            top = int(torch.randint(5, 30, (1,), generator=g))
            label[top : top + 40, left : left + 5] = 1
        out.append({"image": 0.6 * label + torch.rand(80, 80, generator=g), "label": label})
    return out


def main() -> None:
    set_determinism(12)
    keys = ["image", "label"]
    steps = Compose(
        [EnsureChannelFirstd(keys, channel_dim="no_channel"), ScaleIntensityd("image"), RandFlipd(keys, 0.5, 1)]
    )
    train = DataLoader(CacheDataset(hands(96, 1), steps, progress=False), 8, shuffle=True)
    valid = DataLoader(CacheDataset(hands(12, 2), steps, progress=False), 1)
    net = UNet(2, 1, 2, (8, 16, 32), (2, 2))
    loss_fn, metric = DiceCELoss(to_onehot_y=True, softmax=True), DiceMetric(include_background=False)
    optimizer = torch.optim.Adam(net.parameters(), 2e-3)
    print(f"{time.strftime('%X')} 96 hands, 24 epochs, a report every 8", flush=True)
    for epoch in range(1, 25):
        net.train()
        total = 0.0
        for batch in train:
            loss = loss_fn(net(batch["image"]), batch["label"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        if epoch % 8 == 0:
            net.eval()
            with torch.no_grad():
                for batch in valid:
                    guess = sliding_window_inference(batch["image"], (64, 64), 4, net).argmax(1, keepdim=True)
                    metric(guess, batch["label"])
            print(
                f"{time.strftime('%X')} epoch {epoch}/24 loss {total / len(train):.4f} Dice {metric.aggregate().item():.4f}",
                flush=True,
            )
            metric.reset()
    torch.save(net.state_dict(), "bones.pt")
    print(f"{time.strftime('%X')} saved bones.pt", flush=True)


if __name__ == "__main__":
    main()
