// Package board follows the workers of all projects for a page, and does what its buttons ask for, as the commands would.
//
// Begin in board.go (what is shown) and board_watch.go (what is followed); detail.go, timeline.go and screen.go read one worker,
// acts.go does what a person asks for. It may import worker/projects, control, describe and the rooms below them; how a worker is
// restarted comes in as a function.
package board

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/units"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// ProjectWorkers is the workers of one project, as the board shows them.
type ProjectWorkers struct {
	Root, Key string // Key names the project in addresses
	Workers   []Standing
	Ended     []string // sessions of all workers whose end the user asked for
	Err       error    // why they cannot be seen
}

// Standing is where one worker stands: what ps --json says, and what a card has beside.
type Standing struct {
	describe.Summary
	Root, Key string
	Words     string // its state and the reason
	Clash     string // "conflict with x; overlap with y"
	Stat      string // what it changed; "" before anybody compared
	Pull      worker.Pull
	PullURL   string
	Failed    []string // names of the checks that failed
	Sessions  []string // the agent's ids, the newest last
	Over      bool     // its agent has ended
	Lines     bool     // its agent has no terminal
	Wt        string   // what entries of the log call its tree
	Running   string   // what it left running, and what ends that; "" for nothing
	Error     string   // why nothing else is known of it
	Stray     bool     // only processes are left of it, of which no ledger knows
}

// Board follows the workers of all projects of a user. While nobody asks, it only notes that something changed.
//
// It looks as ps does: what holders wrote gets into the ledgers, and a spawn that died in the middle is undone.
type Board struct {
	env   func(string) string
	shown func(root string) bool
	asked func() bool
	told  func()

	restarts RestartFunc
	recorded bool // see Options

	looking sync.Mutex // one goroutine looks at a time
	of      map[string]*followed
	listed  bool

	mu     sync.Mutex
	living context.Context // of the server; counting goes on in it
	squads []ProjectWorkers
	dirty  map[string]bool
	stats  map[string]stat   // by root and name
	marked []manager.Carrier // processes of workers, as they were last looked for
	sought time.Time
}

// followed is a project whose workers are followed.
type followed struct {
	project *projects.Project
	probed  time.Time
}

// stat is what a worker changed, as it was counted for a state of its ledger.
type stat struct{ of, text string }

// Options say which projects are shown, and who is told.
type Options struct {
	Shown   func(root string) bool
	Asked   func() bool // reports whether anybody would see a change
	Changed func()      // after what is shown may have changed
	// Recorded says that the ledgers are of workers that ran elsewhere: no process is asked, and nothing is done with them.
	Recorded bool
	Restart  RestartFunc
}

// RestartFunc restarts an ended worker, and names the variables of its first start that this environment does not have.
type RestartFunc func(ctx context.Context, o *projects.Project, r fault.Reporter, m *manager.Member) (now *manager.Member, lacks []string, err error)

// Recorded reports whether the workers are recorded ones, see Options.
func (b *Board) Recorded() bool { return b.recorded }

// New prepares following, and looks at nothing.
func New(env func(string) string, o Options) *Board {
	return &Board{env: env, restarts: o.Restart, shown: o.Shown, asked: o.Asked, told: o.Changed, recorded: o.Recorded,
		of: map[string]*followed{}, dirty: map[string]bool{}, stats: map[string]stat{}, living: context.Background()}
}

// Projects are the workers as they were last looked at, by project.
func (b *Board) Projects() []ProjectWorkers {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.squads
}

// Worker is one of them.
func (b *Board) Worker(key, name string) (Standing, bool) {
	for _, s := range b.Projects() {
		for _, w := range s.Workers {
			if s.Key == key && w.Worker == name {
				return w, true
			}
		}
	}
	return Standing{}, false
}

// How often processes are looked at and projects are listed, how long a burst of changes may last before a look, and how many times as
// long as a look took the next one waits: many workers with a long log must not keep a core busy.
const (
	probeEvery = 30 * time.Second
	boardBurst = 8 * time.Millisecond
	restFactor = 3
)

// Refresh looks at what may have changed, and with everything at all. It reports whether it looked at any.
func (b *Board) Refresh(ctx context.Context, everything bool) (looked bool) {
	b.looking.Lock()
	defer b.looking.Unlock()
	b.seek(time.Now())
	if !b.listed || everything {
		b.list()
	}
	for root, f := range b.of {
		b.mu.Lock()
		due := b.dirty[root] || everything
		delete(b.dirty, root)
		b.mu.Unlock()
		if !due || ctx.Err() != nil {
			continue
		}
		b.put(b.look(ctx, root, f))
		looked = true
	}
	return looked
}

// seek looks for processes that carry marks of workers, as ps does, from time to time: it reads all processes of the user.
func (b *Board) seek(now time.Time) {
	if since := now.Sub(b.sought); !b.recorded && (since >= probeEvery || since < 0) {
		b.marked, b.sought = manager.Marked(), now
	}
}

// list opens the projects that have workers, or only processes of workers, and closes those that are shown no more.
func (b *Board) list() {
	b.listed = true
	roots := ledger.Projects(b.env)
	for _, root := range project.Marked(b.env) {
		key := project.KeyOf(root, project.StateDir(b.env))
		marks := func(p manager.Carrier) bool { return strings.HasPrefix(p.Value, key+"/") }
		if !slices.Contains(roots, root) && slices.ContainsFunc(b.marked, marks) && project.Original(root, b.env) == root { // a clone is no project
			roots = append(roots, root)
		}
	}
	roots = slices.DeleteFunc(roots, func(root string) bool { return !b.shown(root) })
	for _, root := range roots {
		if b.of[root] != nil {
			continue
		}
		if o, err := projects.Open(b.env, root); err == nil {
			b.of[root] = &followed{project: o}
			b.soil(root)
		}
	}
	for root, f := range b.of {
		if !slices.Contains(roots, root) {
			f.project.Close()
			delete(b.of, root)
			b.mu.Lock()
			b.squads = slices.DeleteFunc(slices.Clone(b.squads), func(s ProjectWorkers) bool { return s.Root == root })
			b.mu.Unlock()
		}
	}
}

func (b *Board) soil(root string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty[root] = true
}

// look says where the workers of a project stand. Processes are asked from time to time only.
func (b *Board) look(ctx context.Context, root string, f *followed) ProjectWorkers {
	o := f.project
	s := ProjectWorkers{Root: root, Key: o.Store.Key}
	how, now := o.LoadCached, time.Now()
	if !b.recorded && now.Sub(f.probed) >= probeEvery {
		how, f.probed = o.Load, now
	}
	all, err := how(ctx)
	if err != nil {
		s.Err = err
		return s
	}
	all, strays := manager.AccountForAll(o.Manager, all, b.marked)
	shown := manager.Living(all)
	names := describe.Living(all)
	for _, stray := range strays {
		s.Workers = append(s.Workers, Standing{Summary: describe.SummarizeStray(stray), Error: stray.Why, Root: root, Key: s.Key, Over: true, Stray: true,
			Words:   plain.Line(describe.StrayText(stray)),
			Running: manager.LeftWords(stray.Processes) + " (aburn kill " + stray.Name + ")"})
	}
	for _, m := range shown {
		s.Workers = append(s.Workers, standing(o, m, names, now))
	}
	for _, m := range all {
		if m.Err == nil && m.Over() && slices.Contains(asked, m.Worker.Reason) {
			s.Ended = append(s.Ended, sessionsOf(m)...)
		}
	}
	if !b.recorded {
		b.recount(root, o, shown)
	}
	return s
}

func standing(o *projects.Project, m *manager.Member, names map[string]bool, now time.Time) Standing {
	w := Standing{Summary: describe.Summarize(m, names, now, o.ReadyFor()), Root: o.Root, Key: o.Store.Key,
		Words:   plain.Line(units.Join(describe.StateText(m), describe.LeftRunning(m))),
		Running: describe.LeftWords(m)}
	if m.Err != nil {
		w.Error = m.Err.Error()
		return w
	}
	w.Clash, w.Pull, w.Over = describe.ClashText(w.Overlaps), m.Worker.Pull, m.Over()
	if e := m.Ledger.Last(worker.Pulled); e != nil {
		w.PullURL = e.URL
	}
	if e := m.Ledger.Last(worker.Checked); e != nil && w.Pull.Checks == worker.CheckFailing {
		w.Failed = e.Failed
	}
	w.Wt = o.Wt(m.Name)
	_, _, w.Lines = o.Channel(m)
	w.Sessions = sessionsOf(m)
	return w
}

// asked are the reasons of ends that the user asked for.
var asked = []worker.Reason{worker.ManuallyKilled, worker.AutoCleanup, worker.PullRequestMerged}

// sessionsOf are the ids of a worker's agent, the newest last.
func sessionsOf(m *manager.Member) (ids []string) {
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for i := range m.Ledger.Entries {
		if e := &m.Ledger.Entries[i]; e.Kind == worker.Launched {
			add(e.Session)
		}
	}
	if m.Talk != nil {
		add(m.Talk.Session)
	}
	add(string(m.Session))
	return ids
}

// put replaces what is shown of a project.
func (b *Board) put(s ProjectWorkers) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range s.Workers {
		s.Workers[i].Stat = b.stats[s.Root+"\x00"+s.Workers[i].Worker].text
	}
	list := slices.Clone(b.squads)
	if i := slices.IndexFunc(list, func(old ProjectWorkers) bool { return old.Root == s.Root }); i >= 0 {
		list[i] = s
	} else {
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y ProjectWorkers) int { return strings.Compare(x.Root, y.Root) })
	b.squads = list
}

// recount has git count what workers changed that do not work now, if something was written since. It takes an index of its own and
// some processes, so it runs behind the look, for one worker after the other.
func (b *Board) recount(root string, o *projects.Project, members []*manager.Member) {
	var due []*manager.Member
	b.mu.Lock()
	for _, m := range members {
		if m.Err != nil || !m.Quiet() || len(m.Ledger.Entries) == 0 {
			continue
		}
		of := fmt.Sprint(m.Ledger.Entries[len(m.Ledger.Entries)-1].Seq, m.Worker.Since.UnixNano(), m.Worker.State)
		if at := root + "\x00" + m.Name; b.stats[at].of != of {
			b.stats[at] = stat{of, b.stats[at].text}
			due = append(due, m)
		}
	}
	ctx := b.living
	b.mu.Unlock()
	if len(due) == 0 {
		return
	}
	go func() {
		b.counting(ctx, root, o, due)
		b.soil(root)
		b.see(ctx, false)
	}()
}

func (b *Board) counting(ctx context.Context, root string, o *projects.Project, due []*manager.Member) {
	for _, m := range due {
		repo, err := manager.RepositoryOf(ctx, o.Manager, m)
		if err != nil {
			continue
		}
		text, _, err := describe.DiffOf(ctx, o.Manager, repo, m, true)
		if err != nil {
			continue
		}
		b.mu.Lock()
		at := root + "\x00" + m.Name
		b.stats[at] = stat{b.stats[at].of, statWords(text)}
		b.mu.Unlock()
	}
}

// statWords are the numbers of git's last line, " 3 files changed, 12 insertions(+), 4 deletions(-)", as a card shows them.
func statWords(text string) string {
	words := "no change"
	for line := range strings.Lines(text) {
		var files, add, del int
		if !strings.HasPrefix(line, " ") || !strings.Contains(line, " changed") {
			continue
		}
		if n, _ := fmt.Sscanf(line, "%d file", &files); n == 0 {
			continue
		}
		for part := range strings.SplitSeq(line, ",") {
			switch {
			case strings.Contains(part, "insertion"):
				fmt.Sscan(part, &add)
			case strings.Contains(part, "deletion"):
				fmt.Sscan(part, &del)
			}
		}
		words = fmt.Sprintf("%s +%d −%d", plain.Plural(int64(files), "file"), add, del)
	}
	return words
}

// see looks where somebody would see it.
func (b *Board) see(ctx context.Context, everything bool) {
	if b.asked() && b.Refresh(ctx, everything) {
		b.told()
	}
}

func (b *Board) close() {
	b.looking.Lock()
	defer b.looking.Unlock()
	for _, f := range b.of {
		f.project.Close()
	}
	clear(b.of)
}
