//go:build ollama

#include "threads.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "ggml-backend-impl.h"
#include "ggml/ggml-cpu.h"
#include "ggml/ggml.h"

// What the level does by itself, in whose place the functions below stand.
static void *(*address)(ggml_backend_reg_t, const char *);
static ggml_backend_t (*init)(ggml_backend_dev_t, const char *);
static void (*end)(ggml_backend_t);
static void (*set)(ggml_backend_t, ggml_threadpool_t);
static struct ggml_threadpool *(*new_threads)(struct ggml_threadpool_params *);
static void (*free_threads)(struct ggml_threadpool *);

// Each backend has threads of its own: two may compute at the same time. A process has one for each model and a few
// for what belongs to it. One that finds no place here has threads for each token, as without all this.
static struct {
	ggml_backend_t backend;
	struct ggml_threadpool *threads;
} kept[16];
enum { most = sizeof kept / sizeof *kept };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// How long a thread looks for work before it sleeps, in ggml's measure: some milliseconds, in which the next token comes.
enum { patience = 1 };

// finish ends a backend and then its threads.
static void finish(ggml_backend_t backend) {
	struct ggml_threadpool *threads = NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < most; i++) {
		if (kept[i].backend != backend) continue;
		threads = kept[i].threads;
		kept[i].backend = NULL, kept[i].threads = NULL;
	}
	pthread_mutex_unlock(&lock);
	end(backend);
	if (threads != NULL) free_threads(threads);
}

// begin makes a backend with as many threads as this machine can use; how many of them compute is said later.
static ggml_backend_t begin(ggml_backend_dev_t dev, const char *params) {
	ggml_backend_t backend = init(dev, params);
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (backend == NULL || cores < 2) return backend;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < most; i++) {
		if (kept[i].backend != NULL) continue;
		struct ggml_threadpool_params p = ggml_threadpool_params_default(cores < GGML_MAX_N_THREADS ? (int)cores : GGML_MAX_N_THREADS);
		p.poll = patience;
		kept[i].threads = new_threads(&p);
		if (kept[i].threads == NULL) break;
		kept[i].backend = backend;
		set(backend, kept[i].threads);
		end = backend->iface.free;
		backend->iface.free = finish;
		break;
	}
	pthread_mutex_unlock(&lock);
	return backend;
}

// keep leaves a backend its threads where it is to have none in particular.
static void keep(ggml_backend_t backend, ggml_threadpool_t threads) {
	if (threads != NULL) set(backend, threads);
}

static void *named(ggml_backend_reg_t reg, const char *name) {
	return strcmp(name, "ggml_backend_cpu_set_threadpool") == 0 ? (void *)keep : address(reg, name);
}

void holdpoint_level_threads(ggml_backend_reg_t reg) {
	if (address != NULL) return;
	address = reg->iface.get_proc_address;
	set = (void (*)(ggml_backend_t, ggml_threadpool_t))address(reg, "ggml_backend_cpu_set_threadpool");
	new_threads = (struct ggml_threadpool * (*)(struct ggml_threadpool_params *)) address(reg, "ggml_threadpool_new");
	free_threads = (void (*)(struct ggml_threadpool *))address(reg, "ggml_threadpool_free");
	ggml_backend_dev_t dev = ggml_backend_reg_dev_get(reg, 0);
	if (set == NULL || new_threads == NULL || free_threads == NULL || dev == NULL) return;
	init = dev->iface.init_backend;
	dev->iface.init_backend = begin;
	reg->iface.get_proc_address = named;
}
