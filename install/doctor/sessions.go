package doctor

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/install"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
)

const (
	newestFiles = 200       // session files of an agent that are looked at, newest first
	wantedHere  = 5         // sessions of this project among them that are compared with the log
	fileEnd     = 256 << 10 // bytes read of each end of a session file
	searched    = 64 << 20  // bytes of the log that are searched for the sessions
	grace       = time.Minute
)

// session is what an agent's own file says about one session.
type session struct {
	id            string
	cwd           string
	started, last time.Time
	path          string
}

// sessions compares the agent's newest session files with the log: a session that was active here while the hooks were
// in place, and of which the log has no entry, proves that they do not fire.
func (e *exam) sessions(p *patient) {
	since := e.since(p)
	if e.p == nil || since.IsZero() {
		return
	}
	var active []session
	for _, s := range e.newest(p.Agent, since) {
		if here, err := project.Find(s.cwd, e.Env); err == nil && here.Root == e.p.Root && s.counts(p.Agent, since) {
			active = append(active, s)
		}
		if len(active) == wantedHere {
			break
		}
	}
	if len(active) == 0 {
		e.addf(p.topic(), Note, "no session of %s was active here since the hooks are in place: start one, then ask again", p.Name())
		return
	}
	logged, err := e.logged()
	if err != nil {
		e.addf("log", Bad, "%v", err)
		return
	}
	silent := slices.DeleteFunc(slices.Clone(active), func(s session) bool { return logged[s.id] })
	if len(silent) == 0 {
		e.addf(p.topic(), OK, "its newest sessions here are all in the log (%d looked at)", len(active))
		return
	}
	s := silent[0]
	text := fmt.Sprintf("hooks do not fire here: session %s, active %s, has no entry in the log (%d of the newest %d)",
		s.id, ago(e.Now.Sub(s.last)), len(silent), len(active))
	e.add(p.topic(), Bad, text, "likely: "+e.likely(p, s))
}

// likely is the reason that fits best.
func (e *exam) likely(p *patient, s session) string {
	switch {
	case p.reason != "":
		return p.reason
	case p.Agent == install.Claude && s.cwd != e.p.Root && !slices.ContainsFunc(p.own(), func(s *install.Settings) bool { return s.Scope == install.User || s.Scope == install.Plugin }):
		return "it was started in " + s.cwd + ", and Claude Code reads a project's settings only in the folder that it is started in"
	case p.Agent == install.Codex && e.trusting():
		return "the hooks were trusted only after it began"
	}
	return "it was started with ABURN=0, with --settings or hooks switched off, by an older version, or on another machine"
}

// trusting says that Codex trusts all hooks now.
func (e *exam) trusting() bool {
	config := install.ReadCodexConfig(e.Env)
	for _, p := range e.agents {
		for _, s := range p.own() {
			if p.Agent == install.Codex && config.AllTrusted(s) {
				return true
			}
		}
	}
	return false
}

// since is when the hooks were in place and the project was there; zero when the hooks are not.
func (e *exam) since(p *patient) (t time.Time) {
	for _, s := range p.own() {
		at := s.Installed
		if at.IsZero() {
			at = s.Modified
		}
		if t.IsZero() || at.Before(t) {
			t = at
		}
	}
	if t.IsZero() || e.p == nil {
		return time.Time{}
	}
	if st, err := os.Stat(filepath.Join(e.p.Root, project.OssDir, ".gitignore")); err == nil && st.ModTime().After(t) {
		t = st.ModTime()
	}
	return t
}

// counts says whether hooks should have fired in the session: it began when they were in place, or was active a while
// later in an agent that takes changed settings up at once.
func (s session) counts(a install.Agent, since time.Time) bool {
	return s.started.After(since) || a == install.Claude && s.last.After(since.Add(grace))
}

// newest are the agent's sessions that were written to since then, newest first.
func (e *exam) newest(a install.Agent, since time.Time) (out []session) {
	config, err := a.ConfigDir(e.Env)
	if err != nil {
		return nil
	}
	pattern := filepath.Join(config, "projects", "*", "*.jsonl")
	if a == install.Codex {
		pattern = filepath.Join(config, "sessions", "*", "*", "*", "rollout-*.jsonl")
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	type file struct {
		path string
		info fs.FileInfo
	}
	var files []file
	for _, path := range paths {
		if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() && st.ModTime().After(since) {
			files = append(files, file{path, st})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(b.info.ModTime().UnixNano(), a.info.ModTime().UnixNano()) })
	for _, f := range files[:min(len(files), newestFiles)] {
		read := readClaude
		if a == install.Codex {
			read = readCodex
		}
		if s, ok := read(f.path, f.info.Size()); ok {
			out = append(out, s)
		}
	}
	return out
}

// readClaude reads a transcript of Claude Code: its name is the session's id; records of a conversation have a cwd and
// a time. Bookkeeping records say nothing about activity.
func readClaude(path string, size int64) (session, bool) {
	s := session{id: strings.TrimSuffix(filepath.Base(path), ".jsonl"), path: path}
	eachLine(path, size, func(line []byte) {
		r := gjson.ParseBytes(line)
		if kind := r.Get("type").Str; kind != "user" && kind != "assistant" {
			return
		}
		at, err := time.Parse(time.RFC3339, r.Get("timestamp").Str)
		if err != nil {
			return
		}
		if s.started.IsZero() || at.Before(s.started) {
			s.started = at
		}
		if at.After(s.last) {
			s.last = at
		}
		if s.cwd == "" {
			s.cwd = r.Get("cwd").Str
		}
	})
	return s, s.cwd != "" && !s.started.IsZero()
}

// readCodex reads a rollout of Codex: its first record names session and folder. Threads of sub-agents and reviews run
// under the id of their root and are left out.
func readCodex(path string, size int64) (session, bool) {
	s := session{path: path}
	root := true
	eachLine(path, size, func(line []byte) {
		r := gjson.ParseBytes(line)
		at, err := time.Parse(time.RFC3339, r.Get("timestamp").Str)
		if err != nil {
			return
		}
		if m := r.Get("payload"); s.id == "" && r.Get("type").Str == "session_meta" {
			s.id, s.cwd, s.started = m.Get("id").Str, m.Get("cwd").Str, at
			root = !m.Get("source").IsObject() && !m.Get("parent_thread_id").Exists()
		}
		if at.After(s.last) {
			s.last = at
		}
	})
	return s, root && s.id != "" && s.cwd != ""
}

// eachLine calls one for the whole lines at both ends of a file. What cannot be read is passed over.
func eachLine(path string, size int64, one func([]byte)) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	for _, from := range []int64{0, max(fileEnd, size-fileEnd)} {
		data, err := io.ReadAll(io.NewSectionReader(f, from, min(fileEnd, max(0, size-from))))
		if err != nil {
			return
		}
		if from > 0 {
			_, data, _ = bytes.Cut(data, []byte("\n")) // the rest of a line, which the other end has or nobody needs
		}
		for line := range bytes.Lines(data) {
			if gjson.ValidBytes(line) {
				one(line)
			}
		}
	}
}

// logged are the sessions that the log knows.
func (e *exam) logged() (map[string]bool, error) {
	oss, err := e.p.OpenOss()
	if err != nil {
		return nil, err
	}
	defer oss.Close()
	out := map[string]bool{}
	for l, err := range journal.New(oss, journal.Options{By: journal.Command}).Backward(journal.BackwardOptions{Limit: searched}) {
		if err != nil {
			return out, err
		}
		if h, ok := logfmt.ParseHeader(l.JSON); ok && !out[string(h.Session)] {
			out[string(h.Session)] = true
		}
	}
	return out, nil
}
