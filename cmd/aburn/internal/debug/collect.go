package debug

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/install/doctor"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
	"aburn/trace/readers"
	"aburn/worker"
	"aburn/worker/ledger"
)

// collect makes the bundle of what is known around dir. What is not there is left out.
func collect(ctx context.Context, a *kit.App, dir string, entries int, now time.Time) (*bundle, error) {
	p, err := project.Find(dir, a.Getenv)
	if err != nil && !errors.Is(err, project.ErrNone) {
		return nil, err
	}
	folders := map[string]string{a.Getenv("HOME"): "~", project.StateDir(a.Getenv): "STATE", project.ConfigDir(a.Getenv): "CONFIG", dir: "DIR"}
	if p != nil {
		folders[p.Root] = "PROJECT"
	}
	b := newBundle(folders, os.Environ())
	self, _ := os.Executable()
	report := doctor.Run(ctx, doctor.Options{Dir: dir, Env: a.Getenv, Now: now, Self: self, Readers: readers.Readers(), Agents: install.Agents()})
	for i := range report.Checks {
		c := &report.Checks[i]
		c.Text = unquoted(c.Text)
		for k := range c.Hints {
			c.Hints[k] = unquoted(c.Hints[k])
		}
	}
	err = errors.Join(
		b.addJSON("versions.json", "versions of aburn, Go, git and tmux, and the system", versions(ctx)),
		b.addJSON("doctor.json", "what aburn doctor says here, with ~, PROJECT and STATE for folders", report),
		b.addSettings(filepath.Join(project.ConfigDir(a.Getenv), settings.File), "settings-user.json"),
	)
	if p != nil {
		err = errors.Join(err, b.addSettings(filepath.Join(p.Root, ".oss", settings.File), "settings-project.json"), b.addLog(p, entries),
			b.addLedgers(p.Root, a.Getenv))
	}
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"log.old", "log"} {
		if text, err := os.ReadFile(filepath.Join(project.StateDir(a.Getenv), "daemon", name)); err == nil {
			b.add("daemon-"+name+".txt", fmt.Sprintf("the last %d lines that the daemon wrote", logLines), lines(text, logLines))
		}
	}
	return b, nil
}

// logLines is how many lines of a log of aburn's own a bundle holds.
const logLines = 200

// versions are those of what aburn runs with, as they say it themselves.
func versions(ctx context.Context) any {
	out := map[string]any{"aburn": kit.Version()}
	for name, args := range map[string][]string{"git": {"--version"}, "tmux": {"-V"}} {
		ctx, stop := context.WithTimeout(ctx, 5*time.Second)
		text, err := exec.CommandContext(ctx, name, args...).Output()
		stop()
		if err != nil {
			out[name] = "not found, or it gave no version"
			continue
		}
		line, _, _ := strings.Cut(string(text), "\n")
		out[name] = plain.Cut(plain.Line(line), 80)
	}
	return out
}

// addSettings adds the structure of a settings file.
func (b *bundle) addSettings(path, name string) error {
	text, err := os.ReadFile(path)
	about := "settings: keys, numbers and fixed words; other texts as their lengths"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return b.addJSON(name, about, map[string]string{"error": "it cannot be read"})
	case !gjson.ValidBytes(text):
		return b.addJSON(name, about, map[string]any{"error": "it is no JSON", "bytes": len(text)})
	}
	return b.addJSON(name, about, shape(gjson.ParseBytes(text), "", func(key string) bool { return slices.Contains(chosen, key) }))
}

// chosen are the settings whose values are words of fixed sets.
var chosen = []string{"sync", "agent", "agents", "runtime", "action", "permissions", "billing", "currency", "priority", "desktop"}

// fixed are the fields of entries whose values are words of fixed sets.
var fixed = []string{"tool", "type", "source", "client", "permission_mode", "agent_type", "trigger", "reason"}

// addLog adds the newest entries without their texts.
func (b *bundle) addLog(p *project.Project, most int) error {
	oss, err := p.OpenOss()
	if err != nil {
		return err
	}
	defer oss.Close()
	log := journal.New(oss, journal.Options{By: journal.Command})
	var rows [][]byte
	for line, err := range log.Backward(journal.BackwardOptions{}) {
		if err != nil || len(rows) == most {
			break
		}
		row, err := entry(line)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	slices.Reverse(rows)
	b.add("entries.jsonl", plain.Plural(int64(len(rows)), "newest entry", "newest entries")+" of the log: time, event, agent, sizes of texts",
		append(bytes.Join(rows, []byte("\n")), '\n'))
	sizes := map[string]int64{}
	all, err := fs.ReadDir(oss.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range all {
		if st, err := e.Info(); err == nil && plainKey().MatchString(e.Name()) {
			sizes[e.Name()] = st.Size()
		}
	}
	return b.addJSON("files.json", "names and sizes of the files in .oss", sizes)
}

// entry is an entry of the log without what its agent, its user or its project wrote.
func entry(line journal.Line) ([]byte, error) {
	h, ok := logfmt.ParseHeader(line.JSON)
	if !ok {
		return json.Marshal(map[string]any{"damaged": len(line.JSON)})
	}
	row := map[string]any{"time": string(h.Time), "seq": h.Seq, "event": string(h.Event), "source": string(h.Source), "subagent": h.Agent, "bytes": len(line.JSON),
		"tree": len(h.Wt) > 0, "phase": len(h.Phase) > 0}
	if line.Carried {
		row["carried"] = true
	}
	if data := gjson.GetBytes(line.JSON, "data"); data.Exists() {
		row["data"] = shape(data, "", func(key string) bool { return slices.Contains(fixed, key) })
	}
	return json.Marshal(row)
}

// addLedgers adds what the ledgers of the project's workers say of their states. Workers have numbers: their names come from tasks.
func (b *bundle) addLedgers(root string, env func(string) string) error {
	store, err := ledger.Open(root, env)
	if err != nil {
		return nil // no worker was ever here
	}
	names, err := store.Names()
	if err != nil || len(names) == 0 {
		return nil
	}
	type step struct {
		At   time.Time   `json:"at"`
		Seq  uint64      `json:"seq"`
		Gen  int         `json:"gen,omitempty"`
		Kind worker.Kind `json:"kind"`
		Is   string      `json:"is,omitempty"`
	}
	type one struct {
		Worker  int    `json:"worker"`
		State   string `json:"state,omitempty"`
		Reason  string `json:"reason,omitempty"`
		Damaged int    `json:"damaged_lines,omitempty"`
		Error   bool   `json:"unreadable,omitempty"`
		Entries []step `json:"entries"`
	}
	var list []one
	for i, name := range names {
		w := one{Worker: i + 1, Entries: []step{}}
		c, err := store.Book(name).Read()
		if err != nil {
			w.Error = true
			list = append(list, w)
			continue
		}
		now := worker.Reduce(c.Facts())
		w.State, w.Reason, w.Damaged = now.State.String(), string(now.Reason), c.Damaged
		for k := range c.Entries {
			e := &c.Entries[k]
			s := step{At: e.At, Seq: e.Seq, Gen: e.Gen, Kind: e.Kind, Is: e.Is}
			if !word().MatchString(s.Is) {
				s.Is = ""
			}
			w.Entries = append(w.Entries, s)
		}
		list = append(list, w)
	}
	return b.addJSON("workers.json", plain.Plural(int64(len(list)), "worker")+": states and kinds of ledger entries, without names and texts", list)
}
