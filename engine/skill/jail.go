package skill

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	starlarkjson "go.starlark.net/lib/json"
	starlarkmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Bounds of a block's run. A builtin can take any memory and time in one step, so the
// block runs in a process of its own, which is ended.
const (
	MaxSteps  = 2_000_000
	MaxTime   = 5 * time.Second
	MaxMemory = 256 << 20 // bytes of heap
	maxOutput = 256 << 10
)

// Errors of a block's run.
var (
	ErrSteps  = fmt.Errorf("skill: the block took more than %d steps and was ended", MaxSteps)
	ErrTime   = fmt.Errorf("skill: the block took longer than %s and was ended", MaxTime)
	ErrMemory = fmt.Errorf("skill: the block took more than %d MB and was ended", MaxMemory>>20)
	ErrBlock  = errors.New("skill: the block failed")
)

// Output is what a block gives.
type Output struct {
	Status  string          `json:"status"` // ok, error or needs_input
	Message string          `json:"message"`
	Result  json.RawMessage `json:"result"`
}

// Jail runs blocks in processes of their own.
type Jail struct {
	// Command starts the program such that it calls Inmate. Nothing runs without one.
	Command []string
}

// job is what the process is told, on standard input.
type job struct {
	File string          `json:"file"`
	Code string          `json:"code"`
	Args json.RawMessage `json:"args"`
}

// served is what it says, on standard output.
type served struct {
	Output *Output `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
	Steps  bool    `json:"steps,omitempty"`
}

// exitMemory is the exit code of a process that took too much memory.
const exitMemory = 41

// Run runs a block on arguments that fit its schema.
func (j Jail) Run(ctx context.Context, s *Skill, b Block, args json.RawMessage) (Output, error) {
	if len(j.Command) == 0 {
		return Output{}, errors.New("skill: there is no jail here to run blocks in")
	}
	in, err := json.Marshal(job{File: s.Name + "/" + b.File, Code: string(s.files[b.File]), Args: args})
	if err != nil {
		return Output{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, j.Command[0], j.Command[1:]...)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Env = []string{"HOLDPOINT_JAIL=1"} // nothing of ours
	if root := os.Getenv("SystemRoot"); root != "" {
		cmd.Env = append(cmd.Env, "SystemRoot="+root) // Windows starts nothing without it
	}
	cmd.WaitDelay = time.Second
	out := &bounded{room: 2 * maxOutput}
	cmd.Stdout = out
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Output{}, ErrTime
	case ctx.Err() != nil:
		return Output{}, ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == exitMemory:
		return Output{}, ErrMemory
	case errors.As(err, &exit):
		return Output{}, fmt.Errorf("%w: its process ended with code %d, as one does that takes too much", ErrBlock, exit.ExitCode())
	case err != nil:
		return Output{}, fmt.Errorf("skill: the jail cannot be started: %w", err)
	}
	var said served
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		return Output{}, fmt.Errorf("%w: its answer cannot be read", ErrBlock)
	}
	switch {
	case said.Steps:
		return Output{}, ErrSteps
	case said.Error != "":
		return Output{}, fmt.Errorf("%w: %s", ErrBlock, said.Error)
	case said.Output == nil:
		return Output{}, fmt.Errorf("%w: it gave nothing", ErrBlock)
	}
	return *said.Output, nil
}

// bounded keeps the beginning of what is written.
type bounded struct {
	bytes.Buffer
	room int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.room {
		return 0, errors.New("skill: the output is too long")
	}
	return b.Buffer.Write(p)
}

// Inmate is the process of one block: it reads a job, runs it and says what came of it.
func Inmate(in io.Reader, out io.Writer) error {
	debug.SetMemoryLimit(MaxMemory)
	go watch()
	var j job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		return err
	}
	said := served{}
	o, err := evaluate(j)
	var steps *tooManySteps
	switch {
	case errors.As(err, &steps):
		said.Steps = true
	case err != nil:
		said.Error = clipTo(err.Error(), 600)
	default:
		said.Output = &o
	}
	return json.NewEncoder(out).Encode(said)
}

// watch ends the process once its heap is too large.
func watch() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(2 * time.Millisecond) {
		if metrics.Read(sample); sample[0].Value.Uint64() > MaxMemory {
			os.Exit(exitMemory)
		}
	}
}

type tooManySteps struct{ error }

var options = &syntax.FileOptions{Set: true, TopLevelControl: true, GlobalReassign: true}

// predeclared is all that a block can use besides the language itself.
var predeclared = starlark.StringDict{"json": starlarkjson.Module, "math": starlarkmath.Module}

// check finds mistakes in a block's code before it is run.
func check(b Block, code []byte) error {
	_, program, err := starlark.SourceProgramOptions(options, b.File, code, predeclared.Has)
	if err != nil {
		return fmt.Errorf("%w: %s", ErrSkill, clipTo(err.Error(), 300)) // names file, line and column
	}
	if program.NumLoads() > 0 {
		return wrong(b.File, 0, "load is not possible here; write what is needed into the file")
	}
	return nil
}

func evaluate(j job) (Output, error) {
	thread := &starlark.Thread{Name: j.File, Print: func(*starlark.Thread, string) {}}
	thread.SetMaxExecutionSteps(MaxSteps)
	over := false
	thread.OnMaxSteps = func(t *starlark.Thread) {
		over = true
		t.Cancel("too many steps")
	}
	fail := func(err error) (Output, error) {
		if over {
			return Output{}, &tooManySteps{err}
		}
		var traced *starlark.EvalError
		if errors.As(err, &traced) && len(traced.CallStack) > 0 {
			return Output{}, fmt.Errorf("%s: %s", traced.CallStack.At(0).Pos, traced.Msg)
		}
		return Output{}, err
	}
	globals, err := starlark.ExecFileOptions(options, thread, j.File, j.Code, predeclared)
	if err != nil {
		return fail(err)
	}
	run, ok := globals["run"].(starlark.Callable)
	if !ok {
		return Output{}, errors.New("the block defines no function run(args)")
	}
	args := j.Args
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	value, err := starlark.Call(thread, starlarkjson.Module.Members["decode"], starlark.Tuple{starlark.String(args)}, nil)
	if err != nil {
		return fail(err)
	}
	if value, err = starlark.Call(thread, run, starlark.Tuple{value}, nil); err != nil {
		return fail(err)
	}
	text, err := starlark.Call(thread, starlarkjson.Module.Members["encode"], starlark.Tuple{value}, nil)
	if err != nil {
		return fail(fmt.Errorf("what it gave is not JSON: %w", err))
	}
	raw := string(text.(starlark.String))
	if len(raw) > maxOutput {
		return Output{}, fmt.Errorf("what it gave has %d bytes; at most %d fit", len(raw), maxOutput)
	}
	return shape(json.RawMessage(raw))
}

// shape puts what a block gave into the form of all outputs.
func shape(raw json.RawMessage) (Output, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members["status"] == nil {
		return Output{Status: "ok", Result: raw}, nil
	}
	var o Output
	if err := json.Unmarshal(raw, &o); err != nil {
		return o, fmt.Errorf("status and message must be texts: %w", err)
	}
	for name := range members {
		if name != "status" && name != "message" && name != "result" {
			return o, fmt.Errorf("the output has a member %q; it has status, message and result", clip(name))
		}
	}
	if o.Status != "ok" && o.Status != "error" && o.Status != "needs_input" {
		return o, fmt.Errorf("the status %q is none of ok, error and needs_input", clip(o.Status))
	}
	if len(o.Result) == 0 {
		o.Result = json.RawMessage("null")
	}
	return o, nil
}

func clipTo(s string, n int) string {
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
