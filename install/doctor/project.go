package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"aburn/install"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/logfmt"
)

// project looks at the project, without which nothing is recorded.
func (e *exam) project() {
	if e.Env("ABURN") == "0" {
		e.add("project", Note, "ABURN=0 is set here: agents started from this shell record nothing")
	}
	p, err := project.Find(e.Dir, e.Env)
	switch {
	case errors.Is(err, project.ErrNone):
		e.add("project", Bad, "no .oss/ here or above: sessions here aren't recorded", project.InitHint(e.Dir, e.Env))
		return
	case err != nil:
		e.add("project", Bad, err.Error())
		return
	}
	e.p = p
	e.addf("project", OK, "%s", p.Root)
	if p.Replaced {
		e.add("project", Bad, "its .oss isn't the one that you trusted: nothing from it reaches an agent, and its settings aren't read", "aburn init")
	} else if !p.Marked {
		e.add("project", Note, "it is not trusted on this machine: hooks record, but nothing from .oss/ reaches an agent, and its settings are not read",
			"aburn init")
	}
	set := settings.Load(p, e.Env)
	set.Model() // adds warnings
	set.Rules()
	for _, w := range set.Warnings {
		e.add("project", Note, w)
	}
	e.log()
	e.tracked()
	if set.Snapshots != settings.SnapshotsOff {
		e.mirrors()
	}
	e.advice(set)
}

// log checks that the log can be written, and when it last was.
func (e *exam) log() {
	oss, err := e.p.OpenOss()
	if err != nil {
		e.add("log", Bad, err.Error())
		return
	}
	defer oss.Close()
	where := filepath.Join(e.p.Root, project.OssDir)
	log := journal.New(oss, journal.Options{By: journal.Command, Anchor: e.p.Anchor()})
	e.unwritten(log)
	e.uncovered(log)
	e.unread(log)
	if err := writable(oss); err != nil {
		e.add("log", Bad, fmt.Sprintf("hooks cannot write %s: %v", filepath.Join(where, journal.Name), err), denied(where, err)...)
		return
	}
	if err := room(oss); err != nil {
		if journal.DiskFull(err) {
			e.addf("log", Bad, "disk full: there is no room for an entry (64 KiB) in %s", where)
		} else {
			e.add("log", Bad, fmt.Sprintf("hooks cannot write in %s: %v", where, err), denied(where, err)...)
		}
		return
	}
	for l, err := range log.Backward(journal.BackwardOptions{Limit: journal.TailSize}) {
		if err != nil {
			e.addf("log", Bad, "%s: %v", journal.Name, err)
			return
		}
		if entry, err := logfmt.Parse(l.JSON); err == nil {
			e.addf("log", OK, "writable; the last entry is %s of %s", entry.Event, ago(e.Now.Sub(entry.Time)))
			return
		}
	}
	e.add("log", OK, "writable; no entry yet")
}

// denied is what helps where the modes or the owner of .oss are not those that aburn gave it.
func denied(oss string, err error) []string {
	if !errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return []string{"ls -la " + oss + "  # make it yours again: chown, chmod u+rw"}
}

// writable returns why a hook cannot append to the log. It writes nothing.
func writable(oss *os.Root) error {
	st, err := oss.Lstat(journal.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return mayWrite(oss.Name())
	}
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return fmt.Errorf("it is not a regular file (%s)", st.Mode().Type())
	}
	f, err := oss.OpenFile(journal.Name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// room returns why the largest entry could not be written. It writes a file of that size beside the log and removes it.
// Reading the free space would not do: a quota or a reserve counts too.
func room(oss *os.Root) error {
	const name = ".doctor.tmp"
	oss.Remove(name) // of a doctor that was killed
	f, err := oss.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer oss.Remove(name)
	_, err = f.Write(make([]byte, logfmt.MaxEntry))
	return errors.Join(err, f.Close())
}

// unread tells of payloads that no hook could read, as far as the end of the log says.
func (e *exam) unread(log *journal.Journal) {
	n := 0
	for l, err := range log.Backward(journal.BackwardOptions{Limit: journal.TailSize}) {
		if h, ok := logfmt.ParseHeader(l.JSON); err == nil && ok && logfmt.Event(h.Event) == logfmt.Unreadable {
			n++
		}
	}
	if n > 0 {
		e.addf("log", Note, "hooks could not read %s: the log lacks those events", plain.Plural(int64(n), "payload"))
	}
}

// unwritten tells what hooks have failed to write and no entry has told yet.
func (e *exam) unwritten(log *journal.Journal) {
	if u := log.Unwritten(); u.Entries > 0 {
		e.addf("log", Bad, "%s could not be written since %s, the last one %s: %s",
			plain.Plural(int64(u.Entries), "entry", "entries"), u.From.Local().Format(time.DateTime), ago(e.Now.Sub(u.To)), u.Reason)
	}
}

// uncovered says how many entries could go missing unseen: no hook with the log's lock has followed them.
func (e *exam) uncovered(log *journal.Journal) {
	if n, unnumbered, err := log.Uncovered(); err == nil && n > 0 {
		e.addf("log", Note, "its anchor doesn't cover the last %s (%d without number): the next hook that gets the log's lock covers them",
			plain.Plural(int64(n), "entry", "entries"), unnumbered)
	}
}

// tracked finds a log in git, which would end up in everybody's checkout.
func (e *exam) tracked() {
	git, err := exec.LookPath("git")
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, 10*time.Second)
	defer cancel()
	// A repository's own configuration can name programs to run; ls-files would run these two.
	cmd := exec.CommandContext(ctx, git, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", e.p.Root, "ls-files", "--", project.OssDir)
	out, err := cmd.Output()
	if err != nil {
		return // no repository, or git does not trust it
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		base := filepath.Base(name)
		if strings.HasPrefix(base, journal.Name) || base == "queue.json" || base == install.StateName {
			e.add("log", Bad, name+" is tracked by git", "git rm --cached "+name)
		}
	}
}

// mirrors warns of remotes to which git push sends every ref, snapshots included.
func (e *exam) mirrors() {
	git, err := exec.LookPath("git")
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(e.ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, git, "-C", e.p.Root, "config", "--type=bool", "--get-regexp", `^remote\..*\.mirror$`).Output()
	if err != nil {
		return // there is none, or no repository
	}
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name := strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".mirror"); value == "true" {
			e.add("project", Bad, "git push "+name+" sends all refs, also snapshots of your worktree (refs/aburn/turns)",
				"git config --unset remote."+name+".mirror")
		}
	}
}

func ago(d time.Duration) string {
	switch {
	case d < 0:
		return "the future (clocks differ)"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
