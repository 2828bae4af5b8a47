// What Debian 12's libstdc++.a and ICU, linked statically into programs and libraries for an older glibc, need beside
// it (scripts/manylinux.sh).

// Of a newer glibc. Threads may exist, so atomic operations are needed.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// In the place of glibc's timezone and tzname, which ICU reads to find the local time zone.
__attribute__((visibility("hidden"))) long unused_timezone = 0;
__attribute__((visibility("hidden"))) char* unused_tzname[2] = {"UTC", "UTC"};
