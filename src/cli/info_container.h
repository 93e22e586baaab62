// What `opscope info` says of a program container.

#ifndef OPSCOPE_CLI_INFO_CONTAINER_H
#define OPSCOPE_CLI_INFO_CONTAINER_H

#include "reports/qaic/container.h"
#include "table_options.h"
#include "wire/json.h"

// As text, or as an object of `json` where that is not NULL.
status info_container_show(const char *path, const struct table_options *options,
                           struct json_writer *json);

#endif
