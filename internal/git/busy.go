package git

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/run"
)

// Several gits work in one repository: those of other aburns, of agents, of the person, of an editor. Git itself waits only for the
// locks of refs, and by default for a tenth of a second. An index or a configuration that another one writes is refused at once.
// So is each call that reads the list of worktrees while another git makes or removes one, in git 2.39, and a push to such a
// repository: git worktree add writes a HEAD of zeros first. Such a refusal changed nothing, so the same call is made again. A lock
// that a killed git left behind stays: then the refusal comes after all.

// busyPatience is how long a call waits for other gits. git commit -a holds the index for as long as its hooks run.
const busyPatience = 10 * time.Second

// triesAtLeast is how often a refused call is made even if it alone takes longer than busyPatience, such as a push over a slow line.
const triesAtLeast = 3

type wait struct {
	most  time.Duration
	pause func(context.Context, time.Duration) error
}

func (g *Git) run(ctx context.Context, in string, args []string) (run.Result, error) {
	until, step := time.Now().Add(g.wait.most), 10*time.Millisecond
	for try := 1; ; try++ {
		r, err := g.once(ctx, in, args)
		if err != nil || r.Code == 0 || !g.busy(string(r.Stderr)) || try >= triesAtLeast && time.Now().After(until) {
			return r, err
		}
		if entry := g.brokenEntry(ctx, string(r.Stderr)); entry != "" {
			r.Stderr = []byte(firstLine(r.Stderr) + " (nobody works at " + entry + ", so it is broken: git worktree prune forgets it once its tree is gone)")
			return r, nil
		}
		// Those who met here do not meet again.
		if err := g.wait.pause(ctx, step+rand.N(step)); err != nil {
			return r, err
		}
		step = min(2*step, 200*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// busy reports whether git was refused as another git was at work. With hooks only git's first word counts: what a hook said is no
// reason to start the hook again.
func (g *Git) busy(said string) bool {
	if g.hooks {
		return busyLine(firstLine([]byte(said)))
	}
	for line := range strings.Lines(said) {
		if busyLine(line) {
			return true
		}
	}
	return false
}

// brokenEntry is the entry of a worktree over which git was refused, if nobody can be at work there any more; else "". A clock that
// went back makes every entry look young, and then calls wait.
func (g *Git) brokenEntry(ctx context.Context, said string) string {
	for line := range strings.Lines(said) {
		_, rest, ok := strings.Cut(line, "worktrees/")
		if !ok || !busyLine(line) || strings.HasPrefix(line, "remote: ") { // there may be another worktree of that name here
			continue
		}
		name := rest[:strings.IndexAny(rest+"/", "/'")]
		r, err := g.once(ctx, "", []string{"rev-parse", "--path-format=absolute", "--git-common-dir"})
		if err != nil || r.Code != 0 || name == "" {
			return ""
		}
		entry := filepath.Join(firstLine(r.Stdout), "worktrees", name)
		if touched := lastTouched(entry); !touched.IsZero() && time.Since(touched) > g.wait.most {
			return entry
		}
	}
	return ""
}

// lastTouched is when something was written last in a folder or made in it; zero if it is not there.
func lastTouched(dir string) (last time.Time) {
	st, err := os.Stat(dir)
	if err != nil {
		return last
	}
	last = st.ModTime()
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

func busyLine(line string) bool {
	has := func(part string) bool { return strings.Contains(line, part) }
	switch {
	case has(".lock': File exists"), has("could not lock config file") && has("File exists"):
		return true
	case has("Invalid path '") && has("worktrees': No such file or directory"): // another one removed the last worktree
		return true
	case has("Unable to create '") && has(".lock': No such file or directory"): // another one removed the empty folder of a ref
		return true
	}
	return has("worktrees/") && (has("bad object ") || has("/commondir: ") || has("Invalid path '") || has("could not open '") ||
		has("could not create directory of '"))
}
