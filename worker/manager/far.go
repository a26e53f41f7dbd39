package manager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// A far worker runs in another repository, on another machine or in a clone on this one. An aburn there keeps its ledger and
// hears its agent. What that says of it is mirrored here, and its state follows from the mirror by the same rules. The ledger
// here has the request, and what was seen from here: that the other machine did not answer, or that the work was brought back.
//
// A machine that does not answer is Unknown, and proves nothing. Clocks of two machines differ, so this machine's own facts
// are ordered against the mirrored ones only roughly; none of them can end a worker but a removal.

// farPrefix begins the name of a runtime on another machine; inClone is that of a clone on this one.
const farPrefix, inClone = "ssh:", "clone"

// RemoteHost is the machine of a runtime's name, "" for a clone on this one; ok is false for a worker of this repository.
func RemoteHost(via string) (host string, ok bool) {
	if via == inClone {
		return "", true
	}
	return strings.CutPrefix(via, farPrefix)
}

// ViaRemote is the name of the runtime on a machine.
func ViaRemote(host string) string {
	if host == "" {
		return inClone
	}
	return farPrefix + host
}

// IsRemote reports whether the member runs in another repository.
func (m *Member) IsRemote() bool {
	_, ok := RemoteHost(m.Request.Via)
	return ok
}

// News is what a machine says of a worker.
type News struct {
	Version int       `json:"v"`
	Worker  string    `json:"worker"`
	Unknown bool      `json:"unknown,omitempty"` // there is none of that name
	Error   string    `json:"error,omitempty"`   // its ledger cannot be read
	Tree    string    `json:"tree,omitempty"`
	Entries []string  `json:"entries,omitempty"` // of its ledger, as there
	Facts   []farFact `json:"facts,omitempty"`   // of the log and the agent's protocol
	Session string    `json:"session,omitempty"`
	Said    string    `json:"said,omitempty"`
	Lives   bool      `json:"lives,omitempty"` // a holder has its agent
}

// farFact is a fact with the file that it stands in.
type farFact struct {
	File worker.File     `json:"file"`
	Fact json.RawMessage `json:"fact"`
}

const newsVersion = 1

// mirrorFile is in a far worker's folder: the latest News.
const mirrorFile = "mirror.json"

// NewsOf is what this machine says of a worker to the one that spawned it.
func NewsOf(ctx context.Context, c *Manager, name string) News {
	n := News{Version: newsVersion, Worker: name}
	list, err := c.Load(ctx, name)
	if err == nil {
		err = list[0].Err
	}
	if n.Unknown = errors.Is(err, ledger.ErrUnknown); n.Unknown {
		return n
	}
	if err != nil {
		n.Error = err.Error()
		return n
	}
	m := list[0]
	n.Tree, n.Session, n.Said = m.Request.Tree, string(m.Session), m.Said
	for _, e := range m.Ledger.Entries {
		if line, err := ledger.Encode(e); err == nil {
			n.Entries = append(n.Entries, string(line))
		}
	}
	for _, f := range m.others {
		if line, err := worker.Encode(f); err == nil {
			n.Facts = append(n.Facts, farFact{f.File, line})
		}
	}
	n.Lives = !m.Over() && Runs(c, m)
	return n
}

// mirror reads the latest news of a far member into it. Its own ledger's entries follow the other machine's.
func (c *Manager) mirror(m *Member) {
	data, err := os.ReadFile(filepath.Join(c.Store.Book(m.Name).Dir, mirrorFile))
	var n News
	if err != nil || json.Unmarshal(data, &n) != nil {
		return
	}
	l := *m.Ledger
	l.Entries = nil
	for _, line := range n.Entries {
		e, err := ledger.Parse([]byte(line))
		switch {
		case err != nil:
			l.Damaged++
		case e.Kind != worker.Requested:
			e.Seq += farSeq
			l.Entries = append(l.Entries, e)
		}
	}
	own := m.Ledger.Entries
	for len(own) > 0 && own[0].Kind == worker.Requested {
		l.Entries = append(own[:1:1], l.Entries...)
		own = own[1:]
	}
	l.Entries = append(l.Entries, own...)
	m.Ledger, m.RemoteTree = &l, n.Tree
	m.Session, m.Said = logfmt.SessionID(n.Session), n.Said
	for _, one := range n.Facts {
		if f, err := worker.Parse(one.Fact, one.File); err == nil {
			m.told = append(m.told, f)
		}
	}
}

// farSeq keeps the places of two ledgers apart.
const farSeq = 1 << 32

// reachTime is how long another machine may take to answer.
const reachTime = 20 * time.Second

// reach asks the machines of far members for news, each once, and keeps them.
func (c *Manager) reach(ctx context.Context, members []*Member) {
	type place struct{ host, dir string }
	byHost := map[place][]*Member{}
	for _, m := range members {
		if m.Err == nil && m.IsRemote() && m.Ledger.Last(worker.Removed) == nil && !m.neverRan() {
			host, _ := RemoteHost(m.Request.Via)
			at := place{host, m.Request.Address}
			byHost[at] = append(byHost[at], m)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	var all sync.WaitGroup
	for at, list := range byHost {
		all.Go(func() {
			var names []string
			for _, m := range list {
				names = append(names, m.Name)
			}
			news, err := []News(nil), errors.New("no machine can be asked from here")
			if c.Ask != nil {
				news, err = c.Ask(ctx, at.host, at.dir, names)
			}
			for _, m := range list {
				learnNews(c, m, news, err)
			}
		})
	}
	all.Wait()
}

// learnNews keeps what a machine says of a member, or writes down that it does not answer.
func learnNews(c *Manager, m *Member, news []News, err error) {
	seen := worker.LifeUnknown
	for _, n := range news {
		switch {
		case n.Worker != m.Name:
			continue
		case n.Unknown:
			neverBegan(c, m)
			return
		case n.Version != newsVersion || n.Error != "":
			continue
		}
		data, merr := json.Marshal(n)
		if merr == nil {
			merr = atomicfile.Write(filepath.Join(c.Store.Book(m.Name).Dir, mirrorFile), data, 0o600, atomicfile.Options{})
		}
		if merr != nil {
			m.Err = merr
			return
		}
		if n.Lives {
			seen = worker.Alive
		}
		if rereadMirror(c, m); !n.Lives {
			return // its ledger says why
		}
	}
	if m.Ledger.Last(worker.Launched) == nil || m.Over() {
		return
	}
	f := worker.Fact{Kind: worker.Probed, Gen: m.Ledger.Gen(), File: worker.Ledger, Runtime: seen, Process: seen, Holder: seen,
		At: time.Now().UTC().Truncate(time.Millisecond)}
	if seen == worker.LifeUnknown && err == nil {
		err = errors.New("it says nothing of the worker")
	}
	f.Seq = m.Ledger.Entries[len(m.Ledger.Entries)-1].Seq + 1
	if m.Worker.Worth(f) && c.Store.Book(m.Name).Append(ledger.Entry{Fact: f}) == nil {
		rereadMirror(c, m)
	}
	if seen == worker.LifeUnknown {
		m.Unreached = err.Error()
	}
}

// rereadMirror reads a far member once more.
func rereadMirror(c *Manager, m *Member) {
	fresh := c.loadCached(context.Background(), m.Name)[0]
	fresh.Unreached = m.Unreached
	*m = *fresh
}

// neverBegan ends a spawn in the book whose process is gone and of which the other machine knows nothing.
func neverBegan(c *Manager, m *Member) {
	if m.Ledger.Last(worker.Launched) != nil {
		m.Unreached = "the machine does not know this worker any more"
		return
	}
	book := c.Store.Book(m.Name)
	root, err := os.OpenRoot(book.Dir)
	if err != nil {
		return
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, spawnLock, 0)
	if err != nil {
		return // it is being spawned
	}
	defer lock.Release()
	failed := ledger.Entry{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: 1}}
	failed.Why = "spawn was ended before the agent ran"
	if book.Append(failed, ledger.Entry{Fact: worker.Fact{Kind: worker.Removed, Gen: 1, Clean: true}}) == nil {
		rereadMirror(c, m)
	}
}

// Machine is the runtime on another machine, or in a clone. Its workers are started by the aburn there.
type Machine struct{ Host string }

// Name of the runtime.
func (r Machine) Name() string { return ViaRemote(r.Host) }

// Server is that of no other worker: what cannot be reached is not dead.
func (Machine) Server() string { return "" }

// Start is not for this machine.
func (Machine) Start(context.Context, string, string, []string) (string, error) {
	return "", errors.New("another machine starts its workers itself")
}

// Alive is not known here.
func (Machine) Alive(context.Context) (map[string]bool, error) {
	return nil, errors.New("another machine answers for itself")
}

// ClaimRemote takes a name and a branch for a worker on another machine, and writes down what is wanted. dir is the repository
// there. The caller says with done whether the worker came to be: if it did not, its name is free again. A machine that
// did not say leaves it open.
func ClaimRemote(ctx context.Context, c *Manager, repo *tree.Repo, p Plan, dir string) (s *Spawned, done func(failed bool), err error) {
	if s, err = begin(ctx, repo, p); err != nil {
		return nil, nil, err
	}
	book, err := enterLedger(ctx, c, repo, s, &p, dir)
	if err != nil {
		return nil, nil, err
	}
	return s, func(failed bool) {
		if failed {
			book.Remove()
		}
		s.release()
	}, nil
}

// MarkFetched writes down that a far worker's tree is gone, after its work was brought back.
func MarkFetched(c *Manager, m *Member, commit string) error {
	if commit == "" {
		return fmt.Errorf("nothing of %s was brought back", m.Name)
	}
	gone := ledger.Entry{Fact: worker.Fact{Kind: worker.Removed, Gen: max(1, m.Ledger.Gen())}}
	gone.Commit = commit
	return c.Store.Book(m.Name).Append(gone)
}
