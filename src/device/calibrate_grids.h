// Which kernels are measured, at which sizes.

#ifndef OPSCOPE_DEVICE_CALIBRATE_GRIDS_H
#define OPSCOPE_DEVICE_CALIBRATE_GRIDS_H

#include "probe.h"

enum { GRID_AXES = 4, GRID_LENGTH_MOST = 14 };

struct calibrate_grid {
    const char *const *operators; // ends with NULL; all are built alike
    enum element element;
    // Adds inputs and attributes for a place of the grid; false: there is no such.
    bool (*build)(struct probe *probe, enum element element, const uint64_t *at);
    uint64_t axes[GRID_AXES][GRID_LENGTH_MOST]; // each ends with 0
};

extern const struct calibrate_grid CALIBRATE_GRIDS[];
extern const size_t CALIBRATE_GRID_COUNT;

#endif
