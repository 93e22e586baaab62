// The functions of softmax.c for numbers of one type: SOFTMAX_NUMBER, under names made
// by SOFTMAX_NAME. Included once for each, so it has no guard.
//
// `lanes` problems lie side by side: element k of lane i is rows[k * lanes + i].

// The largest element of each lane; NaN wins.
CORE_CLONES static void SOFTMAX_NAME(largest)(const SOFTMAX_NUMBER *rows, uint64_t length,
                                              uint64_t lanes, SOFTMAX_NUMBER *largest)
{
    for (uint64_t i = 0; i < lanes; i++)
        largest[i] = rows[i];
    for (uint64_t k = 1; k < length; k++) {
        for (uint64_t i = 0; i < lanes; i++) {
            const SOFTMAX_NUMBER x = rows[k * lanes + i];
            largest[i] = x > largest[i] || x != x ? x : largest[i];
        }
    }
}

// exp(x - largest) in place, or only added up.
CORE_CLONES static void SOFTMAX_NAME(exponents)(SOFTMAX_NUMBER *rows, uint64_t length,
                                                uint64_t lanes, const SOFTMAX_NUMBER *largest,
                                                double *sums, bool keep)
{
    for (uint64_t i = 0; i < lanes; i++)
        sums[i] = 0;
    for (uint64_t k = 0; k < length; k++) {
        SOFTMAX_NUMBER *row = rows + k * lanes;
        SOFTMAX_NUMBER powers[LANES];
        for (uint64_t i = 0; i < lanes; i++)
            powers[i] = elementary_exp(row[i] - largest[i]);
        for (uint64_t i = 0; i < lanes; i++)
            sums[i] += (double)powers[i];
        for (uint64_t i = 0; keep && i < lanes; i++)
            row[i] = powers[i];
    }
}

// Divides the exponentials by their sum, or gives the logarithms of those quotients.
CORE_CLONES static void SOFTMAX_NAME(finish)(enum softmax_kind kind, SOFTMAX_NUMBER *rows,
                                             uint64_t length, uint64_t lanes,
                                             const SOFTMAX_NUMBER *largest, const double *sums)
{
    double logarithms[LANES] = {0};
    for (uint64_t i = 0; kind == LOG_SOFTMAX && i < lanes; i++)
        logarithms[i] = log(sums[i]);
    for (uint64_t k = 0; k < length; k++) {
        SOFTMAX_NUMBER *row = rows + k * lanes;
        for (uint64_t i = 0; kind == SOFTMAX && i < lanes; i++)
            row[i] /= (SOFTMAX_NUMBER)sums[i];
        for (uint64_t i = 0; kind == LOG_SOFTMAX && i < lanes; i++)
            row[i] = (SOFTMAX_NUMBER)((double)(row[i] - largest[i]) - logarithms[i]);
    }
}

// One problem whose elements lie in a row: as rows of LANES lanes, and the rest behind
// them as one shorter row, whose results are then combined.
static void SOFTMAX_NAME(softmax_of_run)(enum softmax_kind kind, SOFTMAX_NUMBER *run,
                                         uint64_t length)
{
    const uint64_t full = length / LANES;
    const uint64_t rest = length % LANES;
    SOFTMAX_NUMBER *tail = run + full * LANES;
    SOFTMAX_NUMBER largest[LANES];
    SOFTMAX_NUMBER most = run[0];
    for (int part = 0; part < 2; part++) {
        const uint64_t lanes = part == 0 ? LANES : rest;
        const uint64_t rows = part == 0 ? full : rest > 0;
        if (rows > 0)
            SOFTMAX_NAME(largest)(part == 0 ? run : tail, rows, lanes, largest);
        for (uint64_t i = 0; rows > 0 && i < lanes; i++)
            most = largest[i] > most || largest[i] != largest[i] ? largest[i] : most;
    }
    double sums[LANES];
    double sum = 0;
    for (uint64_t i = 0; i < LANES; i++)
        largest[i] = most;
    SOFTMAX_NAME(exponents)(run, full, LANES, largest, sums, kind == SOFTMAX);
    for (uint64_t i = 0; i < LANES; i++)
        sum += sums[i];
    SOFTMAX_NAME(exponents)(tail, 1, rest, largest, sums, kind == SOFTMAX);
    for (uint64_t i = 0; i < rest; i++)
        sum += sums[i];
    for (uint64_t i = 0; i < LANES; i++)
        sums[i] = sum;
    SOFTMAX_NAME(finish)(kind, run, full, LANES, largest, sums);
    SOFTMAX_NAME(finish)(kind, tail, 1, rest, largest, sums);
}

static void SOFTMAX_NAME(softmax)(enum softmax_kind kind, SOFTMAX_NUMBER *rows, uint64_t length,
                                  uint64_t lanes)
{
    SOFTMAX_NUMBER largest[LANES];
    double sums[LANES];
    SOFTMAX_NAME(largest)(rows, length, lanes, largest);
    SOFTMAX_NAME(exponents)(rows, length, lanes, largest, sums, kind == SOFTMAX);
    SOFTMAX_NAME(finish)(kind, rows, length, lanes, largest, sums);
}

// 1 at the first of the largest, 0 elsewhere.
static void SOFTMAX_NAME(hardmax)(SOFTMAX_NUMBER *rows, uint64_t length, uint64_t lanes)
{
    SOFTMAX_NUMBER largest[LANES];
    SOFTMAX_NAME(largest)(rows, length, lanes, largest);
    for (uint64_t i = 0; i < lanes; i++) {
        bool found = false;
        for (uint64_t k = 0; k < length; k++) {
            const SOFTMAX_NUMBER x = rows[k * lanes + i];
            const bool here = !found && (x == largest[i] || x != x);
            rows[k * lanes + i] = here ? 1 : 0;
            found = found || here;
        }
    }
}

#undef SOFTMAX_NUMBER
#undef SOFTMAX_NAME
