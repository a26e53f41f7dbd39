package launch

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"aburn/internal/plain"
	"aburn/worker/config"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tracker"
	"aburn/worker/tree"
)

// Order is one worker that is wanted.
type Order struct {
	Plan manager.Plan
	Tell tracker.Tracker // hears that the worker began; nil where nobody is told
	Err  error           // why there cannot be one
}

// Mark is a line that nobody can guess.
func Mark() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func TrackerFailure(err error, kind func(string, ...string) error) error {
	var p *tracker.Problem
	if errors.As(err, &p) {
		return kind(plain.Line(p.Text), p.Hints...)
	}
	return err
}

// TrackerOptions are where the project's issues are. Only the name of the tracker and of the repository may come from the
// project's file: the person's own file gives addresses, keys and programs by the tracker's name.
func TrackerOptions(ctx context.Context, o *projects.Project, repo *tree.Repo, c *config.Config) tracker.Options {
	host, path := repo.Origin(ctx)
	t := tracker.Options{Plugin: c.Word("tracker.plugin"), Repo: c.Word("repo"), Command: c.Words("tracker.command"), Environ: o.Environ, Dir: homeOf(o.Env)}
	t.Plugin = cmp.Or(t.Plugin, tracker.ForHost(host))
	part := c.Part("trackers." + t.Plugin)
	t.URL, _ = part["url"].(string)
	t.Token, _ = part["token"].(string)
	if name, _ := part["token_env"].(string); name != "" {
		t.Token = cmp.Or(o.Env(name), t.Token)
	}
	if len(t.Command) == 0 {
		t.Command = config.Argv(part["command"])
	}
	if t.Repo == "" {
		t.Repo = t.RepoAt(host, path)
	}
	return t
}

// homeOf is where programs of the person's run: no repository can place one there.
func homeOf(env func(string) string) string {
	if home := env("HOME"); home != "" {
		if st, err := os.Stat(home); err == nil && st.IsDir() {
			return home
		}
	}
	return os.TempDir()
}

// TellTracker says in the tracker that a worker began, where the person's own file wants that.
func TellTracker(ctx context.Context, o *projects.Project, one Order, s *manager.Spawned) error {
	if one.Tell == nil {
		return nil
	}
	err := one.Tell.Comment(ctx, one.Plan.Issue.ID, "A coding agent works on this, on the branch `"+s.Branch+"`.")
	if err != nil {
		return fmt.Errorf("issue %s was not told: %w", one.Plan.Issue.ID, err)
	}
	return nil
}
