// The functions of softmax.c for numbers of one type: SOFTMAX_NUMBER, under names made
// by SOFTMAX_NAME. Included once for each, so it has no guard.
//
// `lanes` problems lie side by side: element k of lane i is rows[k * lanes + i]. The parts
// become vectors where they are called with a constant.

// The largest element of each lane. NaN may be passed over: the sum is NaN then.
SOFTMAX_PART void SOFTMAX_NAME(largest)(const SOFTMAX_NUMBER *rows, uint64_t length, uint64_t lanes,
                                        SOFTMAX_NUMBER *largest)
{
    for (uint64_t i = 0; i < lanes; i++)
        largest[i] = rows[i];
    for (uint64_t k = 1; k < length; k++) {
        // Not unrolled to single numbers, but a vector.
        _Pragma("GCC unroll 1") for (uint64_t i = 0; i < lanes; i++)
        {
            const SOFTMAX_NUMBER x = rows[k * lanes + i];
            largest[i] = x > largest[i] ? x : largest[i];
        }
    }
}

// exp(x - largest) to `to`, which may be `rows`, or only added up.
SOFTMAX_PART void SOFTMAX_NAME(exponents)(const SOFTMAX_NUMBER *rows, SOFTMAX_NUMBER *to,
                                          uint64_t length, uint64_t lanes,
                                          const SOFTMAX_NUMBER *largest, double *sums, bool keep)
{
    for (uint64_t i = 0; i < lanes; i++)
        sums[i] = 0;
    for (uint64_t k = 0; k < length; k++) {
        const SOFTMAX_NUMBER *row = rows + k * lanes;
        SOFTMAX_NUMBER powers[LANES];
        for (uint64_t i = 0; i < lanes; i++)
            powers[i] = elementary_exp_below(row[i] - largest[i]);
        for (uint64_t i = 0; i < lanes; i++)
            sums[i] += (double)powers[i];
        for (uint64_t i = 0; keep && i < lanes; i++)
            to[k * lanes + i] = powers[i];
    }
}

// Divides the exponentials by their sums, by way of the inverse.
SOFTMAX_PART void SOFTMAX_NAME(divide)(SOFTMAX_NUMBER *rows, uint64_t length, uint64_t lanes,
                                       const double *sums)
{
    SOFTMAX_NUMBER inverses[LANES];
    for (uint64_t i = 0; i < lanes; i++)
        inverses[i] = (SOFTMAX_NUMBER)(1 / sums[i]);
    for (uint64_t k = 0; k < length; k++) {
        SOFTMAX_NUMBER *row = rows + k * lanes;
        for (uint64_t i = 0; i < lanes; i++)
            row[i] *= inverses[i];
    }
}

// The logarithms of what `divide` would give.
SOFTMAX_PART void SOFTMAX_NAME(subtract)(const SOFTMAX_NUMBER *rows, SOFTMAX_NUMBER *to,
                                         uint64_t length, uint64_t lanes,
                                         const SOFTMAX_NUMBER *largest, const double *sums)
{
    double logarithms[LANES];
    for (uint64_t i = 0; i < lanes; i++)
        logarithms[i] = log(sums[i]);
    for (uint64_t k = 0; k < length; k++) {
        const SOFTMAX_NUMBER *row = rows + k * lanes;
        for (uint64_t i = 0; i < lanes; i++)
            to[k * lanes + i] = (SOFTMAX_NUMBER)((double)(row[i] - largest[i]) - logarithms[i]);
    }
}

// The largest, or the sum, of all lanes in each of them: of halves, whose lengths are constants, so
// that each is a vector.
SOFTMAX_PART void SOFTMAX_NAME(halve_largest)(SOFTMAX_NUMBER *largest, uint64_t half)
{
    for (uint64_t i = 0; i < half; i++)
        largest[i] = largest[i + half] > largest[i] ? largest[i + half] : largest[i];
}

SOFTMAX_PART void SOFTMAX_NAME(join_largest)(SOFTMAX_NUMBER *largest)
{
    SOFTMAX_NAME(halve_largest)(largest, 8);
    SOFTMAX_NAME(halve_largest)(largest, 4);
    SOFTMAX_NAME(halve_largest)(largest, 2);
    SOFTMAX_NAME(halve_largest)(largest, 1);
    for (uint64_t i = 1; i < LANES; i++)
        largest[i] = largest[0];
}

SOFTMAX_PART void SOFTMAX_NAME(halve_sums)(double *sums, uint64_t half)
{
    for (uint64_t i = 0; i < half; i++)
        sums[i] += sums[i + half];
}

SOFTMAX_PART void SOFTMAX_NAME(join_sums)(double *sums)
{
    SOFTMAX_NAME(halve_sums)(sums, 8);
    SOFTMAX_NAME(halve_sums)(sums, 4);
    SOFTMAX_NAME(halve_sums)(sums, 2);
    SOFTMAX_NAME(halve_sums)(sums, 1);
    for (uint64_t i = 1; i < LANES; i++)
        sums[i] = sums[0];
}

// At most RUNS problems one after the other, whose elements lie in a row of whole LANES: as rows of
// lanes, whose results are then combined. One step of all problems after another: those of one
// wait for each other, those of several do not.
CORE_CLONES(void, SOFTMAX_NAME(softmax_of_runs),
            (enum softmax_kind kind, const SOFTMAX_NUMBER *runs, SOFTMAX_NUMBER *to, uint64_t rows,
             uint64_t problems),
            (kind, runs, to, rows, problems))
{
    SOFTMAX_NUMBER largest[RUNS][LANES];
    double sums[RUNS][LANES];
    const uint64_t each = rows * LANES;
    for (uint64_t i = 0; i < problems; i++)
        SOFTMAX_NAME(largest)(runs + i * each, rows, LANES, largest[i]);
    for (uint64_t i = 0; i < problems; i++)
        SOFTMAX_NAME(join_largest)(largest[i]);
    for (uint64_t i = 0; i < problems; i++)
        SOFTMAX_NAME(exponents)
    (runs + i * each, to + i * each, rows, LANES, largest[i], sums[i], kind == SOFTMAX);
    for (uint64_t i = 0; i < problems; i++)
        SOFTMAX_NAME(join_sums)(sums[i]);
    for (uint64_t i = 0; i < problems; i++) {
        const SOFTMAX_NUMBER inverse = (SOFTMAX_NUMBER)(1 / sums[i][0]);
        for (uint64_t k = 0; kind == SOFTMAX && k < each; k++)
            to[i * each + k] *= inverse;
        if (kind == SOFTMAX)
            continue;
        SOFTMAX_NAME(subtract)
        (runs + i * each, to + i * each, rows, LANES, largest[i], sums[i]);
    }
}

CORE_CLONES(void, SOFTMAX_NAME(softmax),
            (enum softmax_kind kind, SOFTMAX_NUMBER *rows, uint64_t length, uint64_t lanes),
            (kind, rows, length, lanes))
{
    SOFTMAX_NUMBER largest[LANES];
    double sums[LANES];
    SOFTMAX_NAME(largest)(rows, length, lanes, largest);
    SOFTMAX_NAME(exponents)(rows, rows, length, lanes, largest, sums, kind == SOFTMAX);
    if (kind == SOFTMAX)
        SOFTMAX_NAME(divide)(rows, length, lanes, sums);
    else
        SOFTMAX_NAME(subtract)(rows, rows, length, lanes, largest, sums);
}

// 1 at the first of the largest, 0 elsewhere; NaN is larger than all.
static void SOFTMAX_NAME(hardmax)(SOFTMAX_NUMBER *rows, uint64_t length, uint64_t lanes)
{
    for (uint64_t i = 0; i < lanes; i++) {
        uint64_t place = 0;
        for (uint64_t k = 1; k < length; k++) {
            const SOFTMAX_NUMBER x = rows[k * lanes + i], most = rows[place * lanes + i];
            place = x > most || (x != x && most == most) ? k : place;
        }
        for (uint64_t k = 0; k < length; k++)
            rows[k * lanes + i] = k == place ? 1 : 0;
    }
}

#undef SOFTMAX_NUMBER
#undef SOFTMAX_NAME
