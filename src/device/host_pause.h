// How threads that wait for one another look before they sleep.

#ifndef OPSCOPE_DEVICE_HOST_PAUSE_H
#define OPSCOPE_DEVICE_HOST_PAUSE_H

// Some 100 us, as long as a small task takes. The pool wakes no more threads than there are
// CPUs.
enum { HOST_LOOKS_MOST = 3000 };

static inline void host_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

#endif
