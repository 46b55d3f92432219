package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"holdpoint/engine/model/level"
)

// levelMark names, in the environment of our server and its runners, the level of
// processor instructions that models are computed with.
const levelMark = "HOLDPOINT_MODEL_LEVEL"

// trialTime is how long the trial of a level may take; it works for some milliseconds.
const trialTime = 20 * time.Second

// levelNeeds are the processor features of each level, by the compiler's names. What a
// processor says that it lacks isn't tried.
var levelNeeds = map[string][]string{
	"avx512":  {"avx2", "fma", "f16c", "bmi2", "avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw", "avx512vbmi", "avx512vnni"},
	"avxvnni": {"avx2", "fma", "f16c", "bmi2", "avxvnni"},
	"avx2":    {"avx2", "fma", "f16c", "bmi2"},
}

// Speed is how fast a quantisation is read with the level in use.
type Speed = level.Speed

// levelInUse is the level that this process was told to use.
func levelInUse() string {
	if name := os.Getenv(levelMark); name != "" {
		return name
	}
	return level.Base
}

// chooseLevel returns the best level that works here. One that was asked for in the
// environment is the best that is tried.
func chooseLevel() string {
	names := level.Names()
	if asked := os.Getenv(levelMark); asked != "" {
		if i := slices.Index(names, asked); i >= 0 {
			names = names[i:]
		} else {
			names = nil
		}
	}
	return bestLevel(names, hasCPU, tryLevel)
}

// bestLevel returns the first level that the processor claims to have and whose trial
// succeeds, else level.Base.
func bestLevel(names []string, has func(feature string) bool, try func(name string) error) string {
	for _, name := range names {
		if missing := missingCPU(levelNeeds[name], has); len(missing) > 0 {
			continue
		}
		if err := try(name); err != nil {
			slog.New(slog.NewTextHandler(os.Stderr, nil)).Warn("arithmetic not used", "name", name, "error", err) // the child's log
			continue
		}
		return name
	}
	return level.Base
}

// tryLevel computes with a level in a process of its own, since an instruction that the
// processor lacks ends it.
func tryLevel(name string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), trialTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, executable, "ollama-level", name)
	cmd.Env = append(os.Environ(), childMark+"=1")
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w %s", err, strings.TrimSpace(string(said)))
	}
	return nil
}

// Level returns the level of processor instructions that the running server computes
// with, e.g. avx2; level.Base ("base") is what runs everywhere. It is empty while the
// server doesn't run.
func (o *Own) Level() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running == nil {
		return ""
	}
	return o.running.level
}

// Speeds measures how fast this machine reads the quantisations that models are published
// in, the quickest first, with the level that the server uses; it starts the server if
// need be. It takes some tenths of a second of one core. A build without levels doesn't
// measure: errors.ErrUnsupported.
func (o *Own) Speeds(ctx context.Context) ([]Speed, error) {
	if len(level.Names()) == 0 {
		return nil, fmt.Errorf("model: measure: %w", errors.ErrUnsupported)
	}
	if _, err := o.URL(ctx); err != nil {
		return nil, err
	}
	executable := o.options.Executable
	if executable == "" {
		var err error
		if executable, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("model: measure: %w", err)
		}
	}
	environ, err := o.environ()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, executable, "ollama-speed")
	cmd.Env = append(environ, levelMark+"="+o.Level())
	said, err := cmd.Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(ended.Stderr)))
		}
		return nil, fmt.Errorf("model: measure: %w", err)
	}
	var speeds []Speed
	if err := json.Unmarshal(said, &speeds); err != nil {
		return nil, fmt.Errorf("model: measure: %w", err)
	}
	return speeds, nil
}
