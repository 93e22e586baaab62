// Databases of Nsight Systems.

#include "database.h"
#include "formats/nsys/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_database((struct view){(const char *)data, size}, nsys_recognise, nsys_read);
    return 0;
}
