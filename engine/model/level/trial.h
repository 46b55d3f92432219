// The levels of this build and what is done with one; 0 is success. What went wrong is
// said in why, which is text that lives as long as the program.
int holdpoint_levels(void);
const char *holdpoint_level_name(int i);
int holdpoint_level_use(const char *name, const char **why);
int holdpoint_level_try(const char *name, const char **why);

// holdpoint_level_speed times products of weights of one ggml type with a prompt's tokens
// on one core, with the level in use; type is ggml's name for it, e.g. q4_K.
int holdpoint_level_speed(const char *type, double *gflops, int *repacked, const char **why);
