// Package archived makes an archive of invented sessions, and a truth that says how each ended, what failed and what
// that cost.
//
// Every method that adds to a session's trace also adds to its truth (Session). It follows the definitions in package
// insight's documentation and never its code, because tests measure insight's reports by this truth. For that reason
// the package does not import insight. The same options give the same traces.
package archived

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"aburn/archive"
	"aburn/internal/scrub"
	"aburn/trace"
)

// Options say what to make.
type Options struct {
	Units int    // sessions and sub-agents, about
	Seed  uint64 // equal options give equal traces
	// Now is when the newest sessions are going on. The oldest one began Span before.
	Now time.Time
}

// Span is how much time the sessions fill.
const Span = 26 * 7 * 24 * time.Hour

// The remedy: from RemedyAge before Options.Now on, half as many of RemedyAgent's sessions fail for the reason
// RemedyFailure.
const (
	RemedyAge     = Span / 2
	RemedyAgent   = "codex"
	RemedyFailure = "registry"
)

// The folder of the archive (an ABURN_HOME), and the files beside it.
const (
	ArchiveDir   = "archive"
	TruthFile    = "truth.json"
	SessionsFile = "truth-sessions.jsonl"
)

// home is the folder of the projects of sessions that were never in files.
const home = "/home/user/work"

// batchSize is how many sessions one transaction writes.
const batchSize = 500

// maker makes one archive, or the stores of one.
type maker struct {
	Options
	work     string // where the projects are
	stores   bool   // as files (MakeStores)
	sessions []*Session
	traces   []*trace.SessionTrace // not written yet
	made     int                   // sessions begun
	// changed counts RemedyAgent's sessions before the remedy and after it.
	changed [2]int
	slow    int // slow calls so far
	err     error
}

// Make makes dir/archive, and the files with the truth beside it. dir must be empty or missing.
func Make(ctx context.Context, dir string, o Options) (*Truth, error) {
	a, err := archive.Open(ctx, filepath.Join(dir, ArchiveDir))
	if err != nil {
		return nil, err
	}
	m := &maker{Options: o, work: home}
	for len(m.sessions) < o.Units && err == nil {
		if err = m.next(); err == nil && len(m.traces) >= batchSize {
			err = m.write(ctx, a)
		}
	}
	if err == nil {
		err = m.write(ctx, a)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return nil, err
	}
	truth := sum(m.sessions, o)
	return truth, save(dir, truth, m.sessions)
}

// next makes the next session, with its sub-agents.
func (m *maker) next() error {
	n := m.made
	m.made++
	r := rand.New(rand.NewPCG(m.Seed, uint64(n)))
	at := m.Now.Add(-Span).Add(time.Duration(float64(Span-2*time.Hour) * float64(len(m.sessions)) / float64(m.Units))).Truncate(time.Second)
	a := &agents[0]
	switch draw := r.IntN(100); {
	case m.stores:
	case draw < 30, straddles(n):
		a = &agents[1] // RemedyAgent
	case draw < 45:
		a = &agents[2]
	}
	s := m.begin(r, a, at)
	p := m.choose(n, s)
	if p.hooked {
		s.record()
	}
	p.play(s)
	if m.err != nil {
		return m.err
	}
	return s.finish()
}

// write writes the waiting traces, each as the only one of its own store.
func (m *maker) write(ctx context.Context, a *archive.Archive) error {
	readings := make([]*archive.Reading, 0, len(m.traces))
	for _, t := range m.traces {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := archive.Pack(t)
		if err != nil {
			return err
		}
		path := t.Sources[0].Path
		r := archive.NewReading(archive.Cursor{Known: archive.Known{Reader: t.Source, Path: path, Size: 1000, Modified: t.End, Scrub: scrub.Version}}, true)
		r.Traces = []*archive.Packed{p}
		readings = append(readings, r)
	}
	m.traces = m.traces[:0]
	return a.Write(readings)
}

func save(dir string, truth *Truth, sessions []*Session) error {
	data, err := json.MarshalIndent(truth, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, TruthFile), append(data, '\n'), 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, SessionsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	for _, s := range sessions {
		err = errors.Join(err, lines.Encode(s))
	}
	return errors.Join(err, w.Flush(), f.Close())
}

// Sessions reads the truth about each session that Make wrote.
func Sessions(dir string) ([]*Session, error) {
	f, err := os.Open(filepath.Join(dir, SessionsFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*Session
	for lines := json.NewDecoder(f); lines.More(); {
		s := new(Session)
		if err := lines.Decode(s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
