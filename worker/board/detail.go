package board

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/slot"
)

// Letter is a message to a worker.
type Letter struct {
	ID   string
	At   time.Time
	From string // the agent that sent it; "" is a person, or aburn
	How  string // how far it came
	Text string // while it waits; then the agent's own record has it
	Open bool
}

// Detail is what a worker's page shows beside its card.
type Detail struct {
	Standing
	Gone      bool
	Base      string
	Via       string
	Why       []Moment // what its state follows from
	Timeline  []Moment // the newest first
	More      bool     // it has earlier ones
	Forge     []Moment // what the forge said of its pull request and what followed, the newest first
	Threads   int      // of its review that are open, as it was last asked
	Letters   []Letter // the newest first
	Snapshots []describe.SnapshotReport
}

// maxTimeline is how many lines of a timeline are shown, and timelineReach how many entries of a log are looked through for them.
const (
	maxTimeline   = 300
	timelineReach = 200_000
)

// Detail looks at one worker; only says from which file its timeline is: log, ledger, or both with "".
func (b *Board) Detail(ctx context.Context, key, name, only string) (*Detail, error) {
	o, m, err := b.member(ctx, key, name)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	d := &Detail{Standing: standing(o, m, map[string]bool{}, time.Now()), Gone: m.Gone(), Base: m.Base(), Via: m.Request.Via}
	if known, ok := b.Worker(key, name); ok { // those who know the others, and what git counted
		d.Overlaps, d.Clash, d.Stat, d.Left, d.Running, d.Words = known.Overlaps, known.Clash, known.Stat, known.Left, known.Running, known.Words
	}
	entries, texts := logMoments(o, m, d.Wt)
	book := ledgerMoments(m.Ledger)
	forge := forgeMoments(m.Ledger)
	for _, list := range [][]Moment{book, forge} {
		for i := range list {
			quote(&list[i], texts, func(id string) string { return manager.WaitingText(o.Manager, m.Name, id) })
		}
	}
	d.Why = why(m, entries, book)
	d.Forge = forge
	if e := m.Ledger.Last(worker.Reviewed); e != nil {
		d.Threads = e.Threads
	}
	if only != "ledger" {
		d.Timeline = append(d.Timeline, entries...)
	}
	if only != "log" {
		d.Timeline = append(d.Timeline, book...)
	}
	slices.SortStableFunc(d.Timeline, func(x, y Moment) int { return y.At.Compare(x.At) })
	if len(d.Timeline) > maxTimeline {
		d.Timeline, d.More = d.Timeline[:maxTimeline], true
	}
	d.Letters = letters(o, m)
	for i, e := range manager.Snapshots(m.Ledger) {
		d.Snapshots = append(d.Snapshots, describe.SnapshotReport{Number: i + 1, At: e.At, Kind: string(e.Kind), Commit: e.Commit, Ref: e.Ref, Changes: e.Changes,
			Skipped: e.Skipped})
	}
	return d, nil
}

// member opens the office of a project that is shown, and one of its workers.
func (b *Board) member(ctx context.Context, key, name string) (*projects.Project, *manager.Member, error) {
	for _, root := range ledger.Projects(b.env) {
		store, err := ledger.Open(root, b.env)
		if err != nil || store.Key != key || !b.shown(root) {
			continue
		}
		o, err := projects.Open(b.env, root)
		if err != nil {
			return nil, nil, err
		}
		names, err := store.Names()
		if err == nil && slices.Contains(names, name) {
			m := glanceAt(ctx, o, name)
			if m.Err == nil {
				return o, m, nil
			}
			err = projects.LedgerFailure(name, m.Err)
		} else if err == nil {
			err = ErrNoWorker
		}
		o.Close()
		return nil, nil, err
	}
	return nil, nil, ErrNoWorker
}

func glanceAt(ctx context.Context, o *projects.Project, name string) *manager.Member {
	list, err := o.LoadCached(ctx, name)
	if err != nil {
		return &manager.Member{Name: name, Err: err}
	}
	return list[0]
}

// ErrNoWorker says that no worker that may be shown has the name.
var ErrNoWorker = fmt.Errorf("no such worker")

// letters are the messages to a worker. The text of one that waits lies in its outbox.
func letters(o *projects.Project, m *manager.Member) (list []Letter) {
	receipts := map[string]worker.Receipt{}
	for _, msg := range m.Worker.Messages {
		receipts[msg.ID] = msg.Receipt
	}
	for i := range m.Ledger.Entries {
		e := &m.Ledger.Entries[i]
		if e.Kind != worker.Messaged {
			continue
		}
		l := Letter{ID: e.Message, At: e.At, From: e.From, How: "its record shows it"}
		receipt, known := receipts[e.Message]
		switch {
		case known && receipt == worker.Waiting:
			l.How, l.Open = "waits", true
		case known && receipt == worker.NotConfirmed:
			l.How = "Enter was pressed, and its record does not show it"
		}
		if l.Open {
			l.Text = manager.WaitingText(o.Manager, m.Name, e.Message)
		}
		list = append(list, l)
	}
	slices.Reverse(list)
	return list
}

// Diff is what a worker changed, as git prints it, and what it is the difference of if not of its tree.
func (b *Board) Diff(ctx context.Context, key, name string) (s Standing, text, from string, err error) {
	o, m, err := b.member(ctx, key, name)
	if err != nil {
		return s, "", "", err
	}
	defer o.Close()
	repo, err := manager.RepositoryOf(ctx, o.Manager, m)
	if err == nil {
		text, from, err = describe.DiffOf(ctx, o.Manager, repo, m, false)
	}
	return standing(o, m, map[string]bool{}, time.Now()), text, from, err
}

// Passage is a passage of the conversation with an agent without a terminal.
type Passage struct {
	At   time.Time
	Who  string // person, agent, tool, result, asks, note
	Text string
}

// maxSaid is how many passages are shown.
const maxSaid = 200

// Story is the last of what was said with an agent without a terminal; more says that there is more. errs is the end of what it wrote to
// its standard error, once it is over.
func (b *Board) Story(ctx context.Context, key, name string) (s Standing, list []Passage, more bool, errs string, err error) {
	o, m, err := b.member(ctx, key, name)
	if err != nil {
		return s, nil, false, "", err
	}
	defer o.Close()
	s = standing(o, m, map[string]bool{}, time.Now())
	ch, h, ok := o.Channel(m)
	if !ok {
		return s, nil, false, "", nil
	}
	for gen := 1; gen <= h.Gen; gen++ {
		ch.Story(slot.Handle{Dir: h.Dir, Gen: gen}, 0, func(at time.Time, p slot.Passage) { list = append(list, Passage{at, p.Who, p.Text}) }) // what could be read
		if len(list) > 4*maxSaid {
			list, more = slices.Delete(list, 0, len(list)-maxSaid), true
		}
	}
	if len(list) > maxSaid {
		list, more = list[len(list)-maxSaid:], true
	}
	if m.Over() {
		errs = strings.TrimSpace(hold.Errs(h.Dir, h.Gen))
	}
	return s, list, more, errs, nil
}
