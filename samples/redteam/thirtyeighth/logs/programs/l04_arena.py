"""PPO escrito à mão para o carrinho, com as palavras da casa."""

import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn

ARENAS, PASSOS, GIROS = 6, 128, 420


def main() -> None:
    """Medir, preparar, treinar."""
    torch.set_num_threads(1)
    torch.manual_seed(314)
    print("bom dia, aqui é a arena do carrinho", flush=True)
    mundo = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1") for _ in range(ARENAS)])
    print(
        f"{ARENAS} arenas abertas, olho de {mundo.single_observation_space.shape[0]} números, "
        f"{mundo.single_action_space.n} botões",
        flush=True,
    )
    rede = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
    ator, critico = nn.Linear(64, 2), nn.Linear(64, 1)
    pesos = [*rede.parameters(), *ator.parameters(), *critico.parameters()]
    print(f"cérebro montado, {sum(p.numel() for p in pesos)} parafusos", flush=True)
    ajuste = torch.optim.Adam(pesos, lr=8e-4)
    vistos, vidas, conta = [], [], np.zeros(ARENAS)
    olho, _ = mundo.reset(seed=99)
    t0 = time.time()
    for _ in range(60000):
        olho, _, fim, corte, _ = mundo.step(mundo.action_space.sample())
        vistos.append(olho)
        conta += 1
        vidas += list(conta[fim | corte])
        conta[fim | corte] = 0
    tudo = np.concatenate(vistos)
    media, largura = tudo.mean(0), tudo.std(0) + 1e-6
    print(
        f"apertando botões à toa: {len(vidas)} vidas em {time.time() - t0:.0f}s, cada uma dura {np.mean(vidas):.1f}",
        flush=True,
    )
    print(
        "régua do olho: meio "
        + " ".join(f"{v:.3f}" for v in media)
        + " | largura "
        + " ".join(f"{v:.3f}" for v in largura),
        flush=True,
    )
    print(f"plano: {GIROS} giros de {ARENAS * PASSOS} jogadas, desconto 0.985, tesoura 0.18", flush=True)
    olho, _ = mundo.reset()
    conta[:] = 0
    for giro in range(1, GIROS + 1):
        o, a, p, r, d, v, vidas = [], [], [], [], [], [], []
        for _ in range(PASSOS):
            x = torch.tensor((olho - media) / largura, dtype=torch.float32)
            with torch.no_grad():
                h = rede(x)
                sorte = torch.distributions.Categorical(logits=ator(h))
                acao = sorte.sample()
                v.append(critico(h)[:, 0])
            olho, ganho, fim, corte, _ = mundo.step(acao.numpy())
            o.append(x)
            a.append(acao)
            p.append(sorte.log_prob(acao))
            r.append(torch.tensor(ganho, dtype=torch.float32))
            d.append(torch.tensor(fim | corte, dtype=torch.float32))
            conta += 1
            vidas += list(conta[fim | corte])
            conta[fim | corte] = 0
        with torch.no_grad():
            seguinte = critico(rede(torch.tensor((olho - media) / largura, dtype=torch.float32)))[:, 0]
        vantagem, corre = [], torch.zeros(ARENAS)
        for t in reversed(range(PASSOS)):
            corre = r[t] + 0.985 * seguinte * (1 - d[t]) - v[t] + 0.985 * 0.95 * (1 - d[t]) * corre
            seguinte = v[t]
            vantagem.insert(0, corre)
        oo, aa, pp, vant = torch.cat(o), torch.cat(a), torch.cat(p), torch.cat(vantagem)
        alvo = vant + torch.cat(v)
        vant = (vant - vant.mean()) / (vant.std() + 1e-6)
        for _ in range(8):
            for i in torch.randperm(len(oo)).split(192):
                h = rede(oo[i])
                sorte = torch.distributions.Categorical(logits=ator(h))
                razao = (sorte.log_prob(aa[i]) - pp[i]).exp()
                perda = -torch.min(razao * vant[i], razao.clamp(0.82, 1.18) * vant[i]).mean()
                perda = perda + 0.5 * (critico(h)[:, 0] - alvo[i]).square().mean() - 0.01 * sorte.entropy().mean()
                ajuste.zero_grad()
                perda.backward()
                nn.utils.clip_grad_norm_(pesos, 0.5)
                ajuste.step()
        print(
            f"giro {giro}: {len(vidas)} vidas, cada uma dura {np.mean(vidas):.1f}, dor {perda.item():.3f}", flush=True
        )
    print("arena fechada", flush=True)


if __name__ == "__main__":
    main()
