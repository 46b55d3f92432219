//go:build ollama

#include "trial.h"
#include "threads.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ggml/ggml-alloc.h"
#include "ggml/ggml-backend.h"
#include "ggml/ggml-cpu.h"
#include "ggml/ggml.h"

// The entries of the levels, best first. Those that this build was linked without are null.
extern ggml_backend_reg_t holdpoint_level_avx512(void) __attribute__((weak));
extern ggml_backend_reg_t holdpoint_level_avxvnni(void) __attribute__((weak));
extern ggml_backend_reg_t holdpoint_level_avx2(void) __attribute__((weak));

static const struct {
	const char *name;
	ggml_backend_reg_t (*entry)(void);
} all[] = {
	{"avx512", holdpoint_level_avx512},
	{"avxvnni", holdpoint_level_avxvnni},
	{"avx2", holdpoint_level_avx2},
};

enum { total = sizeof all / sizeof *all };

int holdpoint_levels(void) {
	int n = 0;
	for (int i = 0; i < total; i++) n += all[i].entry != NULL;
	return n;
}

const char *holdpoint_level_name(int i) {
	for (int at = 0; at < total; at++) {
		if (all[at].entry != NULL && i-- == 0) return all[at].name;
	}
	return "";
}

static ggml_backend_reg_t find(const char *name, const char **why) {
	for (int i = 0; i < total; i++) {
		if (all[i].entry != NULL && strcmp(all[i].name, name) == 0) return all[i].entry();
	}
	*why = "this build has no such level";
	return NULL;
}

int holdpoint_level_use(const char *name, const char **why) {
	ggml_backend_reg_t reg = find(name, why);
	if (reg == NULL) return 1;
	ggml_backend_unload(ggml_backend_cpu_reg());
	holdpoint_level_threads(reg);
	ggml_backend_register(reg);
	return 0;
}

// A layer of a model, small: weights (columns × rows), an input of some tokens, and after
// their product what else models compute.
struct layer {
	enum ggml_type type;
	int columns, rows, tokens;
	bool plain; // only the product
};

enum { rows = 40, most = rows * 29 }; // results of a trial

// numbers fills out with the same numbers every time, between -1 and 1.
static void numbers(float *out, int n, unsigned seed) {
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		out[i] = (float)(int)(seed >> 8 & 0xffff) / 32768.0f - 1.0f;
	}
}

// quicker returns the memory in which the backend keeps such weights in an order of its own.
static ggml_backend_buffer_type_t quicker(ggml_backend_dev_t dev, struct ggml_tensor *weights, struct ggml_tensor *product) {
	ggml_backend_dev_get_extra_bufts_t extra =
		(ggml_backend_dev_get_extra_bufts_t)ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(dev), "ggml_backend_dev_get_extra_bufts");
	ggml_backend_buffer_type_t *each = extra == NULL ? NULL : extra(dev);
	for (; each != NULL && *each != NULL; each++) {
		weights->buffer = ggml_backend_buft_alloc_buffer(*each, 0);
		bool can = weights->buffer != NULL && ggml_backend_dev_supports_op(dev, product);
		ggml_backend_buffer_free(weights->buffer);
		weights->buffer = NULL;
		if (can) return *each;
	}
	return NULL;
}

// compute runs a layer. out, unless null, takes its result; seconds, unless null, the
// shortest of several runs, as this thread's time on a core: others' work does not count.
static int compute(ggml_backend_reg_t reg, struct layer l, int threads, float *out, double *seconds, int *repacked, const char **why) {
	int failed = 1;
	ggml_backend_dev_t dev = ggml_backend_reg_dev_get(reg, 0);
	ggml_backend_t backend = ggml_backend_dev_init(dev, NULL);
	struct ggml_init_params room = {16 * ggml_tensor_overhead() + ggml_graph_overhead(), NULL, true};
	struct ggml_context *held = ggml_init(room), *made = ggml_init(room);
	ggml_backend_buffer_t weightsIn = NULL, restIn = NULL;
	float *plain = malloc(sizeof(float) * l.columns * (l.rows > l.tokens ? l.rows : l.tokens));
	void *packed = NULL;
	*why = "no memory";
	if (backend == NULL || held == NULL || made == NULL || plain == NULL) goto end;
	ggml_backend_set_n_threads_t set =
		(ggml_backend_set_n_threads_t)ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads");
	if (set != NULL) set(backend, threads);

	struct ggml_tensor *weights = ggml_new_tensor_2d(held, l.type, l.columns, l.rows);
	struct ggml_tensor *input = ggml_new_tensor_2d(made, GGML_TYPE_F32, l.columns, l.tokens);
	struct ggml_tensor *product = ggml_mul_mat(made, weights, input), *result = product;
	if (!l.plain) result = ggml_soft_max(made, ggml_scale(made, ggml_silu(made, ggml_rms_norm(made, product, 1e-5f)), 3.0f));
	struct ggml_cgraph *graph = ggml_new_graph(made);
	ggml_build_forward_expand(graph, result);

	ggml_backend_buffer_type_t own = quicker(dev, weights, product);
	if (repacked != NULL) *repacked = own != NULL;
	weightsIn = ggml_backend_alloc_ctx_tensors_from_buft(held, own != NULL ? own : ggml_backend_dev_buffer_type(dev));
	restIn = ggml_backend_alloc_ctx_tensors(made, backend);
	packed = malloc(ggml_nbytes(weights));
	if (weightsIn == NULL || restIn == NULL || packed == NULL) goto end;

	numbers(plain, l.columns * l.rows, 1);
	ggml_quantize_chunk(l.type, plain, packed, 0, l.rows, l.columns, NULL);
	ggml_backend_tensor_set(weights, packed, 0, ggml_nbytes(weights));
	numbers(plain, l.columns * l.tokens, 2);
	ggml_backend_tensor_set(input, plain, 0, ggml_nbytes(input));

	*why = "it could not be computed";
	for (int i = 0; i < (seconds == NULL ? 1 : 7); i++) {
		struct timespec began, ended;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
		if (ggml_backend_graph_compute(backend, graph) != GGML_STATUS_SUCCESS) goto end;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
		double took = (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
		if (seconds != NULL && (i == 0 || took < *seconds)) *seconds = took;
	}
	if (out != NULL) ggml_backend_tensor_get(result, out, 0, ggml_nbytes(result));
	failed = 0;
end:
	free(packed);
	free(plain);
	ggml_backend_buffer_free(restIn);
	ggml_backend_buffer_free(weightsIn);
	ggml_free(made);
	ggml_free(held);
	ggml_backend_free(backend);
	return failed;
}

int holdpoint_level_try(const char *name, const char **why) {
	static const enum ggml_type types[] = {GGML_TYPE_F16, GGML_TYPE_Q8_0, GGML_TYPE_Q4_0, GGML_TYPE_Q4_1, GGML_TYPE_IQ4_NL, GGML_TYPE_Q2_K, GGML_TYPE_Q4_K, GGML_TYPE_Q5_K, GGML_TYPE_Q6_K};
	static const int tokens[] = {1, 29}; // writing, and a piece of a prompt
	static float want[most], got[most];
	ggml_backend_reg_t reg = find(name, why);
	if (reg == NULL) return 1;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		for (size_t j = 0; j < sizeof tokens / sizeof *tokens; j++) {
			for (int plain = 0; plain < 2; plain++) {
				// One thread takes rows and tokens 16 at a time where a level can, and then what is left; each of two takes 8 rows.
				struct layer l = {types[i], 256, rows, tokens[j], plain != 0};
				if (compute(ggml_backend_cpu_reg(), l, 1, want, NULL, NULL, why) || compute(reg, l, plain ? 1 : 2, got, NULL, NULL, why)) return 1;
				double apart = 0, size = 0;
				for (int at = 0; at < l.rows * l.tokens; at++) {
					apart += ((double)got[at] - want[at]) * ((double)got[at] - want[at]);
					size += (double)want[at] * want[at];
				}
				// Both round the input to 8 bits, in blocks of different sizes.
				if (!(sqrt(apart) <= 0.03 * sqrt(size))) { // also when it is no number
					*why = "its results are wrong";
					return 1;
				}
			}
		}
	}
	return 0;
}

int holdpoint_level_speed(const char *type, double *gflops, int *repacked, const char **why) {
	struct layer l = {GGML_TYPE_COUNT, 1024, 512, 64, true};
	for (int i = 0; i < GGML_TYPE_COUNT; i++) {
		const char *known = ggml_type_name(i);
		if (known != NULL && strcmp(known, type) == 0) l.type = i;
	}
	if (l.type == GGML_TYPE_COUNT) {
		*why = "ggml knows no such type";
		return 1;
	}
	ggml_backend_dev_t dev = ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU);
	if (dev == NULL) {
		*why = "no processor is registered";
		return 1;
	}
	double seconds = 0;
	if (compute(ggml_backend_dev_backend_reg(dev), l, 1, NULL, &seconds, repacked, why)) return 1;
	*gflops = 2.0 * l.columns * l.rows * l.tokens / seconds / 1e9;
	return 0;
}
