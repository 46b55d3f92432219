// Package run executes graphs: super-steps with parallel branches and joins, state
// that is durable as it comes, and pauses that survive a crash.
//
// # A run
//
// An Executor runs graphs on a Checkpointer. All stages that are ready run at once in one super-step, each on a
// snapshot; at the barrier their patches apply in the order of the spec, routes are
// taken, and the next stages start. One goroutine owns a run. A stage that only computes
// (Stage.Quick) runs on it; a stage that may wait runs on another goroutine: the run keeps
// one for that from step to step, and starts more where several stages wait at once.
//
// Results are durable as they come. Commits that wait for the disk together are
// one write. A stage that acts (Stage.SideEffects) starts after all that precedes it is on
// disk; one that only computes (Stage.Quick) may run ahead of the disk, even of the
// run's admission, because until something is on disk nobody has been told of it.
//
// # Where to begin
//
// NewExecutor needs a Checkpointer: store.DB keeps runs on disk, as the application does;
// NewInMemory keeps them for as long as the process lives, for measurements and tests. Start runs a graph from a StartRequest to its Outcome, Resume goes on
// after a pause, a limit, a failure or a crash, Abandon gives a run up, Report sums it up.
// The package's example does it.
//
// # Where a stage leads
//
// One chain of resolvers decides, the first that can: safety (edges of safety
// conditions; nothing overrides them), again (Result.Reenter: the visit goes on),
// error (the error edge of a stage that failed), route (Result.Route: a stage that decides
// named it in its output; data never does), goto (Result.Goto),
// terminal (the flag Terminal), conditional (the highest priority first), match (the transitions table
// by output), static (all other edges), end (Stage.MayEnd). The transition's event
// names the one that decided, and why.
//
// # A visit
//
// A visit of a stage spans its re-entries. When it begins: the PreStage
// hooks, then the flags SkipOnError, Cacheable, NoHistory, IsolatedContext,
// Lightweight, RequiresHuman. Then the function. When it ends: Critical (a failure
// of a stage without it is passed by in Tolerant graphs), what the flags before
// narrowed is whole again, ReadOnly, Verbose, Observable, SummarizeOutput,
// ValidateOutput (of what the stage said, not of its summary), the cache (only
// what passed), the PostStage hooks. Narrowed views need no restoring: a stage sees
// a filtered snapshot and returns a patch.
//
// There is no flag for parallel safety: a stage shares nothing with its siblings.
//
// # Limits and changes
//
// Limits persist with the run and end it as Limited, with the limit's name; Resume
// goes on with more of that limit and of no other. A stage may return Mutations:
// they are checked like a spec, all of one result together, asked of the OnMutation
// hooks, counted, journalled, kept in the run's row and made again on resume; the
// run's fingerprint covers them.
//
// # Speed
//
// Benchmarks are in package bench; go test -bench Engine ./app/command runs them on the
// executor of the app. So does holdpoint bench engine, beside bare commits and whole turns of long sessions.
package run
