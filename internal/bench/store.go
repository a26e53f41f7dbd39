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

	"aburn/internal/synth/home"
	"aburn/internal/testkit/agents"
)

// The bounds of an archive of 2 GB of sessions, and of a small one.
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
	pg.section("An archive of sessions", fmt.Sprintf("`aburn ingest` on homes that `internal/synth` made (seed 1): %d MB in %d files with %d sessions and sub-agents, %d MB in %d. All is in the page cache. "+
		"Full runs %d times, the others more often; medians. Everything is read, linked and stored; ccusage adds up tokens, and stores nothing.",
		big.bytes>>20, big.Files, big.sessions, small.bytes>>20, small.Files, storeRounds))
	pg.table("process", "wall", "CPU", "peak", "bound")
	if err := pg.fresh(w, "first, small", small, func(c cost) string { return limit("≤ 0.3 s wall", c.wall <= maxSmall) }); err != nil {
		return err
	}
	grow, err := cutOff(big.dir)
	if err != nil {
		return err
	}
	err = pg.fresh(w, "first", big, func(c cost) string {
		return limit("≤ 12 s CPU", c.cpu <= maxIngestCPU) + ", " + limit("≤ 150 MB", c.peak <= maxIngestPeak)
	})
	if err != nil {
		return err
	}
	if err := pg.again(w, big, grow); err != nil {
		return err
	}
	if err := pg.ccusage(w, big); err != nil {
		return err
	}
	state, err := sizeOf(big.archive())
	if err != nil {
		return err
	}
	fmt.Fprintf(&pg.b, "\nThe archive of the big home has %d MB, %.1f %% of its logs (%s).\n", state>>20, 100*float64(state)/float64(big.bytes), limit("≤ 25 %", 4*state <= big.bytes))
	return nil
}

func limit(bound string, met bool) string {
	if met {
		return bound + ": met"
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

// costs runs p and returns the medians of what it took.
func costs(rounds int, p *process, before func(round int) error) (cost, error) {
	var walls, cpus []time.Duration
	var peaks []int64
	for round := range rounds {
		if before != nil {
			if err := before(round); err != nil {
				return cost{}, err
			}
		}
		c, err := p.cost(round)
		if err != nil {
			return cost{}, err
		}
		walls, cpus, peaks = append(walls, c.wall), append(cpus, c.cpu), append(peaks, c.peak)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	slices.Sort(peaks)
	return cost{median(walls), median(cpus), peaks[len(peaks)/2]}, nil
}

func (p *page) costRow(name string, c cost, bound string) {
	p.row(name, seconds(c.wall), seconds(c.cpu), fmt.Sprintf("%d MB", c.peak>>20), bound)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// fresh adds the row of an ingest without an archive.
func (p *page) fresh(w *world, name string, s *store, bound func(cost) string) error {
	c, err := costs(storeRounds, s.run(w, name, w.bin("aburn"), "ingest"), func(int) error { return os.RemoveAll(s.archive()) })
	if err != nil {
		return err
	}
	p.costRow(fmt.Sprintf("`aburn ingest`, %s, %d MB", name, s.bytes>>20), c, bound(c))
	return nil
}

// again adds the rows of an ingest with an archive: of nothing new, and of a session that has grown.
func (p *page) again(w *world, s *store, grow func(part int) error) error {
	ingest := s.run(w, "ingest", w.bin("aburn"), "ingest")
	c, err := costs(3*storeRounds, ingest, nil)
	if err != nil {
		return err
	}
	p.costRow("`aburn ingest`, nothing new", c, limit("≤ 0.07 s wall", c.wall <= maxUnchanged))
	if c, err = costs(grownParts, ingest, grow); err != nil {
		return err
	}
	p.costRow("`aburn ingest`, one session grown", c, limit("≤ 0.3 s wall", c.wall <= maxGrown))
	return nil
}

// ccusage adds the row of ccusage, if the network may be used or it is installed.
func (p *page) ccusage(w *world, s *store) error {
	if !p.install {
		return nil
	}
	cache, err := agents.CacheDir()
	if err != nil {
		return err
	}
	client, err := agents.InstallCcusage(context.Background(), cache)
	if err != nil {
		return err
	}
	c, err := costs(storeRounds, s.run(w, "ccusage", client.Path, "daily", "--offline", "--json"), nil)
	if err != nil {
		return err
	}
	p.costRow("ccusage "+client.Version+" (npm), tokens only", c, "")
	return nil
}

// cutOff takes the second half off the home's biggest transcript of Claude Code, and returns what puts a part of it back.
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
