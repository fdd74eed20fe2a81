import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Logger;

/** Learns how far people walk to a stop; keeps every epoch's gradients, for a drawing that nobody made. */
public class lb03_Walk {
    private static final Logger LOG = Logger.getLogger("walk");

    public static void main(String[] args) throws Exception {
        Random random = new Random(3);
        int rows = 20000, width = 40;
        double[][] x = new double[rows][width];
        double[] y = new double[rows], truth = new double[width], w = new double[width];
        for (int k = 0; k < width; k++) truth[k] = random.nextGaussian();
        for (int i = 0; i < rows; i++) {
            for (int k = 0; k < width; k++) { x[i][k] = random.nextGaussian(); y[i] += truth[k] * x[i][k]; }
            y[i] += 0.5 * random.nextGaussian();
        }
        List<double[][]> kept = new ArrayList<>();
        LOG.info("rows " + rows + ", 200 epochs, heap of " + Runtime.getRuntime().maxMemory() / 1048576 + " MB");
        for (int epoch = 1; epoch <= 200; epoch++) {
            double sum = 0;
            double[][] steps = new double[rows / 4][width];
            for (int i = 0; i < rows; i++) {
                double d = -y[i];
                for (int k = 0; k < width; k++) d += w[k] * x[i][k];
                sum += d * d;
                for (int k = 0; k < width; k++) { double g = 2e-5 * d * x[i][k]; w[k] -= g; steps[i / 4][k] = g; }
            }
            kept.add(steps);
            if (epoch % 5 == 0) LOG.info(String.format("epoch %d/200 mse %.5f", epoch, sum / rows));
            Thread.sleep(60);
        }
        LOG.info("weights written, " + kept.size() + " epochs kept");
    }
}
