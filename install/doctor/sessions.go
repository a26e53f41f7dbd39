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
	"time"

	"github.com/tidwall/gjson"

	"aburn/install"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
)

const (
	newestFiles = 200       // session files of an agent to look at, newest first
	wantedHere  = 5         // sessions of this project among them to compare with the log
	fileEnd     = 256 << 10 // bytes read of each end of a session file
	searched    = 64 << 20  // bytes of the log to search for the sessions
	grace       = time.Minute
)

// sessions compares the agent's newest session files with the log. A session that was active here while the hooks
// were in place, and has no entry in the log, proves that they do not run.
func (e *exam) sessions(p *patient) {
	since := e.since(p)
	if e.p == nil || since.IsZero() {
		return
	}
	if p.Session == nil {
		e.addf(p.topic(), Note, "aburn can't check whether its newest sessions are in the log: its store has no session files")
		return
	}
	var active []install.Session
	for _, s := range e.newest(p, since) {
		if here, err := project.Find(s.Cwd, e.Env); err == nil && here.Root == e.p.Root && counts(p, &s, since) {
			active = append(active, s)
		}
		if len(active) == wantedHere {
			break
		}
	}
	if len(active) == 0 {
		e.addf(p.topic(), Note, "no session of %s was active here since the hooks were installed: start one, then run aburn doctor again", p.Title)
		return
	}
	logged, err := e.logged()
	if err != nil {
		e.addf("log", Bad, "%v", err)
		return
	}
	silent := slices.DeleteFunc(slices.Clone(active), func(s install.Session) bool { return logged[s.ID] })
	if len(silent) == 0 {
		e.addf(p.topic(), OK, "its newest sessions here are all in the log (%d checked)", len(active))
		return
	}
	if newest := lastLogged(active, logged); !newest.IsZero() {
		late := slices.DeleteFunc(slices.Clone(silent), func(s install.Session) bool { return s.Started.Before(newest) })
		if len(late) == 0 {
			e.add(p.topic(), Note, fmt.Sprintf("its newest session here is in the log; %d of the newest %d began before it and aren't, the last %s",
				len(silent), len(active), silent[0].ID), "likely: "+e.likely(p, &silent[0]))
			return
		}
		silent = late
	}
	s := silent[0]
	text := fmt.Sprintf("hooks do not fire here: session %s, active %s, has no entry in the log (%d of the newest %d)",
		s.ID, ago(e.Now.Sub(s.Last)), len(silent), len(active))
	e.add(p.topic(), Bad, text, "likely: "+e.likely(p, &s))
}

// lastLogged is when the latest session began that is in the log: since then the hooks run. It is zero without one.
func lastLogged(active []install.Session, logged map[string]bool) (at time.Time) {
	for _, s := range active {
		if logged[s.ID] && s.Started.After(at) {
			at = s.Started
		}
	}
	return at
}

func (e *exam) likely(p *patient, s *install.Session) string {
	reason := p.reason
	if reason == "" && p.Likely != nil {
		reason = p.Likely(e.seen(p), s)
	}
	return cmp.Or(reason, "it was started with ABURN=0, with --settings or hooks switched off, by an older version, or on another machine")
}

// since is when both the hooks and the project were in place; zero without hooks.
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

// counts reports whether hooks should have run in the session: it began after they were in place, or was active after
// that in an agent that reloads settings.
func counts(p *patient, s *install.Session, since time.Time) bool {
	return s.Started.After(since) || p.Hooks.Reloads && s.Last.After(since.Add(grace))
}

// newest returns the agent's sessions that were written since then, newest first.
func (e *exam) newest(p *patient, since time.Time) (out []install.Session) {
	config, err := p.ConfigDir(e.Env)
	if err != nil || p.Session == nil || p.Store.Sessions == "" {
		return nil
	}
	pattern := filepath.Join(config, filepath.FromSlash(p.Store.Sessions))
	for _, f := range newestOf(pattern, newestFiles) {
		if !f.info.ModTime().After(since) {
			break
		}
		s := install.Session{Path: f.path}
		eachLine(f.path, f.info.Size(), func(line []byte) { p.Session(&s, gjson.ParseBytes(line)) })
		if s.ID != "" && s.Cwd != "" && !s.Started.IsZero() && !s.Part {
			out = append(out, s)
		}
	}
	return out
}

// found is a session's file.
type found struct {
	path string
	info fs.FileInfo
}

// newestOf returns the newest regular files that a pattern matches, newest first, at most n.
func newestOf(pattern string, n int) []found {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil
	}
	var files []found
	for _, path := range paths {
		if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
			files = append(files, found{path, st})
		}
	}
	slices.SortFunc(files, func(a, b found) int { return cmp.Compare(b.info.ModTime().UnixNano(), a.info.ModTime().UnixNano()) })
	return files[:min(len(files), n)]
}

// eachLine calls one for the valid lines at both ends of a file.
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
			_, data, _ = bytes.Cut(data, []byte("\n")) // a partial line
		}
		for line := range bytes.Lines(data) {
			if gjson.ValidBytes(line) {
				one(line)
			}
		}
	}
}

// logged returns the sessions in the log.
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
