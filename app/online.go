package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/conc"

	"holdpoint/engine/library"
	"holdpoint/engine/library/online"
	"holdpoint/engine/record"
	"holdpoint/store"
)

// OnlineView is what the screen and the commands for online sources show.
type OnlineView struct {
	// Network says whether the person allowed it; without, nothing can be planned or sent.
	Network  bool             `json:"network"`
	Sources  []OnlineSource   `json:"sources"`
	Requests []online.Request `json:"requests"` // newest first
}

// OnlineSource is one that can be asked.
type OnlineSource struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Host  string `json:"host"`
}

// mostRequests is how many requests are shown; older ones that ended are dropped from the store.
const mostRequests = 500

func (a *App) openOnline() {
	a.asks = online.NewClient(online.Options{Now: a.now, Network: a.networkAllowed, Transport: a.wire})
}

func (a *App) networkAllowed() (bool, error) {
	s, err := a.Settings()
	return s.Network, err
}

// Online lists the sources and the requests to them.
func (a *App) Online() (OnlineView, error) {
	v := OnlineView{Sources: []OnlineSource{}, Requests: []online.Request{}}
	for _, s := range online.Sources {
		v.Sources = append(v.Sources, OnlineSource{s.ID, s.Title, s.Host})
	}
	var err error
	if v.Network, err = a.networkAllowed(); err != nil {
		return v, err
	}
	err = a.Store.Shown().ViewOnline(func(tx online.Tx) error {
		return tx.Requests(func(r online.Request) (bool, error) {
			v.Requests = append(v.Requests, a.underway(r))
			return true, nil
		})
	})
	slices.Reverse(v.Requests)
	return v, err
}

// underway is a request as it is now: one that was sent by a program that ended meanwhile is no longer under way.
func (a *App) underway(r online.Request) online.Request {
	if r.Status == online.Sending {
		if _, live := a.sent.Load(r.ID); !live {
			r.Status, r.Error = online.Failed, phrase("Holdpoint ended while it was under way; whether it left this laptop is not known.")
		}
	}
	return r
}

// PlanOnline keeps what a search would send first, for a person to look at. Nothing is sent.
func (a *App) PlanOnline(text string, sources []string, limit int) ([]online.Request, error) {
	if on, err := a.networkAllowed(); err != nil || !on {
		return nil, errors.Join(err, online.ErrNetwork)
	}
	list, err := online.Plan(text, sources, limit)
	if err != nil {
		return nil, err
	}
	warning, err := a.identifying(text)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Warning = warning
	}
	err = a.keepRequests(list)
	return list, err
}

// keepRequests gives requests their ids and keeps them, as those that wait.
func (a *App) keepRequests(list []online.Request) error {
	if len(list) == 0 {
		return nil
	}
	err := a.Store.Shown().UpdateOnline(func(tx online.Tx) error {
		for i := range list {
			list[i].ID, list[i].AskedAt = a.newID(), a.now().UTC()
			if err := tx.PutRequest(list[i]); err != nil {
				return err
			}
		}
		return dropOld(tx)
	})
	a.hub.notify(Notice{Kind: NoticeLibrary})
	return err
}

func dropOld(tx online.Tx) error {
	var over []string
	all := 0
	if err := tx.Requests(func(r online.Request) (bool, error) {
		if all++; ended(r) {
			over = append(over, r.ID)
		}
		return true, nil
	}); err != nil {
		return err
	}
	for _, id := range over[:min(len(over), max(0, all-mostRequests))] {
		if err := tx.DeleteRequest(id); err != nil {
			return err
		}
	}
	return nil
}

// identifying warns of a search that names a patient of the records.
func (a *App) identifying(text string) (string, error) {
	said := " " + strings.Join(strings.FieldsFunc(record.FoldName(text), func(r rune) bool { return strings.ContainsRune(" ,.;:!?\"'()/", r) }), " ") + " "
	all, err := a.patients(a.Store.ViewRecords, "") // all of them: it leaves this laptop
	if err != nil {
		return "", err
	}
	for _, p := range all {
		names := strings.Fields(record.FoldName(p.Name))
		if len(names) > 1 && !slices.ContainsFunc([]string{names[0], names[len(names)-1]}, func(n string) bool { return !strings.Contains(said, " "+n+" ") }) {
			return phrase("The search has the name of a patient in the records. It would leave this laptop."), nil
		}
	}
	return "", nil
}

// RefuseOnline keeps that a person refused requests; they are never sent.
func (a *App) RefuseOnline(ids []string, who string) error {
	_, err := a.decideOnline(ids, who, online.Refused)
	return err
}

// ForgetOnline deletes requests that ended or were refused, with what was looked for, all or none; without ids all
// of them. What came of them stays in the library.
func (a *App) ForgetOnline(ids []string) (forgotten int, err error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	err = a.Store.Shown().UpdateOnline(func(tx online.Tx) error {
		if len(ids) == 0 {
			if err := tx.Requests(func(r online.Request) (bool, error) {
				if r = a.underway(r); ended(r) {
					ids = append(ids, r.ID)
				}
				return true, nil
			}); err != nil {
				return err
			}
		}
		for _, id := range ids {
			r, err := tx.Request(id)
			if err == nil {
				if r = a.underway(r); !ended(r) {
					return &Fault{Code: "decided", Message: fmt.Sprintf("The request %s is %s.", id, r.Status), Hint: "See holdpoint library requests.", Safe: "Nothing was changed.", HTTP: 409}
				}
			} else if !errors.Is(err, store.ErrDamaged) {
				return err
			}
			if err := tx.DeleteRequest(id); err != nil {
				return err
			}
		}
		forgotten = len(ids)
		return nil
	})
	if err != nil {
		return 0, err
	}
	a.hub.notify(Notice{Kind: NoticeLibrary})
	return forgotten, nil
}

// ended says that nothing more becomes of a request by itself.
func ended(r online.Request) bool { return r.Status != online.Waiting && r.Status != online.Sending }

// decideOnline marks requests that wait, or failed, as refused or as being sent, all or none.
func (a *App) decideOnline(ids []string, who string, to online.Status) (list []online.Request, err error) {
	if who = strings.TrimSpace(who); who == "" {
		who = a.DefaultReviewer()
	}
	if who == "" {
		return nil, Bad("A decision needs the name of the person who makes it.", "Give a reviewer.")
	}
	if len(ids) == 0 {
		return nil, Bad("No request was named.", "See holdpoint library requests.")
	}
	a.deciding.Lock()
	defer a.deciding.Unlock()
	err = a.Store.UpdateOnline(func(tx online.Tx) error {
		list = nil
		for _, id := range ids {
			r, err := tx.Request(id)
			if to == online.Refused && errors.Is(err, store.ErrDamaged) {
				if err := tx.DeleteRequest(id); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
			if r = a.underway(r); r.Status != online.Waiting && (r.Status != online.Failed || to == online.Refused) {
				return &Fault{Code: "decided", Message: fmt.Sprintf("The request %s is %s.", id, r.Status), Hint: "See holdpoint library requests.", Safe: "Nothing was sent.", HTTP: 409}
			}
			r.Status, r.By, r.DecidedAt, r.Outcome = to, who, a.now().UTC(), online.Outcome{}
			if err := tx.PutRequest(r); err != nil {
				return err
			}
			list = append(list, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if to == online.Sending {
			a.sent.Store(list[i].ID, true)
		}
	}
	a.hub.notify(Notice{Kind: NoticeLibrary})
	a.hub.notify(Notice{Kind: NoticeState}) // the badge
	return list, nil
}

// SendOnline sends requests that a person approved, at once, and imports what they bring, each as it
// comes: a slow source holds none of the others. It returns them with their outcomes; what their answers
// make possible besides waits for a decision of its own.
func (a *App) SendOnline(ctx context.Context, ids []string, who string, report progress) ([]online.Request, error) {
	if on, err := a.networkAllowed(); err != nil || !on {
		return nil, errors.Join(err, online.ErrNetwork)
	}
	list, err := a.decideOnline(ids, who, online.Sending)
	if err != nil {
		return nil, err
	}
	type answer struct {
		n, attempts int
		answer      online.Answer
		err         error
	}
	answers := make(chan answer, len(list))
	var under conc.WaitGroup
	for n, r := range list {
		under.Go(func() {
			x := answer{n: n}
			x.answer, x.attempts, x.err = a.asks.Send(ctx, r)
			answers <- x
		})
	}
	var kept error
	for done := range list {
		x := <-answers
		r := &list[x.n]
		r.Attempts = x.attempts
		a.arrived(ctx, r, x.answer, x.err)
		// Also when it was cancelled: what left is kept.
		kept = errors.Join(kept, a.Store.UpdateOnline(func(tx online.Tx) error { return tx.PutRequest(*r) }))
		a.sent.Delete(r.ID)
		if r.Status == online.Done {
			kept = errors.Join(kept, a.keepRequests(x.answer.Next))
		}
		report(int64(done+1), int64(len(list)), said(r))
	}
	under.Wait()
	a.hub.notify(Notice{Kind: NoticeLibrary})
	a.hub.notify(Notice{Kind: NoticeState})
	return list, errors.Join(kept, ctx.Err())
}

// said is an outcome for people.
func said(r *online.Request) string {
	s, _ := online.Find(r.Source)
	if r.Status == online.Done {
		return phrase("%s: %d of %d records, %d new", s.Title, r.Records, r.Total, r.Created)
	}
	return s.Title + ": " + r.Error
}

// arrived imports an answer and writes down what became of the request.
func (a *App) arrived(ctx context.Context, r *online.Request, answer online.Answer, err error) {
	s, _ := online.Find(r.Source)
	r.Total, r.Records, r.EndedAt = answer.Total, answer.Records, a.now().UTC()
	if err == nil && answer.File != "" {
		var rep library.Report
		rep, err = a.Library.ImportReader(ctx, s.Title, answer.File, strings.NewReader(string(answer.Body)), nil)
		r.Created = rep.Created + rep.Updated
	}
	r.Status = online.Done
	if err != nil {
		var later *online.LaterError
		if errors.As(err, &later) {
			r.RetryAt = later.At.UTC()
		}
		r.Status, r.Error = online.Failed, strings.TrimPrefix(AsFault(err).Message, "online: ")
	}
}

// StartOnline sends approved requests in the background.
func (a *App) StartOnline(ids []string, who string) (Job, error) {
	if on, err := a.networkAllowed(); err != nil || !on {
		return Job{}, errors.Join(err, online.ErrNetwork)
	}
	return a.jobs.start(a.ctx, "online", "Online sources", "requests", func(ctx context.Context, report func(int64, int64, string)) (any, error) {
		return a.SendOnline(ctx, ids, who, report)
	}), nil
}

// onlineUse is what the badge says of the network.
func (a *App) onlineUse() map[string]string {
	under := 0
	a.sent.Range(func(any, any) bool { under++; return true })
	if under > 0 {
		return map[string]string{"mode": "online", "detail": fmt.Sprintf("%d approved requests are at online sources now.", under)}
	}
	return map[string]string{"mode": "online", "detail": "A model server outside this laptop may be used. Literature is asked for online only by requests that you approved one by one."}
}
