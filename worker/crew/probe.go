package crew

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
func (c *Crew) Probe(ctx context.Context, members []*Member, mass *worker.Mass) (deaths []worker.MassDeath, held map[string]bool) {
	alive := map[string]map[string]bool{}
	for _, r := range c.Runtimes {
		if there, err := r.Alive(ctx); err == nil {
			alive[r.Name()] = there
		}
	}
	var living []*Member
	var found []worker.Fact
	var seen []worker.Seen
	for _, m := range members {
		if m.Err != nil || m.Over() || m.Ledger.Last(worker.Launched) == nil {
			continue
		}
		f := c.vital(m, alive)
		living, found = append(living, m), append(found, f)
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
		c.record(m, found[i])
	}
	return deaths, held
}

// vital is what can be seen of a member's processes.
func (c *Crew) vital(m *Member, alive map[string]map[string]bool) worker.Fact {
	book := c.Store.Book(m.Name)
	launch := m.Ledger.Last(worker.Launched)
	f := worker.Fact{Kind: worker.Probed, Gen: launch.Gen, File: worker.Ledger}
	if held, err := hold.Held(book.Dir, launch.Gen); err == nil {
		f.Holder = life(held)
	}
	if began, err := hold.ReadBegan(book.Dir, launch.Gen); err == nil {
		switch proc.Of(began.Agent, began.Host) {
		case proc.Runs:
			f.Process = worker.Alive
		case proc.Gone:
			f.Process = worker.Dead
		}
	}
	f.Runtime = f.Holder
	if there, ok := alive[m.Request.Via]; ok {
		f.Runtime = life(there[launch.Address])
	}
	f.Host = proc.Host()
	f.Boot, f.Up = proc.Clock()
	f.Up = f.Up.Truncate(time.Millisecond)
	f.At = time.Now().UTC().Truncate(time.Millisecond)
	f.Seq = m.Ledger.Entries[len(m.Ledger.Entries)-1].Seq + 1
	return f
}

// record writes down what a probe saw, if it is news.
func (c *Crew) record(m *Member, f worker.Fact) {
	if !m.Worker.Worth(f) {
		return
	}
	book := c.Store.Book(m.Name)
	l, err := book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) { // others may have looked since m was read
		fresh := late(book, l)
		if len(fresh) == 0 && l.Gen() == f.Gen {
			fresh = []ledger.Entry{{Fact: f}}
		}
		return fresh, nil
	})
	if err != nil {
		return
	}
	m.Ledger = l
	c.fold([]*Member{m})
}

func life(there bool) worker.Life {
	if there {
		return worker.Alive
	}
	return worker.Dead
}

// Stamp changes when something was written that says more of the members: the log, a ledger, a holder's files. It opens nothing.
func (c *Crew) Stamp(members []*Member) string {
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
		if m.Err == nil && m.Talk != nil {
			look(hold.Path(dir, "said", m.Ledger.Gen()))
		}
	}
	return string(b)
}
