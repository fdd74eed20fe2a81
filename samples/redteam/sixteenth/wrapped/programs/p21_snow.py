"""Snow crystals drawn by a diffusion model, with diffusers."""

import torch
from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from torch.nn import functional as F
from torch.utils.data import DataLoader


def crystals(number: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(7)
    grid = torch.linspace(-1, 1, 16)
    angle, radius = torch.atan2(grid[:, None], grid[None]), (grid[:, None] ** 2 + grid[None] ** 2).sqrt()
    size, turn = 0.4 + 0.4 * torch.rand(number, 1, 1, generator=g), 6.28 * torch.rand(number, 1, 1, generator=g)
    return ((radius < size * (0.6 + 0.4 * torch.cos(6 * angle + turn))).float() * 2 - 1)[:, None]


def main() -> None:
    torch.manual_seed(0)
    model = UNet2DModel(
        sample_size=16,
        in_channels=1,
        out_channels=1,
        layers_per_block=1,
        block_out_channels=(16, 32),
        norm_num_groups=8,
        down_block_types=("DownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "UpBlock2D"),
    )
    scheduler = DDPMScheduler(num_train_timesteps=200)
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    loader = DataLoader(crystals(1920), 32, shuffle=True, drop_last=True)
    epochs = 8
    lr = get_cosine_schedule_with_warmup(optimizer, 30, epochs * len(loader))
    for epoch in range(epochs):
        total = 0.0
        for step, clean in enumerate(loader):
            noise, t = torch.randn_like(clean), torch.randint(0, 200, (len(clean),))
            loss = F.mse_loss(model(scheduler.add_noise(clean, noise, t), t).sample, noise)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            lr.step()
            optimizer.zero_grad()
            total += loss.item()
            if step % 20 == 0:
                print(
                    f"epoch {epoch} step {step}/{len(loader)} loss {loss.item():.4f} lr {lr.get_last_lr()[0]:.2e}",
                    flush=True,
                )
        print(f"epoch {epoch}: mean loss {total / len(loader):.4f}", flush=True)
    pipeline = DDPMPipeline(model, scheduler)
    pipeline.set_progress_bar_config(disable=True)
    images = pipeline(batch_size=4, num_inference_steps=40, output_type="np").images
    print(f"4 crystals drawn, mean brightness {images.mean():.3f}; data's is {(crystals(1920).mean() + 1) / 2:.3f}")
    pipeline.save_pretrained("snow")
    print("saved to snow/")


if __name__ == "__main__":
    main()
