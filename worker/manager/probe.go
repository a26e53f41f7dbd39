package manager

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"aburn/internal/hold"
	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/ledger"
)

// Probe looks at the processes of all members that may live, and records what is new. With a mass, many that look dead at once
// are one event: deaths says of which a person should hear, and held on which servers nothing counts as dead yet.
func (c *Manager) Probe(ctx context.Context, members []*Member, mass *worker.Mass) (deaths []worker.MassDeath, held map[string]bool) {
	return c.probe(ctx, members, mass, c.ask(ctx)(), proc.NewLook())
}

// answers are what runtimes say lives, by their names, and when they were asked. A worker that began since then may live and
// not be among them.
type answers struct {
	alive map[string]map[string]bool
	asked time.Time
}

// ask begins to ask the runtimes; the function waits for their answers.
func (c *Manager) ask(ctx context.Context) func() answers {
	said := make(chan answers, 1)
	a := answers{map[string]map[string]bool{}, time.Now()}
	go func() {
		for _, r := range c.Runtimes {
			if there, err := r.Alive(ctx); err == nil {
				a.alive[r.Name()] = there
			}
		}
		said <- a
	}()
	return func() answers { return <-said }
}

func (c *Manager) probe(ctx context.Context, members []*Member, mass *worker.Mass, said answers, look *proc.Look) (deaths []worker.MassDeath,
	held map[string]bool) {
	c.reach(ctx, members)
	var living []*Member
	for _, m := range members {
		if m.Err == nil && !m.IsRemote() && !m.Over() && m.Ledger.Last(worker.Launched) != nil {
			living = append(living, m)
		}
	}
	found := make([]worker.Fact, len(living))
	now := momentNow()
	each(len(living), func(i int) { found[i] = c.vital(living[i], said, now, look) })
	var seen []worker.Seen
	for i, m := range living {
		f := &found[i]
		if m.Worker.Server != "" {
			dead := f.Process == worker.Dead || f.Runtime == worker.Dead
			seen = append(seen, worker.Seen{Worker: m.Name, Server: m.Worker.Server, Dead: dead, Certified: dead && len(late(c.Store.Book(m.Name), m.Ledger)) > 0})
		}
	}
	if mass != nil {
		held, deaths = mass.Round(seen)
	}
	for i, m := range living {
		found[i].Mass = held[m.Worker.Server]
		c.record(m, found[i], look)
	}
	return deaths, held
}

// moment is where and when somebody looks.
type moment struct {
	host, boot string
	up         time.Duration
	at         time.Time
}

func momentNow() moment {
	w := moment{host: proc.Host(), at: time.Now().UTC().Truncate(time.Millisecond)}
	w.boot, w.up = proc.Clock()
	w.up = w.up.Truncate(time.Millisecond)
	return w
}

// settledBefore is how much before the runtimes were asked a worker has to have begun, by the clock of its holder, to be among
// their answers for sure.
const settledBefore = 2 * time.Second

// vital is what can be seen of a member's processes.
func (c *Manager) vital(m *Member, said answers, now moment, look *proc.Look) worker.Fact {
	book := c.Store.Book(m.Name)
	launch := m.Ledger.Last(worker.Launched)
	f := worker.Fact{Kind: worker.Probed, Gen: launch.Gen, File: worker.Ledger}
	if held, err := hold.Held(book.Dir, launch.Gen); err == nil {
		f.Holder = life(held)
	}
	if launch.Proc != nil { // as its holder wrote
		switch look.Of(proc.Process{PID: launch.Proc.PID, Start: launch.Proc.Start}, launch.Host) {
		case proc.Runs:
			f.Process = worker.Alive
		case proc.Gone:
			f.Process = worker.Dead
		}
	}
	f.Runtime = f.Holder
	if there, ok := said.alive[m.Request.Via]; ok && (there[launch.Address] || launch.At.Before(said.asked.Add(-settledBefore))) {
		f.Runtime = life(there[launch.Address])
	}
	f.Host, f.Boot, f.Up, f.At = now.host, now.boot, now.up, now.at
	f.Seq = m.Ledger.Entries[len(m.Ledger.Entries)-1].Seq + 1
	return f
}

// record writes down what a probe saw, if it is news. What was seen before the holder certified the end is none behind the certificate:
// there, seen alive would be alive again.
func (c *Manager) record(m *Member, f worker.Fact, look *proc.Look) {
	if !m.Worker.Worth(f) {
		return
	}
	book := c.Store.Book(m.Name)
	l, err := book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) { // others may have looked since m was read
		fresh := late(book, l)
		ended := l.Last(worker.Certificate)
		if certified := ended != nil && ended.Gen == f.Gen; len(fresh) == 0 && l.Gen() == f.Gen && !certified {
			fresh = []ledger.Entry{{Fact: f}}
		}
		return fresh, nil
	})
	if err != nil {
		return
	}
	m.Ledger = l
	c.fold([]*Member{m}, look)
}

func life(there bool) worker.Life {
	if there {
		return worker.Alive
	}
	return worker.Dead
}

// Stamp changes when something was written that says more of the members: the log, a ledger, a holder's files. It opens nothing.
func (c *Manager) Stamp(members []*Member) string {
	var b []byte
	add := func(st os.FileInfo, err error) {
		if err == nil {
			b = fmt.Appendf(b, "%d %d\n", st.Size(), st.ModTime().UnixNano())
		}
	}
	look := func(path string) {
		add(os.Stat(path))
	}
	look(c.Store.Dir)
	if c.Oss != nil {
		add(c.Oss.Stat("workflow.log"))
	}
	for _, m := range members {
		dir := c.Store.Book(m.Name).Dir
		look(filepath.Join(dir, "ledger.jsonl"))
		if m.Err == nil && m.Over() && m.Ledger.Last(worker.Removed) != nil {
			continue // what brings it back stands there
		}
		look(dir)
		look(filepath.Join(dir, mirrorFile))
		if m.Err == nil && m.Talk != nil {
			look(hold.Path(dir, "said", m.Ledger.Gen()))
		}
	}
	return string(b)
}
