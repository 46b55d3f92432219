package app

import (
	"maps"
	"sync"

	"holdpoint/engine/journal"
)

const (
	paceKey = "model_pace"
	// leastPaced is how many tokens a request has to have read before its speed says something.
	leastPaced = 32
)

// paces are how many tokens of a prompt models read in a second on this machine, by name,
// as the last call told. With them a screen says how far a prompt is before the answer
// begins: servers tell nothing meanwhile.
type paces struct {
	mu      sync.Mutex
	by      map[string]float64
	changed bool
}

func (p *paces) learn(model string, perSecond float64) {
	if model == "" || perSecond <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.by == nil {
		p.by = map[string]float64{}
	}
	p.by[model], p.changed = perSecond, true
}

// heard takes the pace out of a request that was answered. A server that doesn't say how much it
// read anew is taken at the whole prompt: the next one keeps about as much.
func (p *paces) heard(e *journal.Event) {
	d, err := journal.Read[journal.ModelCalledData](*e)
	if err != nil || d.PromptMS <= 0 {
		return
	}
	read := d.PromptTokens
	if d.Evaluated != nil {
		read = *d.Evaluated
	}
	if read >= leastPaced {
		p.learn(d.Model, float64(read)*1000/float64(d.PromptMS))
	}
}

// paced is a request that has begun with the pace of its model.
func (p *paces) paced(e journal.Event) journal.Event {
	d, err := journal.Read[journal.ModelReadingData](e)
	if err != nil {
		return e
	}
	p.mu.Lock()
	d.PerSecond = p.by[d.Model]
	p.mu.Unlock()
	e = e.With(d)
	e.Render()
	return e
}

func (a *App) openPaces() error {
	_, err := a.Store.Setting(paceKey, &a.paces.by)
	return err
}

// keepPaces writes them down for the next start. A store that can't be written loses a
// guess and nothing else.
func (a *App) keepPaces() {
	a.paces.mu.Lock()
	by, changed := maps.Clone(a.paces.by), a.paces.changed
	a.paces.mu.Unlock()
	if !changed {
		return
	}
	if err := a.Store.PutSetting(paceKey, by); err != nil {
		a.log.Debug("paces not kept")
	}
}
