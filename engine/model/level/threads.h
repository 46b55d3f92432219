#include "ggml/ggml-backend.h"

// holdpoint_level_threads has what computes with a level keep its threads from one token to the next. As it comes, the
// server's code starts and ends them for each token.
void holdpoint_level_threads(ggml_backend_reg_t reg);
