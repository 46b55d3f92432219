//go:build ollama && cgo && linux && amd64

package model

/*
#include <stdio.h>
#include <unistd.h>

// The C and C++ code of this build, static initialisers included, uses the
// instructions that it was compiled for. On a processor without them it would die
// of an illegal instruction before Go starts, so this runs first, compiled for any
// x86-64, and says what is missing.
#if defined(__GNUC__) && (defined(__AVX2__) || defined(__FMA__) || defined(__F16C__))
__attribute__((constructor(101), target("no-avx,no-avx2,no-fma,no-f16c"), optimize("O1")))
static void holdpoint_cpu_guard(void) {
	static const char text[] = "holdpoint: this build needs a processor with AVX2, FMA and F16C; use the build without its own model server\n";
	__builtin_cpu_init();
#ifdef __AVX2__
	if (!__builtin_cpu_supports("avx2")) goto missing;
#endif
#ifdef __FMA__
	if (!__builtin_cpu_supports("fma")) goto missing;
#endif
#ifdef __F16C__
	if (!__builtin_cpu_supports("f16c")) goto missing;
#endif
	return;
missing:
	if (write(2, text, sizeof text - 1) < 0) _exit(2);
	_exit(1);
}
#endif
*/
import "C"
