package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// A worker in another repository gets what one in a worktree gets: files, ports, setup, rules, variables, the issue, gates. What
// cannot be had there is refused, and nothing is left behind.
func TestWorkerElsewhereIsFurnished(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	for _, via := range []string{"clone", "ssh"} {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			workerElsewhereIsFurnished(t, via)
		})
	}
}

func workerElsewhereIsFurnished(t *testing.T, via string) {
	const agent = `#!/bin/sh
here=$(pwd)
hook() { printf '{"session_id":"5b0c2f91","cwd":"%s",%s}' "$here" "$1" | aburn-hook claude; }
{ echo "$@"; echo "issue=$ABURN_ISSUE url=$ABURN_ISSUE_URL port=$PORT own=$OWN"; } > "$HOME/seen"
hook '"hook_event_name":"SessionStart","source":"startup"'
hook '"hook_event_name":"UserPromptSubmit","prompt":"x"'
echo new $$ >> new.txt
git add new.txt
git commit -q -m new
[ -e "$HOME/finish" ] && touch passed && aburn done 'made it'
hook '"hook_event_name":"Stop"'
sleep 600
`
	g := &ground{via: "clone"}
	flags := []string{"--workspace", "clone"}
	if via == "ssh" {
		far := newFarSite(t, agent)
		g.site, g.at, g.via = far.site, far.far, "ssh:box"
		flags = []string{"--runtime", "ssh:box"}
	} else {
		g.site = newSite(t)
		g.at = g.site
		g.shim("claude", agent)
	}
	s := g.site
	t.Cleanup(func() { s.command("aburn", append([]string{"kill"}, s.living()...)...).Run() })
	write := func(path, text string) {
		t.Helper()
		s.must(os.MkdirAll(filepath.Dir(path), 0o700))
		s.must(os.WriteFile(path, []byte(text), 0o600))
	}
	write(filepath.Join(s.project, ".gitignore"), ".env\ncache/\nmade\npassed\nlinked\n")
	s.ok("git", "add", ".gitignore")
	s.ok("git", "commit", "-q", "-m", "ignore")
	write(filepath.Join(s.project, ".env"), "A=1\n")
	write(filepath.Join(s.project, "cache", "deep", "x"), "x\n")
	write(filepath.Join(s.project, "linked"), "mine\n")
	const config = `ssh: [box]
copy: .env
share: [cache]
ports: [PORT]
rules: Speak Latin.
env: [OWN]
setup: ["echo $PORT $OWN > made"]
gates: ["test -e passed"]
tracker: {plugin: mine, comment: true}
trackers: {mine: {command: [my-tracker]}}
`
	own := filepath.Join(s.home, ".config", "aburn", "workers.yaml")
	write(own, config)
	s.shim("my-tracker", `#!/bin/sh
read -r line
echo "$line" >> "$HOME/asked"
echo '{"title":"A title","url":"https://example.com/12"}'
`)
	s.more = append(s.more, "OWN=mine alone")
	spawn := func(args ...string) (string, error) {
		out, err := s.command("aburn", append(append([]string{"spawn"}, flags...), args...)...).CombinedOutput()
		return string(out), err
	}
	out, err := spawn("--issue", "12")
	if err != nil || !regexp.MustCompile(`(?m)^issue-12  claude · `+g.via+
		` · .* · copied \.env, cache/deep/x · PORT=\d+ · setup .* · has the task$`).MatchString(out) {
		t.Fatalf("%v: %s", err, out)
	}
	w := s.workers()[0]
	for name, want := range map[string]string{".env": "A=1", "cache/deep/x": "x", "made": "mine alone"} {
		if text, err := os.ReadFile(filepath.Join(w.Tree, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
	seen, err := os.ReadFile(filepath.Join(g.at.home, "seen"))
	if s.must(err); !regexp.MustCompile(`issue=12 url=https://example.com/12 port=[1-9]\d+ own=mine alone`).Match(seen) ||
		!strings.Contains(string(seen), "Speak Latin.") {
		t.Errorf("%s", seen)
	}
	if asked, _ := os.ReadFile(filepath.Join(s.home, "asked")); !regexp.MustCompile(`"do":"comment".*aburn/issue-12`).Match(asked) {
		t.Errorf("the tracker heard %s", asked)
	}
	s.untilIs("idle", inState("idle"))
	if out, err := s.command("aburn", "merge", "issue-12").CombinedOutput(); err == nil || !strings.Contains(string(out), "a gate failed with 1: test -e passed") {
		t.Errorf("%v: %s", err, out)
	}
	write(filepath.Join(w.Tree, "passed"), "")
	s.ok("aburn", "merge", "issue-12")
	if !fileExists(filepath.Join(s.project, "new.txt")) {
		t.Error("the merge brought nothing")
	}
	s.ok("aburn", "kill", "issue-12")
	s.must(os.Remove(filepath.Join(w.Tree, "passed")))
	s.must(os.Remove(filepath.Join(w.Tree, "made")))
	if out := s.ok("aburn", "cleanup", "issue-12"); !strings.Contains(out, "tree removed") { // what was copied is nothing to lose
		t.Error(out)
	}

	write(own, strings.Replace(config, "echo $PORT $OWN > made", "echo no luck >&2; exit 3", 1))
	for _, c := range []struct{ args, say, hint string }{
		{"--name x task", "setup failed with 3", "no luck"}, {"--budget 5usd --name x task", "a budget cannot be watched", "--budget"},
		{"--trust --name x task", "--trust is for an agent without a terminal", "leave it out"},
	} {
		if out, err := spawn(strings.Fields(c.args)...); err == nil || !strings.Contains(out, c.say) || !strings.Contains(out, "hint: "+c.hint) {
			t.Errorf("%s: %v: %s", c.args, err, out)
		}
	}
	write(own, config+"link: [linked]\n")
	out, err = spawn("--name", "l", "task")
	if via == "ssh" {
		if err == nil || !strings.Contains(out, "link: leads to files of this machine, which box does not have: linked") {
			t.Errorf("%v: %s", err, out)
		}
	} else {
		link, lerr := os.Readlink(filepath.Join(filepath.Dir(w.Tree), "l", "linked"))
		if err != nil || lerr != nil || link != filepath.Join(s.project, "linked") {
			t.Errorf("%v: %s %q %v", err, out, link, lerr)
		}
		s.ok("aburn", "kill", "l")
		s.ok("aburn", "cleanup", "--force-preserve", "--discard-ignored", "l")
	}
	write(own, config)
	write(filepath.Join(g.at.home, "finish"), "")
	s.ok("aburn", "daemon", "start")
	defer s.command("aburn", "daemon", "stop", "--yes").Run()
	if out, err := spawn("--name", "d", "task"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.patiently("its gates passed there", s.is("d", "done"))
	// The clone is no project of its own: the worker counts once, and only its project tells of it.
	if out, err := s.command("aburn", "daemon", "stop").CombinedOutput(); err == nil || !strings.Contains(string(out), "error: 1 worker would end: project/d\n") {
		t.Errorf("%v: %s", err, out)
	}
	if log, err := os.ReadFile(filepath.Join(s.home, ".local/state/aburn/daemon/log")); err != nil ||
		regexp.MustCompile(`  project-[-0-9a-f]+  d is done`).Match(log) {
		t.Errorf("%v: %s", err, log)
	}
	s.ok("aburn", "kill", "d")
	s.ok("aburn", "daemon", "stop", "--yes")
	s.ok("aburn", "cleanup", "--force-preserve", "--discard-ignored", "d")
	g.at.noProcess()
	for _, w := range s.workers() {
		if !w.Removed || fileExists(w.Tree) {
			t.Errorf("%+v", w)
		}
	}
}
