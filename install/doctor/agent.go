package doctor

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"aburn/archive"
	"aburn/install"
	"aburn/internal/plain"
	"aburn/internal/project"
)

// agent looks at one agent: its program, its version, the files that call the hook, and what keeps the hook from
// running.
func (e *exam) agent(p *patient) {
	if p.program == "" && len(p.own()) == 0 {
		e.addf(p.topic(), Note, "no %s on PATH, and no hooks for it", p.Program)
		return
	}
	e.askVersion(p)
	e.drift(p)
	for i := range p.settings {
		e.file(p, &p.settings[i])
	}
	if len(p.own()) == 0 {
		e.add(p.topic(), Note, "no settings file calls the hook: sessions of "+p.Title+" are not recorded", "aburn install-hooks --agent "+p.Name)
		return
	}
	e.twice(p)
	e.examine(p)
	e.loginShell(p)
}

// loginShell checks that the commands of the agent's model find aburn. In a shell that sets PATH anew, PATH as it is here
// proves nothing.
func (e *exam) loginShell(p *patient) {
	if !p.Traits.LoginShell || runtime.GOOS == "windows" {
		return
	}
	shell := e.Env("SHELL")
	if !filepath.IsAbs(shell) {
		shell = "/bin/sh"
	}
	ctx, cancel := context.WithTimeout(e.ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-lc", "command -v aburn >/dev/null")
	cmd.WaitDelay = time.Second
	var failed *exec.ExitError
	switch err := cmd.Run(); {
	case err == nil:
		e.addf(p.topic(), OK, "aburn is on the PATH of a login shell (%s -lc), in which %s runs the model's commands", shell, p.Title)
	case ctx.Err() == nil && errors.As(err, &failed) && failed.ExitCode() > 0:
		e.add(p.topic(), Note, fmt.Sprintf("aburn is not on the PATH of a login shell (%s -lc), in which %s runs the model's commands: prompts there can't call it",
			shell, p.Title),
			"set PATH in ~/.profile, or in the file that your login shell reads")
	default:
		e.addf(p.topic(), Note, "it is unknown whether a login shell finds aburn: %s -lc: %v", shell, cmp.Or(ctx.Err(), err))
	}
}

// examine adds the findings of the agent's own examination.
func (e *exam) examine(p *patient) {
	if p.Examine == nil {
		return
	}
	for _, f := range p.Examine(e.seen(p)) {
		switch {
		case f.Bad:
			e.blame(p, f.Text, f.Hints...)
		case f.OK:
			e.add(p.topic(), OK, f.Text, f.Hints...)
		default:
			e.add(p.topic(), Note, f.Text, f.Hints...)
		}
	}
}

func (e *exam) seen(p *patient) install.Exam {
	x := install.Exam{Env: e.Env, Own: p.own()}
	if e.p != nil {
		x.Root = e.p.Root
	}
	return x
}

// blame adds a Bad finding that is also the likely reason why hooks do not run.
func (e *exam) blame(p *patient, reason string, hints ...string) {
	e.add(p.topic(), Bad, reason, hints...)
	if p.reason == "" {
		p.reason = reason
	}
}

// askVersion asks the agent for its version, and whether that runs hooks as they are registered.
func (e *exam) askVersion(p *patient) {
	if p.program == "" {
		e.addf(p.topic(), Note, "no %s on PATH: its version is unknown", p.Program)
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.program, "--version")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	version := firstVersion(string(out))
	if err != nil || version == "" {
		var hints []string
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			if said, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n"); said != "" {
				hints = append(hints, "it says: "+plain.OneLine(said, 120))
			}
		}
		e.add(p.topic(), Note, p.program+" --version doesn't show it", hints...)
		return
	}
	p.version = version
	if older(version, p.Hooks.Since) {
		e.blame(p, fmt.Sprintf("%s %s is older than %s: %s", p.Title, version, p.Hooks.Since, p.Hooks.Before), "update "+p.Title)
		return
	}
	e.addf(p.topic(), OK, "%s %s", version, p.program)
}

// firstVersion is the first word that looks like a version.
func firstVersion(text string) string {
	for _, word := range strings.Fields(text) {
		word = strings.TrimPrefix(word, "v")
		if word != "" && word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word
		}
	}
	return ""
}

// older compares versions number by number; other parts count as 0.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}

func (e *exam) file(p *patient, s *install.Settings) {
	if s.Err != nil {
		e.blame(p, fmt.Sprintf("%v: %s ignores the whole file, including the hooks of other tools", s.Err, p.Title), "repair the file")
		return
	}
	for _, n := range s.Notes {
		e.blame(p, n)
	}
	e.moves(p, s)
	e.statusLine(p, s)
	own := s.Own()
	if len(own) == 0 {
		return
	}
	e.addf(p.topic(), OK, "%s calls the hook at %d events (%s)", s.Path, len(own), describe(s))
	if missing := s.Missing(); len(missing) > 0 && s.Scope != install.Plugin {
		e.add(p.topic(), Note, s.Path+" leaves out "+strings.Join(missing, ", "), "aburn install-hooks "+flags(p, s))
	}
	for _, r := range s.Registrations {
		if r.Wrapped {
			e.addf(p.topic(), Note, "%s:%d wraps the hook in another command, which aburn doesn't check", s.Path, r.Line)
		}
	}
	e.paths(p, s, own)
	e.timeouts(p, s, own)
	e.folders(p, s)
}

// moves names variables with which a file of the project would move aburn's folders.
func (e *exam) moves(p *patient, s *install.Settings) {
	if s.Scope != install.Project && s.Scope != install.Local {
		return
	}
	for _, m := range s.Moves {
		line, name, _ := strings.Cut(m, ": ")
		e.addf(p.topic(), Note,
			"%s:%s sets %s for sessions here: hooks in your own settings keep to the folders that they are registered with, aburn's commands do not", s.Path, line, name)
	}
}

// folders compares the folders that the file's hooks use with those of this environment.
func (e *exam) folders(p *patient, s *install.Settings) {
	if s.Scope != install.User && s.Scope != install.Local {
		return // that command line is everybody's
	}
	hooks, registered := s.FolderEnv(e.Env)
	if !registered {
		e.add(p.topic(), Note, s.Path+" registers no folders: a repository's settings for the agent can set the variables that locate aburn's",
			"aburn install-hooks "+flags(p, s))
		return
	}
	var differ []string
	for _, f := range []struct {
		what string
		dir  func(func(string) string) string
	}{{"settings", project.ConfigDir}, {"state and trusted projects", project.StateDir}, {"archive", archive.Dir}} {
		if there, here := f.dir(hooks), f.dir(e.Env); there != here {
			differ = append(differ, fmt.Sprintf("%s in %s, here %s", f.what, there, cmp.Or(here, "nowhere")))
		}
	}
	if len(differ) > 0 {
		e.add(p.topic(), Note, "hooks of "+s.Path+" use other folders than this environment: "+strings.Join(differ, "; "),
			"if this environment is right: aburn install-hooks "+flags(p, s))
	}
}

func describe(s *install.Settings) string {
	switch s.Scope {
	case install.Project:
		return "everybody's sessions in this project"
	case install.Local:
		return "your sessions in this project"
	case install.Plugin:
		return "the plugin " + s.Plugin
	}
	return "all your sessions"
}

// flags are those of install-hooks for this file.
func flags(p *patient, s *install.Settings) string {
	return "--agent " + p.Name + " --" + string(s.Scope)
}

// paths looks at the registered executables.
func (e *exam) paths(p *patient, s *install.Settings, own []install.Registration) {
	seen := map[string]bool{}
	for _, r := range own {
		if seen[r.Path] {
			continue
		}
		seen[r.Path] = true
		where := fmt.Sprintf("%s:%d", s.Path, r.Line)
		path := s.Expand(r, e.Env)
		switch {
		case path == "" && strings.ContainsRune(r.Path, '/'):
			e.addf(p.topic(), Note, "%s: aburn can't tell where %s leads", where, r.Path)
		case path == "":
			e.blame(p, fmt.Sprintf("%s calls %s, which is not on PATH", where, r.Path)+blocks(p, r), "reinstall aburn, and put its folder on PATH")
		case !runs(path):
			e.blame(p, fmt.Sprintf("%s calls %s, which doesn't exist", where, path)+blocks(p, r), "reinstall aburn, then run aburn install-hooks "+flags(p, s))
		case path == r.Path && install.Passing(path, e.Env): // a bare name follows PATH
			e.add(p.topic(), Bad, fmt.Sprintf("%s calls %s, in a folder for temporary files", where, path), "reinstall aburn, then run aburn install-hooks "+flags(p, s))
		default:
			e.build(p, where, path)
		}
	}
}

// blocks says what a missing program does to an agent that takes it for a refusal.
func blocks(p *patient, r install.Registration) string {
	if p.Hooks.MissingBlocks && !r.Guarded {
		return ": that blocks your agent, because " + p.Title + " treats a failed hook as a refusal"
	}
	return ""
}

func runs(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil
}

const anew = "reinstall all of aburn in one way"

// build compares the hook's build with this program's.
func (e *exam) build(p *patient, where, path string) {
	if filepath.Dir(path) == install.Place(e.Env) {
		if install.Stale(e.Self, e.Env) {
			e.add(p.topic(), Note, fmt.Sprintf("%s is a copy of another build than this aburn", path), "aburn install-hooks renews it")
		}
		return
	}
	hook, err := buildinfo.ReadFile(path)
	if err != nil || filepath.Base(hook.Path) != "aburn-hook" {
		e.addf(p.topic(), Note, "%s calls %s, which is not aburn's own executable", where, path)
		return
	}
	self, err := buildinfo.ReadFile(e.Self)
	if err != nil {
		return
	}
	if theirs, ours := revision(hook), revision(self); theirs != ours {
		e.add(p.topic(), Note, fmt.Sprintf("%s is another build than this aburn (%s, %s)", path, theirs, ours), anew)
	} else if install.Other(path, e.Self) { // executables of packages know no commit
		e.add(p.topic(), Note, fmt.Sprintf("%s is another build than the aburn-hook next to this aburn", path), anew)
	}
}

func revision(b *buildinfo.BuildInfo) string {
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return b.Main.Version
}

// timeouts finds missing ones that matter, and ones meant as milliseconds.
func (e *exam) timeouts(p *patient, s *install.Settings, own []install.Registration) {
	for _, r := range own {
		seconds, err := strconv.ParseFloat(r.Timeout, 64)
		switch {
		case r.Timeout != "" && err == nil && p.Hooks.Millis:
			if seconds < 1000 {
				e.addf(p.topic(), Note, "%s:%d has a timeout of %s milliseconds; they are not seconds", s.Path, r.Line, r.Timeout)
			}
		case r.Timeout == "" && r.Event == "SessionEnd" && !p.Hooks.Millis:
			e.addf(p.topic(), Note, "%s:%d has no timeout: %s gives SessionEnd about a second", s.Path, r.Line, p.Title)
		case r.Timeout != "" && err != nil:
			e.addf(p.topic(), Bad, "%s:%d has the timeout %s, which is no number: the handler is invalid", s.Path, r.Line, r.Timeout)
		case seconds >= 1000:
			e.addf(p.topic(), Note, "%s:%d has a timeout of %s seconds; they are not milliseconds", s.Path, r.Line, r.Timeout)
		}
	}
}

// servers looks at registrations of aburn's MCP server. A missing one is no finding: the server is optional.
func (e *exam) servers(p *patient) {
	for _, s := range install.Servers(p.Agent, e.Dir, e.Env) {
		at := s.Path
		if s.Line > 0 {
			at = fmt.Sprintf("%s:%d", s.Path, s.Line)
		}
		switch {
		case s.Err != nil:
			e.addf(p.topic(), Note, "%v: aburn can't tell whether it registers aburn's MCP server", s.Err)
		case !s.Ours:
			e.addf(p.topic(), Note, "%s: %v: %s", at, install.ErrOtherServer, s.Runs())
		case s.Program(e.Env) == "":
			e.add(p.topic(), Note, fmt.Sprintf("%s: the MCP server runs %s, which doesn't exist: %s cannot ask aburn", at, s.Command, p.Title),
				"aburn install-hooks --mcp")
		default:
			e.addf(p.topic(), OK, "%s: the MCP server runs %s", at, s.Command)
		}
	}
}
