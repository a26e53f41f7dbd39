package archived

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/ingest"
	"aburn/insight"
	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/own"
)

// size is how many sessions and sub-agents the tests make: what the issue asks for, fewer under the race detector.
func size() int {
	if tracetest.Race || testing.Short() {
		return 800
	}
	return 10_000
}

// generated is an archive that all tests share.
type generated struct {
	dir      string
	now      time.Time
	truth    *Truth
	sessions map[string]*Session // by source/id
	digests  []*insight.Digest
}

// made makes the archive and loads its digests, once computed and once cached.
func made(t *testing.T) *generated {
	t.Helper()
	dir := t.TempDir()
	// Sessions that end in the future are still going on when a slow machine comes to look.
	p := &generated{dir: dir, now: time.Now().Add(10 * time.Minute).UTC().Truncate(time.Second), sessions: map[string]*Session{}}
	var err error
	if p.truth, err = Make(context.Background(), dir, Options{Units: size(), Seed: 1, Now: p.now}); err != nil {
		t.Fatal(err)
	}
	all, err := Sessions(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		p.sessions[s.Source+"/"+s.ID] = s
	}
	p.digests = p.load(t)
	if again := p.load(t); !reflect.DeepEqual(again, p.digests) {
		t.Error("the digests that were kept are not those that were made")
	}
	return p
}

func (p *generated) load(t *testing.T) (all []*insight.Digest) {
	t.Helper()
	list, err := digests.Load(context.Background(), filepath.Join(p.dir, ArchiveDir), archive.Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		all = append(all, s.Digest)
	}
	return all
}

// What is said of an archive is what it was made to hold.
func TestPile(t *testing.T) {
	world.Slow(t)
	p := made(t)
	t.Run("digests", p.digestsAreTrue)
	t.Run("report", p.reportIsTrue)
	t.Run("remedy", p.remedyIsTrue)
	t.Run("siblings", p.siblingsAreTrue)
	t.Run("replay", p.replayIsTrue)
	t.Run("lessons", p.lessonsAreTrue)
}

// Every digest says what its session amounts to, and sessions have equal keys exactly where they have equal shapes.
func (p *generated) digestsAreTrue(t *testing.T) {
	if len(p.digests) != len(p.sessions) || p.truth.Units != len(p.sessions) {
		t.Fatalf("%d digests of %d sessions", len(p.digests), p.truth.Units)
	}
	coarse, sub, fine := pairs{}, pairs{}, pairs{}
	wrong := 0
	for _, d := range p.digests {
		s := p.of(d)
		if s == nil {
			t.Fatalf("nobody made %s/%s", d.Source, d.ID)
		}
		got, want := said(d), *s
		want.Scenario, want.Errors, want.GotOver = "", nil, nil
		if got, want := failed(d), s.failed(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s (%s): errors %v, want %v", d.ID, s.Scenario, got, want)
		}
		if !reflect.DeepEqual(got, want) && wrong < 10 {
			wrong++
			t.Errorf("%s (%s)\n got %+v\nwant %+v", d.ID, s.Scenario, got, want)
		}
		coarse.add(t, d.Keys.Coarse, s.Bucket())
		sub.add(t, d.Keys.Sub, s.Sub())
		fine.add(t, d.Keys.Fine, s.Decisive())
	}
}

// of is what was made as d's session.
func (p *generated) of(d *insight.Digest) *Session { return p.sessions[d.Source+"/"+d.ID] }

// pairs are keys and the shapes that they stand for, both ways.
type pairs map[string]string

func (p pairs) add(t *testing.T, key, shape string) {
	t.Helper()
	key, shape = "key "+key, "shape "+shape
	for _, pair := range [][2]string{{key, shape}, {shape, key}} {
		if had, ok := p[pair[0]]; ok && had != pair[1] {
			t.Errorf("%s: %s and %s", pair[0], had, pair[1])
		}
		p[pair[0]] = pair[1]
	}
}

// said is what a digest says, in the words of the truth.
func said(d *insight.Digest) Session {
	s := Session{Source: d.Source, ID: d.ID, Agent: d.Agent.Name, Subagent: d.Relation == trace.Subagent, Project: d.Project.Path, Start: d.Start, End: d.End,
		Live: d.Live, Hooked: d.Hooked, Outcome: string(d.Verdict.Outcome), Refined: d.Verdict.Refined != "", Calls: d.Counts.Calls, NoResult: d.Counts.NoResult,
		Tokens: d.Usage.Total(), Spent: Spent(d.Spent), Tools: map[string]Tool{}, Loops: []Loop{}, Slow: []int64{}, Phases: []Phase{}}
	for _, u := range d.Tools {
		s.Tools[string(u.Type)] = Tool{u.Calls, u.Ended, u.Failed, u.Denied, u.Retries, u.Timed, u.TimedMS, u.SpentAll}
	}
	for _, l := range d.Loops {
		s.Loops = append(s.Loops, Loop{l.Path, l.Edits, l.Identical})
	}
	for _, c := range d.Slow {
		s.Slow = append(s.Slow, c.MS)
	}
	for _, u := range d.Phases {
		p := Phase{Command: u.Command, Phase: u.Phase, Result: u.Result, MS: u.ActiveMS, Tokens: u.Tokens, Calls: u.Calls, Failed: u.Failed}
		for _, x := range u.Tools {
			if p.Tools == nil {
				p.Tools = map[string]int{}
			}
			p.Tools[x.Tool] = x.Failed
		}
		s.Phases = append(s.Phases, p)
	}
	return s
}

// counted is equal errors.
type counted struct {
	class string
	count int
}

// failed is the equal errors of a digest, in the order of their first appearance.
func failed(d *insight.Digest) (all []counted) {
	for _, e := range d.Errors {
		all = append(all, counted{string(e.Class), e.Count})
	}
	return all
}

// failed is what it must be.
func (s *Session) failed() (all []counted) {
	at := map[string]int{}
	for _, e := range s.Errors {
		if _, ok := at[e.Name]; !ok {
			at[e.Name] = len(all)
			all = append(all, counted{class: e.Class})
		}
		all[at[e.Name]].count++
	}
	return all
}

// The same is said where the sessions are read from the files that agents and hooks write.
func TestStores(t *testing.T) {
	world.Slow(t)
	ctx, dir := context.Background(), t.TempDir()
	now := time.Now().UTC().Truncate(time.Second)
	truth, err := MakeStores(dir, Options{Units: 150, Seed: 2, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	env := func(string) string { return "" }
	home := filepath.Join(dir, ArchiveDir)
	a, err := archive.Open(ctx, home)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	done, err := ingest.Run(ctx, ingest.Options{Archive: a, Readers: []trace.Reader{claude.New(), own.New()},
		Places: trace.Places{Home: filepath.Join(dir, HomeDir), Getenv: env}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range done.Sources {
		if len(s.Skipped)+len(s.Damaged) > 0 {
			t.Errorf("%s: %+v %+v", s.Name, s.Skipped, s.Damaged)
		}
	}
	p := &generated{dir: dir, now: now, truth: truth, sessions: map[string]*Session{}}
	all, err := Sessions(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		p.sessions[s.Source+"/"+s.ID] = s
	}
	p.digests = p.load(t)
	t.Run("digests", p.digestsAreTrue)
	t.Run("report", p.reportIsTrue)
	t.Run("lessons", p.lessonsAreTrue)
}
