// Databases of rocprofv3.

#include "database.h"
#include "formats/rocpd/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_database((struct view){(const char *)data, size}, rocpd_recognise, rocpd_read);
    return 0;
}
