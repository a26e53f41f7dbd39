// Package home makes a home directory full of coding agents' session logs, of any size, whose contents are known
// exactly.
//
// It writes the records of the real clients (Claude Code 2.1.329 and 2.1.197, Codex 0.169.0 and 0.130.0, Gemini CLI
// 0.61.0) and, in the terms of package trace, a truth about each session. Tests measure readers and the archive by
// that truth, so the package implements the formats from their documentation and imports no reader. All text is
// invented syllables. It writes in one stream: the largest forked session bounds the memory. The same options give
// the same bytes.
package home

import (
	"io"
	"os"
	"path/filepath"
	"time"
)

// Options say what to make.
type Options struct {
	Size int64  // bytes of logs, about
	Seed uint64 // equal options give equal bytes
	// Brief makes texts an eighth as long, so that a few megabytes hold some of everything.
	Brief bool
	// Own adds projects with workflow logs of aburn's own, in home/work.
	Own bool
}

// The files beside the home.
const (
	TruthFile    = "truth.json"
	SessionsFile = "truth-sessions.jsonl"
	AnswersFile  = "truth-answers.jsonl"
	SecretsFile  = "truth-secrets.txt"
)

// shares is each agent's share of the bytes, in percent.
var shares = []struct {
	agent   string
	percent int64
	session func(*maker, *random, features)
}{{"claude", 68, claudeSession}, {"codex", 30, codexSession}, {"gemini", 2, geminiSession}, {"own", 1, ownSession}}

// epoch is the time of the first session, in Unix milliseconds: 2026-09-20T06:00:00Z. The last one is 45 days later. In
// these days shipped prices began and changed, two months ended, and Los Angeles left its summer time.
const (
	epoch = 1789884000000
	span  = 45 * 24 * 3600 * 1000
)

// maker makes one home.
type maker struct {
	opts     Options
	home     string
	texts    *texts
	truth    *Truth
	sessions *os.File // SessionsFile
	answers  *answers
	err      error // the first one; what is written after it is dropped
	made     map[string]int
	dirs     map[string]bool
}

// Make makes dir/home and the files with the truth beside it. dir must be empty or not be there.
func Make(dir string, opts Options) (*Truth, error) {
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	r := &random{state: mix(opts.Seed + 1)}
	m := &maker{opts: opts, home: home, texts: newTexts(r.fork(0), opts.Brief), truth: newTruth(opts), made: map[string]int{}, dirs: map[string]bool{}}
	if m.sessions, m.err = os.OpenFile(filepath.Join(dir, SessionsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); m.err != nil {
		return nil, m.err
	}
	if m.answers, m.err = createAnswers(dir); m.err != nil {
		return nil, m.err
	}
	for n := uint64(1); m.err == nil && m.truth.size() < opts.Size; n++ {
		next := 0
		for i := range shares { // whose part is furthest behind
			if shares[i].agent == "own" && !opts.Own {
				continue
			}
			if m.truth.Bytes[shares[i].agent]*shares[next].percent < m.truth.Bytes[shares[next].agent]*shares[i].percent {
				next = i
			}
		}
		s := shares[next]
		sr := r.fork(n)
		s.session(m, sr, m.features(sr, s.agent))
	}
	m.projects()
	m.age()
	for _, f := range []io.Closer{m.sessions, m.answers} {
		if err := f.Close(); m.err == nil {
			m.err = err
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	return m.truth, m.truth.write(dir)
}

// age makes the folders as old as their files: what changed a moment ago is looked at again.
func (m *maker) age() {
	for dir := range m.dirs {
		for ; len(dir) > len(m.home) && m.err == nil; dir = filepath.Dir(dir) {
			m.err = os.Chtimes(dir, time.UnixMilli(epoch), time.UnixMilli(epoch))
		}
	}
}

// monthEnds are ends of months in UTC, within the span.
var monthEnds = []int64{1790812800000, 1793491200000}

// begin is when a session begins: any time, and now and then minutes before a month ends.
func (m *maker) begin(r *random) int64 {
	at := epoch + int64(r.next()%span)
	if late := r.fork(0xda7e); late.percent(4) {
		at = pick(late, monthEnds) - int64(late.from(20, 900))*1000
	}
	return at
}

// features is what a session has beyond plain turns.
type features map[string]bool

// kinds is what sessions of an agent can have. The first sessions have one each, in this order, so that small homes
// hold some of everything; later ones have each with its percentage.
var kinds = map[string][]struct {
	name    string
	percent int
}{
	"claude": {{"agents", 22}, {"background", 15}, {"fork", 5}, {"killed", 4}, {"interrupted", 4}, {"error", 4}, {"compacted", 8}, {"killed-agent", 2},
		{"resumed-kill", 3},
		{"branch", 3}, {"rewound", 4}, {"denied", 8}, {"queued", 6}, {"refork", 2}, {"oldfork", 2}, {"resumed", 10}, {"retried", 4}, {"shell", 3}, {"command", 8},
		{"secrets", 20}, {"background-shell", 6}, {"torn", 1}, {"lostmeta", 3}},
	"codex": {{"children", 15}, {"fork", 6}, {"killed", 4}, {"interrupted", 4}, {"error", 4}, {"compacted", 6}, {"code", 30}, {"review", 3}, {"legacy", 12},
		{"inherit", 6},
		{"refork", 3}, {"dropped", 4}, {"long", 8}, {"blocked", 4}, {"resumed", 10}, {"archived", 8}, {"secrets", 20}, {"followup", 5}, {"torn", 1}},
	"own":    {{"killed", 0}, {"failed", 0}, {"cut", 0}},
	"gemini": {{"agents", 20}, {"rewound", 5}, {"secrets", 20}},
}

func (m *maker) features(r *random, agent string) features {
	f := features{}
	n := m.made[agent]
	m.made[agent]++
	if n < len(kinds[agent]) {
		f[kinds[agent][n].name] = true
		return f
	}
	for _, k := range kinds[agent] {
		if r.percent(k.percent) {
			f[k.name] = true
		}
	}
	return f
}

// project is a folder that sessions work in.
func (m *maker) project(r *random) string {
	return "/home/user/work/" + projectNames[min(r.below(len(projectNames)), r.below(len(projectNames)))]
}

var projectNames = []string{"harbor", "lantern", "meadow", "anvil", "orchard", "quarry", "saddle", "tundra", "willow", "zephyr", "basalt", "copper"}

// projects writes Gemini's list of them, if it was there at all.
func (m *maker) projects() {
	if m.truth.Totals["gemini"] == nil {
		return
	}
	f := m.create("", ".gemini/projects.json")
	f.s(`{"projects":{`)
	for i, name := range projectNames {
		if i > 0 {
			f.s(",")
		}
		f.s(`"/home/user/work/`, name, `":"`, name, `"`)
	}
	f.s("}}")
	f.close(epoch + span)
	for _, name := range projectNames {
		root := filepath.Join(m.home, ".gemini/tmp", name)
		if _, err := os.Stat(root); err == nil && m.err == nil {
			m.err = os.WriteFile(filepath.Join(root, ".project_root"), []byte("/home/user/work/"+name), 0o600)
		}
	}
}
