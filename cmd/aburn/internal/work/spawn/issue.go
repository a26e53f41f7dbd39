package spawn

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/config"
	"aburn/worker/crew"
	"aburn/worker/headless"
	"aburn/worker/projects"
	"aburn/worker/tracker"
	"aburn/worker/tree"
)

// order is one worker that is wanted.
type order struct {
	plan crew.Plan
	tell tracker.Tracker // hears that the worker began; nil where nobody is told
	err  error           // why there cannot be one
}

// maxOrders is how many workers one call may ask for.
const maxOrders = 32

// orders are the workers that a call asks for: some on each issue, or some on the task.
func orders(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, p crew.Plan) (list []order, err error) {
	issues, count := cmd.StringSlice("issue"), cmd.Int("count")
	if n := max(1, len(issues)) * count; count < 1 || n > maxOrders {
		return nil, fault.Usage(fmt.Sprintf("that is %d workers: one call makes 1 to %d", n, maxOrders))
	} else if n > 1 {
		if err := forOne(cmd, len(issues)); err != nil {
			return nil, err
		}
		if p.Name != "" {
			p.Stem, p.Number, p.Name = p.Name, false, ""
		}
	}
	list = []order{{plan: p}}
	if len(issues) > 0 {
		if list, err = onIssues(ctx, o, a, cmd, repo, p, issues); err != nil {
			return nil, err
		}
	}
	var all []order
	for _, one := range list {
		all = append(all, slices.Repeat([]order{one}, count)...)
	}
	return all, nil
}

// withoutTerminal is where workers on issues run unless somebody says otherwise: nobody sits there, and messages are told by protocol.
func withoutTerminal(o *projects.Project, cmd *cli.Command, c *config.Config, p *crew.Plan) {
	if len(cmd.StringSlice("issue")) > 0 && !cmd.IsSet("runtime") && !cmd.Bool("attach") && c.Word("runtime") == "" && p.Agent.Protocol() != nil {
		p.Runtime, p.Lines = headless.Runtime{Env: o.Environ}, true
	}
}

// forOne refuses flags that only one worker can have.
func forOne(cmd *cli.Command, issues int) error {
	for _, flag := range []string{"attach", "branch", "pr"} {
		if cmd.IsSet(flag) {
			return fault.Usage("--" + flag + " is for one worker, and this call asks for several")
		}
	}
	for _, flag := range []string{"name", "print-prompt"} {
		if issues > 1 && cmd.IsSet(flag) {
			return fault.Usage("--" + flag + " is for one issue, and this call names several")
		}
	}
	return nil
}

// onIssues is an order for each issue. The error is a mistake in the call; what an issue itself lacks stands in its order.
func onIssues(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, p crew.Plan, words []string) (list []order, err error) {
	c, err := o.Config("")
	if err != nil {
		return nil, err
	}
	options := trackerOptions(ctx, o, repo, c)
	tr, err := tracker.Open(options)
	if err != nil {
		return nil, trackerFailure(err, fault.Usage)
	}
	for _, word := range words {
		id, err := options.Clean(word)
		if err != nil {
			return nil, trackerFailure(err, fault.Usage)
		}
		one := order{plan: p}
		one.plan.Issue.ID = id
		if c.Flag("tracker.comment") {
			one.tell = tr
		}
		issue, err := tr.Issue(ctx, id)
		if err == nil {
			one.plan.Issue.URL = issue.URL
			one.plan.Head, one.plan.Stem = issue.Head(), tracker.Name(id)
			if one.plan.Number = false; cmd.IsSet("name") {
				one.plan.Stem = p.Stem
			}
			one.plan.Task, err = checkTask(issue.Task(p.Task, mark()))
		}
		if one.err = trackerFailure(err, fault.Failed); one.err == nil && issue.Closed {
			a.Warn("issue " + id + " is closed")
		}
		list = append(list, one)
	}
	return list, nil
}

// mark is a line that nobody can guess.
func mark() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func trackerFailure(err error, kind func(string, ...string) error) error {
	var p *tracker.Problem
	if errors.As(err, &p) {
		return kind(plain.Line(p.Text), p.Hints...)
	}
	return err
}

// trackerOptions are where the project's issues are. Only the name of the tracker and of the repository may come from the
// project's file: the person's own file gives addresses, keys and programs by the tracker's name.
func trackerOptions(ctx context.Context, o *projects.Project, repo *tree.Repo, c *config.Config) tracker.Options {
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
		t.Command = work.Argv(part["command"])
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

// tellTracker says in the tracker that a worker began, where the person's own file wants that.
func tellTracker(ctx context.Context, o *projects.Project, one order, s *crew.Spawned) error {
	if one.tell == nil {
		return nil
	}
	err := one.tell.Comment(ctx, one.plan.Issue.ID, "A coding agent works on this, on the branch `"+s.Branch+"`.")
	if err != nil {
		return fmt.Errorf("issue %s was not told: %w", one.plan.Issue.ID, err)
	}
	return nil
}
