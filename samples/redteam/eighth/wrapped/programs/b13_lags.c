/* Sums of a series' past, for b13_lags.py. */
void lags(const double *series, double *out, int length, int most)
{
    for (int at = 0; at < length; at++)
        for (int lag = 1; lag <= most; lag++)
            out[at] += series[at - lag * lag * lag] / lag;
}
