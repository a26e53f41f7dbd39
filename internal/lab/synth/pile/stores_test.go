package pile

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/trace"
	"aburn/trace/claude"
	"aburn/trace/own"
)

// The same is said where the sessions are read from the files that agents and hooks write.
func TestStores(t *testing.T) {
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
	done, err := ingest.Run(ctx, ingest.Options{Archive: a, Readers: []trace.Reader{claude.New(), own.New()}, Places: trace.Places{Home: filepath.Join(dir, HomeDir), Getenv: env}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range done.Sources {
		if len(s.Skipped)+len(s.Damaged) > 0 {
			t.Errorf("%s: %+v %+v", s.Name, s.Skipped, s.Damaged)
		}
	}
	p := &pile{dir: dir, now: now, truth: truth, sessions: map[string]*Session{}}
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
