package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"aburn/archive"
	"aburn/internal/lab/synth/archived"
)

// maxAnswer bounds the MCP server's time for an answer from an archive of maxUnits sessions and sub-agents, maxCost that of
// `aburn cost`.
const (
	maxAnswer = 100 * time.Millisecond
	maxCost   = 60 * time.Millisecond
	maxUnits  = 10_000
)

// insightRounds is how often a report runs, and how often a question is asked of a new server.
const insightRounds = 9

// insightCase measures `aburn report` and `aburn cost`, `aburn web`, and the MCP server's start and answers, on an archive of many sessions.
func insightCase(w *world, pg *page) error {
	dir := w.path("insight")
	defer os.RemoveAll(dir)
	truth, err := makeArchive(w, dir, min(maxUnits, max(200, pg.bigLog>>16)))
	if err != nil {
		return err
	}
	s := &store{dir: dir} // with the archive where a home's is
	pg.section("What sessions teach",
		fmt.Sprintf("An archive of %d sessions and %d sub-agents with %d calls, all made up. The first report computes and caches a digest of each; "+
			"the bench removes the digests before each of its rounds.", truth.Sessions, truth.Subagents, calls(truth)))
	if err := pg.reports(w, s); err != nil {
		return err
	}
	if err := pg.serverStart(w, s); err != nil {
		return err
	}
	if err := pg.answers(w, s); err != nil {
		return err
	}
	return pg.web(w, s)
}

// makeArchive makes the archive in another process: this one's memory would count as its children's.
func makeArchive(w *world, dir string, units int64) (*archived.Truth, error) {
	if err := w.build(".", "./internal/lab/synth"); err != nil {
		return nil, err
	}
	if out, err := exec.Command(w.bin("synth"), "-units", fmt.Sprint(units), dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("synth: %w\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, archived.TruthFile))
	if err != nil {
		return nil, err
	}
	truth := new(archived.Truth)
	return truth, json.Unmarshal(data, truth)
}

func calls(t *archived.Truth) (n int) {
	for _, tool := range t.Tools {
		n += tool.Calls
	}
	return n
}

// reports adds the rows of reports without kept digests, and with them.
func (p *page) reports(w *world, s *store) error {
	plain := filepath.Join(s.dir, "plain.db")
	kept := filepath.Join(s.archive(), archive.Name)
	if err := copyFile(plain, kept); err != nil {
		return err
	}
	report := s.run(w, "report", w.bin("aburn"), "report")
	p.table("process", "wall", "CPU", "peak", "bound")
	for _, row := range []struct {
		name   string
		rounds int
		before func(int) error
	}{
		{"`aburn report`, first", p.times(storeRounds), func(int) error {
			os.Remove(kept + "-wal")
			os.Remove(kept + "-shm")
			return copyFile(kept, plain)
		}},
		{"`aburn report`, repeated", p.times(insightRounds), nil},
	} {
		c, err := costs(row.rounds, row.before, report)
		if err != nil {
			return err
		}
		p.costRow(row.name, c[0], "")
	}
	for _, args := range [][]string{{"cost"}, {"cost", "--by", "session"}} {
		c, err := costs(p.times(insightRounds), nil, s.run(w, "cost", w.bin("aburn"), args...))
		if err != nil {
			return err
		}
		bound := ""
		if len(args) == 1 {
			bound = limit("≤ 60 ms wall", c[0].wall <= maxCost)
		}
		p.row("`aburn "+strings.Join(args, " ")+"`", fmt.Sprintf("%d ms", c[0].wall.Milliseconds()), fmt.Sprintf("%d ms", c[0].cpu.Milliseconds()),
			fmt.Sprintf("%d MB", c[0].peak>>20), bound)
	}
	return nil
}

// copyFile copies without holding the file in memory.
func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}
