// What objects that were compiled with Debian 12's headers need of its newer glibc, for those of libstdc++.a and ICU
// that are linked statically into programs for an older one (scripts/manylinux.sh).

// Threads may exist, so atomic operations are needed.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
