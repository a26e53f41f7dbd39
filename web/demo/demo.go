// Package demo is a throw-away home with recorded sessions and workers, and a project whose log continues while somebody looks.
package demo

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
)

// Demo is a throw-away home with recorded sessions, and a project whose log goes on while one looks.
//
// The entries are of real sessions of Claude Code 2.1.329 on a scripted model, as hooks recorded them; only what names the computer
// was taken out. The sessions on disk are drawn by hand in the forms of the real clients. They are repeated over two weeks, in three projects, with
// the tokens of a usual session.
type Demo struct {
	dir, project string
	before       []*logfmt.Entry // of the workers, with their times
	entries      []*logfmt.Entry
}

//go:embed all:recorded
var files embed.FS

// The folder in which the recorded sessions worked, and when the last one ended.
const recordedFolder = "/home/user/shop"

var recordedEnd = time.Date(2025, 11, 20, 11, 10, 0, 0, time.UTC)

// demoLive is the session that is played while one looks.
const demoLive = "af1c5fba"

// demoBegun is how many of its entries are there from the start: with its prompt, which names it.
const demoBegun = 3

// New makes the home, and makes it this process's: nothing of the user's is read or written.
func New() (*Demo, error) {
	dir, err := os.MkdirTemp("", "aburn-web-demo-")
	if err != nil {
		return nil, err
	}
	d := &Demo{dir: dir, project: filepath.Join(dir, shop)}
	for _, name := range ownVariables() {
		os.Unsetenv(name)
	}
	os.Setenv("HOME", filepath.Join(dir, "home"))
	if err = d.fill(); err != nil {
		d.Clear()
		return nil, err
	}
	return d, nil
}

// ownVariables locate files of the user's.
func ownVariables() []string {
	list := []string{"ABURN_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}
	for _, a := range agentcli.All() {
		for _, name := range a.Variables() {
			if name != "" {
				list = append(list, name)
			}
		}
	}
	return list
}

// Clear removes the home.
func (d *Demo) Clear() { os.RemoveAll(d.dir) }

func (d *Demo) fill() error {
	if err := os.MkdirAll(filepath.Join(d.project, project.OssDir), 0o700); err != nil {
		return err
	}
	if err := project.Mark(d.project); err != nil {
		return err
	}
	for i := range visits {
		if err := d.leave(i, &visits[i]); err != nil {
			return err
		}
	}
	if err := d.leaveWorkers(); err != nil {
		return err
	}
	text, err := files.ReadFile("recorded/entries.jsonl")
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		e, err := logfmt.Parse(lines.Bytes())
		if err != nil {
			return err
		}
		d.entries = append(d.entries, &e)
	}
	return nil
}

var instant = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// leave puts the recorded sessions into the home, as the n-th visit has them.
func (d *Demo) leave(n int, v *visit) error {
	end := time.Now().Add(-time.Duration(v.hours) * time.Hour)
	folder := filepath.Join(d.dir, v.project)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return fs.WalkDir(files, "recorded/home", func(path string, entry fs.DirEntry, err error) error {
		from := strings.TrimPrefix(path, "recorded/home/")
		if err != nil || entry.IsDir() || !v.leaves(from) {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		shifted := laterBy(v.text(n, from, string(text), folder), end.Sub(recordedEnd))
		name := filepath.Join(d.dir, "home", filepath.FromSlash(v.fileName(n, from)))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(shifted), 0o600); err != nil {
			return err
		}
		return os.Chtimes(name, end, end)
	})
}

// Play writes the log: what happened in the last minutes at once, then the session that lives, an entry every other second.
func (d *Demo) Play(ctx context.Context) error {
	root, err := os.OpenRoot(filepath.Join(d.project, project.OssDir))
	if err != nil {
		return err
	}
	defer root.Close()
	log := journal.New(root, journal.Options{By: journal.Command})
	var before, begun, live []*logfmt.Entry
	for _, e := range d.entries {
		switch {
		case !strings.HasPrefix(string(e.Session), demoLive):
			before = append(before, e)
		case len(begun) < demoBegun:
			begun = append(begun, e)
		default:
			live = append(live, e)
		}
	}
	start := time.Now()
	for i, e := range before {
		e.Time = start.Add(-time.Duration(len(before)-i+10) * 6 * time.Second)
	}
	for _, e := range begun {
		e.Time = start
	}
	if err := appendEntries(log, slices.Concat(d.before, before, begun)...); err != nil {
		return err
	}
	for _, e := range live {
		e.Time = time.Now()
		if err := appendEntries(log, e); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(2 * time.Second):
		}
	}
	return nil
}

func appendEntries(log *journal.Journal, list ...*logfmt.Entry) error {
	_, err := log.Append(func(journal.Tail) []*logfmt.Entry { return list })
	return err
}
