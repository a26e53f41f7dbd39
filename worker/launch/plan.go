package launch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/config"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// Refusal tells an agent why it may not.
func Refusal(err error) error {
	var refused *manager.Refused
	if errors.As(err, &refused) {
		return fault.Failed(plain.Line(refused.Text), refused.Hints...)
	}
	return err
}

// SetupOf is what the configuration puts into a worker's tree.
func SetupOf(a fault.Reporter, c *config.Config) manager.Furniture {
	f := manager.Furniture{
		Copy: c.Words("copy"), Share: c.Words("share"), Link: c.Words("link"), Setup: c.Words("setup"), Timeout: c.Span("setup_timeout", 0),
		Tell: func(line string) { a.Note("setup: " + plain.Line(line)) }, EnvFile: c.Word("env_file"),
	}
	for _, p := range c.Ports() {
		f.Ports = append(f.Ports, manager.Port(p))
	}
	return f
}

// WithPort adds a variable that a flag asks a port for, in place of one that has its name.
func WithPort(list []manager.Port, text string) ([]manager.Port, error) {
	one, err := config.ParsePort(text)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(p manager.Port) bool { return p.Name == one.Name })
	return append(list, manager.Port(one)), nil
}

// TreesIn is the folder of this project's worktrees, where the configuration says one. In the checkout that is the project it is
// that one. Elsewhere several projects may have it, so each has a folder of its own in it.
func TreesIn(o *projects.Project, dir string) string {
	if rel, err := filepath.Rel(o.Checkout, dir); o.Checkout == o.Root && err == nil && filepath.IsLocal(rel) {
		return dir
	}
	return filepath.Join(dir, o.Store.Key)
}

// KeysOf are the keys of texts that wait.
func KeysOf(texts []string) (keys []string) {
	for _, text := range texts {
		key, _, _ := strings.Cut(text, ": ")
		keys = append(keys, key)
	}
	return keys
}

// AddRules adds the rules file as the worker will find it. What is wrong with the base is said where it is used.
func AddRules(ctx context.Context, o *projects.Project, a fault.Reporter, repo *tree.Repo, p *manager.Plan, source *manager.Member) error {
	if source != nil {
		if at, err := repo.Commit(ctx, source.Base()); err == nil {
			return o.AddRules(ctx, a, repo, &p.Rules, at)
		}
		return nil
	}
	if p.Locate(ctx, repo) != nil {
		return nil
	}
	return o.AddRules(ctx, a, repo, &p.Rules, p.At())
}

// WarnDirty looks for changes in the person's own checkout while the worker is made. The function it returns says that they are
// not the worker's.
func WarnDirty(ctx context.Context, a fault.Reporter, repo *tree.Repo, p manager.Plan) func() {
	if p.Base != "" || p.From != nil || p.Tip != "" {
		return func() {}
	}
	changed := make(chan int, 1)
	go func() {
		n, err := repo.Changed(ctx)
		if err != nil {
			n = 0
		}
		changed <- n
	}()
	return func() {
		if n := <-changed; n > 0 {
			a.Warn(plain.Plural(int64(n), "changed file")+" in this checkout will not be in the worker's tree", "commit first what it needs")
		}
	}
}

func SpawnFailure(p manager.Plan, err error) error {
	var problem *tree.Problem
	var refused *manager.Refused
	switch {
	case errors.As(err, &problem):
		return fault.Usage(problem.Text, problem.Advice)
	case errors.As(err, &refused):
		return fault.Failed(plain.Line(refused.Text), append(refused.Hints, "nothing was left behind")...)
	case errors.Is(err, ledger.ErrTaken):
		return fault.Usage("a worker is called "+fault.Quote(p.Name)+" already, or was", "choose another --name, or none", "aburn ps --all")
	}
	return fault.Failed(err.Error(), "nothing was left behind")
}

// MaxTask is the longest task, in bytes: it is one argument, and Linux takes none above 128 KiB.
const MaxTask = 96 << 10

func CheckTask(task string) (string, error) {
	switch {
	case task == "":
		return "", fault.Usage("there is no task", `aburn spawn "fix the flaky test in cart"`)
	case len(task) > MaxTask:
		return "", fault.Usage(fmt.Sprintf("the task is longer than %s, more than one argument takes", plain.Size(MaxTask)),
			"put it into a file of the repository, and name that in the task")
	case !utf8.ValidString(task):
		return "", fault.Usage("the task is not UTF-8")
	}
	task = strings.ReplaceAll(task, "\r\n", "\n")
	for _, r := range task {
		if plain.Control(r) && r != '\n' && r != '\t' {
			return "", fault.Usage(fmt.Sprintf("the task has the control character %U", r), "take it out: the agent would read what you do not see")
		}
	}
	return task, nil
}
