"""Height of the tide at a pier, by a Gaussian process, with GPyTorch."""

import time

import gpytorch
import torch

HOURS = 1400


class Tide(gpytorch.models.ExactGP):
    """A wave that repeats and slowly changes."""

    def __init__(self, x: torch.Tensor, y: torch.Tensor, likelihood: gpytorch.likelihoods.Likelihood) -> None:
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        kernels = gpytorch.kernels
        self.covar_module = kernels.ScaleKernel(kernels.PeriodicKernel() * kernels.RBFKernel()) + kernels.ScaleKernel(
            kernels.MaternKernel(1.5)
        )

    def forward(self, x: torch.Tensor) -> gpytorch.distributions.MultivariateNormal:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


torch.manual_seed(6)
x = torch.linspace(0, 58, HOURS)
y = torch.sin(12.15 * x) + 0.4 * torch.sin(12.57 * x) + 0.1 * torch.randn(HOURS)
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Tide(x, y, likelihood).train()
optimizer = torch.optim.Adam(model.parameters(), 0.03)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
print(f"tide at the pier: {HOURS} hours, 1500 iterations", flush=True)
began = time.time()
for i in range(1, 1501):
    optimizer.zero_grad()
    loss = -mll(model(x), y)
    loss.backward()
    optimizer.step()
    if i % 5 == 0:
        print(
            f"Iter {i}/1500 - Loss: {loss.item():.4f}  noise: {likelihood.noise.item():.4f}  ({(time.time() - began) / i:.2f} s/iter)",
            flush=True,
        )
torch.save(model.state_dict(), "tide.pt")
print("saved tide.pt")
