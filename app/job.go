package app

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"
)

// Job is long work that a person can watch and cancel: a pull, an import.
type Job struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`   // pull, import_model, check_model, import_records, import_library, index_library, online, sample, vectors
	Title     string    `json:"title"`  // what it works on
	Status    string    `json:"status"` // running, done, failed, cancelled
	Done      int64     `json:"done"`
	Total     int64     `json:"total"` // 0 while unknown
	Unit      string    `json:"unit"`  // bytes, lines, texts, questions, documents, entries (of the library's indexes), requests
	Detail    string    `json:"detail,omitempty"`
	Error     string    `json:"error,omitempty"`
	Result    any       `json:"result,omitempty"`
	StartedAt time.Time `json:"started_at"`

	fault *Fault // why it failed, with what to do
}

// jobs are kept in memory: what a job achieved is in the store or with the model
// server, and a repeated pull or import continues there.
type jobs struct {
	hub   *hub
	now   func() time.Time
	newID func() string

	mu      sync.Mutex
	list    []*Job
	cancels map[string]context.CancelFunc
	wg      sync.WaitGroup
	told    map[string]time.Time
}

const jobsKept = 20

// start runs work in the background. report may be called often; screens hear of
// it at most ten times a second.
func (j *jobs) start(ctx context.Context, kind, title, unit string, work func(ctx context.Context, report func(done, total int64, detail string)) (any, error)) Job {
	return j.startIn(ctx, kind, title, unit, func(ctx context.Context, report progressIn) (any, error) {
		return work(ctx, func(done, total int64, detail string) { report(done, total, unit, detail) })
	})
}

// progressIn says how far something is, and in what unit that is counted now.
type progressIn = func(done, total int64, unit, detail string)

// startIn is start for work whose unit changes on its way; unit is the first.
func (j *jobs) startIn(ctx context.Context, kind, title, unit string, work func(ctx context.Context, report progressIn) (any, error)) Job {
	ctx, cancel := context.WithCancel(ctx)
	job := &Job{ID: j.newID(), Kind: kind, Title: title, Status: "running", Unit: unit, StartedAt: j.now()}
	j.mu.Lock()
	j.list = append(j.list, job)
	if len(j.list) > jobsKept {
		if i := slices.IndexFunc(j.list, func(x *Job) bool { return x.Status != "running" }); i >= 0 {
			j.list = slices.Delete(j.list, i, i+1)
		}
	}
	j.cancels[job.ID] = cancel
	first := *job
	j.mu.Unlock()
	j.tell(first)
	j.wg.Go(func() {
		defer cancel()
		result, err := work(ctx, func(done, total int64, unit, detail string) {
			j.mu.Lock()
			turned := job.Unit != unit
			job.Done, job.Total, job.Unit, job.Detail = done, total, unit, detail
			now, copied := j.now(), *job
			quiet := !turned && now.Sub(j.told[job.ID]) < 100*time.Millisecond
			if !quiet {
				j.told[job.ID] = now
			}
			j.mu.Unlock()
			if !quiet {
				j.tell(copied)
			}
		})
		j.mu.Lock()
		job.Result = result
		switch {
		case err == nil:
			job.Status = "done"
		case errors.Is(err, context.Canceled):
			job.Status = "cancelled"
		default:
			job.fault = AsFault(err)
			job.Status, job.Error = "failed", job.fault.Message
		}
		delete(j.cancels, job.ID)
		delete(j.told, job.ID)
		last := *job
		j.mu.Unlock()
		j.tell(last)
	})
	return first
}

func (j *jobs) tell(job Job) {
	data, err := json.Marshal(job)
	if err != nil {
		data = nil // a result that cannot be shown; the list still has the job
	}
	j.hub.notify(Notice{Kind: NoticeJob, ID: job.ID, Data: data})
}

func (j *jobs) all() []Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Job, len(j.list))
	for i, job := range j.list {
		out[i] = *job
	}
	return out
}

func (j *jobs) cancel(id string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	cancel, ok := j.cancels[id]
	if ok {
		cancel()
	}
	return ok
}

func (j *jobs) stop() {
	j.mu.Lock()
	for _, cancel := range j.cancels {
		cancel()
	}
	j.mu.Unlock()
	j.wg.Wait()
}
