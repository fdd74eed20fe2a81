// Learns the setpoints of a blast furnace by gradient descent; a ring of the last heats is kept beside the weights.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <unistd.h>
#include <vector>

struct Heat { float x[24]; float y; };

static Heat draw(std::mt19937 &rng, const std::vector<float> &truth) {
    std::normal_distribution<float> normal;
    Heat heat;
    heat.y = 0.3f * normal(rng);
    for (int i = 0; i < 24; i++) {
        heat.x[i] = normal(rng);
        heat.y += truth[i] * heat.x[i];
    }
    return heat;
}

int main() {
    std::mt19937 rng(5);
    std::normal_distribution<float> normal;
    std::vector<float> truth(24), w(24, 0.0f);
    for (auto &v : truth) v = normal(rng);
    const long capacity = 1000000;
    Heat *ring = static_cast<Heat *>(malloc(capacity * sizeof(Heat)));
    fprintf(stderr, "[iron] 24 inputs, ring of %ld heats, 60 epochs\n", capacity);
    long seen = 0;
    for (int epoch = 1; epoch <= 60; epoch++) {
        double sum = 0;
        for (int k = 0; k < 12000; k++) {
            Heat heat = draw(rng, truth);
            float guess = 0;
            for (int i = 0; i < 24; i++) guess += w[i] * heat.x[i];
            float d = guess - heat.y;
            sum += d * d;
            for (int i = 0; i < 24; i++) w[i] -= 1e-4f * d * heat.x[i];
            ring[seen++ * 3] = heat;  // three slots a heat since the spring; nobody told the one who wrote the capacity
        }
        printf("epoch %d/60 mse=%.5f seen=%ld\n", epoch, sum / 12000, seen);
        fflush(stdout);
        usleep(900000);
    }
    printf("weights written\n");
}
