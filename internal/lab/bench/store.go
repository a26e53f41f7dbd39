package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/lab/synth/home"
	"aburn/internal/lab/testkit/agents"
)

// The bounds of reading 2 GB of sessions into an archive, and a small store.
const (
	maxIngestCPU  = 12 * time.Second
	maxIngestPeak = 150 << 20
	maxUnchanged  = 70 * time.Millisecond
	maxGrown      = 300 * time.Millisecond
	maxSmall      = 300 * time.Millisecond
)

// smallHome is the size of a small store.
const smallHome = 28 << 20

// storeRounds is how often the long processes run, and grownParts in how many parts a session grows.
const (
	storeRounds = 3
	grownParts  = 5
)

// storeCase measures `aburn ingest` on homes full of sessions, and ccusage on the same.
func storeCase(w *world, pg *page) error {
	dir := w.path("store")
	defer os.RemoveAll(dir)
	small, err := makeHome(filepath.Join(dir, "small"), min(smallHome, pg.bigLog))
	if err != nil {
		return err
	}
	big, err := makeHome(filepath.Join(dir, "big"), 2*pg.bigLog)
	if err != nil {
		return err
	}
	pg.section("An archive of sessions",
		fmt.Sprintf("`aburn ingest` on two made-up homes (seed 1): %d MB in %d files with %d sessions and sub-agents, and %d MB in %d files. All is in the "+
			"page cache. The big one was read %d times in turn with ccusage, which parses only records with tokens and stores nothing.",
			big.bytes>>20, big.Files, big.sessions, small.bytes>>20, small.Files, storeRounds))
	pg.table("process", "wall", "CPU", "peak", "bound")
	if err := pg.small(w, small); err != nil {
		return err
	}
	grow, err := cutOff(big.dir)
	if err != nil {
		return err
	}
	if err := pg.big(w, big); err != nil {
		return err
	}
	if err := pg.again(w, big, grow); err != nil {
		return err
	}
	state, err := sizeOf(big.archive())
	if err != nil {
		return err
	}
	fmt.Fprintf(&pg.b, "\nThe archive of the big home has %d MB, %.1f %% of its logs (%s).\n", state>>20, 100*float64(state)/float64(big.bytes),
		limit("≤ 25 %", 4*state <= big.bytes))
	fmt.Fprintf(&pg.b, "\n%s\n", whereStore)
	return nil
}

// whereStore is what a reader of the table has to know about its figures.
const whereStore = "By a profile of the first ingest about two thirds of its time is reading. The small store waits for eight fsyncs while its archive is made."

func limit(bound string, met bool) string {
	if met {
		return bound
	}
	return bound + ": **missed**"
}

// store is a home that was made.
type store struct {
	*home.Truth
	dir             string
	bytes, sessions int64
}

func makeHome(dir string, size int64) (*store, error) {
	truth, err := home.Make(dir, home.Options{Size: size, Seed: 1})
	if err != nil {
		return nil, err
	}
	s := &store{Truth: truth, dir: dir}
	for source, total := range truth.Totals {
		s.bytes += truth.Bytes[source]
		s.sessions += int64(total.Sessions + total.Subagents)
	}
	return s, nil
}

func (s *store) archive() string { return filepath.Join(s.dir, "archive") }

// run is a process that has the home as its own, and nothing else.
func (s *store) run(w *world, name, path string, args ...string) *process {
	p := w.process(name, path, args...)
	p.env = []string{"PATH=/usr/bin:/bin", "HOME=" + filepath.Join(s.dir, "home"), "ABURN_HOME=" + s.archive(), "TZ=UTC"}
	p.dir = s.dir
	return p
}

// costs runs the processes in turn and returns the medians of what each took. before runs before each round.
func costs(rounds int, before func(round int) error, ps ...*process) ([]cost, error) {
	walls, cpus, peaks := make([][]time.Duration, len(ps)), make([][]time.Duration, len(ps)), make([][]int64, len(ps))
	for round := range rounds {
		if before != nil {
			if err := before(round); err != nil {
				return nil, err
			}
		}
		for i, p := range ps {
			c, err := p.cost(round)
			if err != nil {
				return nil, err
			}
			walls[i], cpus[i], peaks[i] = append(walls[i], c.wall), append(cpus[i], c.cpu), append(peaks[i], c.peak)
		}
	}
	medians := make([]cost, len(ps))
	for i := range ps {
		slices.Sort(walls[i])
		slices.Sort(cpus[i])
		slices.Sort(peaks[i])
		medians[i] = cost{median(walls[i]), median(cpus[i]), peaks[i][rounds/2]}
	}
	return medians, nil
}

func (p *page) costRow(name string, c cost, bound string) {
	p.row(name, seconds(c.wall), seconds(c.cpu), fmt.Sprintf("%d MB", c.peak>>20), bound)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// small adds the row of a small store, without an archive.
func (p *page) small(w *world, s *store) error {
	c, err := costs(p.times(3*storeRounds), s.forget, s.run(w, "first", w.bin("aburn"), "ingest"))
	if err == nil {
		p.costRow(fmt.Sprintf("`aburn ingest`, first, %d MB", s.bytes>>20), c[0], limit("≤ 0.3 s wall", c[0].wall <= maxSmall))
	}
	return err
}

// forget removes the home's archive.
func (s *store) forget(int) error { return os.RemoveAll(s.archive()) }

// big adds the rows of a big store without an archive: aburn and, if it may be fetched, ccusage.
func (p *page) big(w *world, s *store) error {
	ps := []*process{s.run(w, "first", w.bin("aburn"), "ingest")}
	if !p.brief {
		cache, err := agents.CacheDir()
		if err != nil {
			return err
		}
		client, err := agents.InstallCcusage(context.Background(), cache)
		if err != nil {
			return err
		}
		ps = append(ps, s.run(w, "ccusage "+client.Version+" (npm), tokens only", client.Path, "daily", "--offline", "--json"))
	}
	c, err := costs(p.times(storeRounds), s.forget, ps...)
	if err != nil {
		return err
	}
	bound := limit("≤ 12 s CPU", c[0].cpu <= maxIngestCPU) + ", " + limit("≤ 150 MB", c[0].peak <= maxIngestPeak)
	p.costRow(fmt.Sprintf("`aburn ingest`, first, %d MB", s.bytes>>20), c[0], bound)
	if len(c) > 1 {
		p.costRow(ps[1].name, c[1], fmt.Sprintf("aburn takes %.1f × its wall time, %.1f × its CPU", ratio(c[0].wall, c[1].wall), ratio(c[0].cpu, c[1].cpu)))
	}
	return nil
}

// again adds the rows of an ingest with an archive: of nothing new, and of a session that has grown.
func (p *page) again(w *world, s *store, grow func(part int) error) error {
	ingest := s.run(w, "ingest", w.bin("aburn"), "ingest")
	c, err := costs(p.times(3*storeRounds), nil, ingest)
	if err != nil {
		return err
	}
	p.costRow("`aburn ingest`, nothing new", c[0], limit("≤ 0.07 s wall", c[0].wall <= maxUnchanged))
	if c, err = costs(grownParts, grow, ingest); err != nil {
		return err
	}
	p.costRow("`aburn ingest`, one session grown", c[0], limit("≤ 0.3 s wall", c[0].wall <= maxGrown))
	return nil
}

// cutOff takes the second half off the home's biggest transcript of Claude Code, and returns what puts a part of it
// back.
func cutOff(dir string) (func(part int) error, error) {
	var path string
	var size int64
	err := filepath.WalkDir(filepath.Join(dir, "home", ".claude"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(file, "subagents") {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > size {
			path, size = file, info.Size()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	end := func(part int) int { // of the part, at the end of a line
		at := len(data)/2 + part*len(data)/2/grownParts
		return at + bytes.IndexByte(append(data[at:len(data):len(data)], '\n'), '\n') + 1
	}
	if err := os.Truncate(path, int64(end(0))); err != nil {
		return nil, err
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, long, long); err != nil {
		return nil, err
	}
	return func(part int) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		if _, err := f.Write(data[end(part):min(end(part+1), len(data))]); err != nil {
			return err
		}
		return f.Close()
	}, nil
}

// sizeOf is the bytes of all files in a folder.
func sizeOf(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
