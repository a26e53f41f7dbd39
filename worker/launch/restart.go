package launch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// EndedUnasked reports whether something other than a person, or the worker's own done, ended it.
func EndedUnasked(m *manager.Member) bool {
	if m.Worker.State != worker.Terminated || m.Worker.KillFor != "" {
		return false
	}
	switch m.Worker.Reason {
	case worker.RuntimeLost, worker.ErrorInProcess, worker.AgentProcessExited, worker.ProbeFailure:
		return m.Ledger.Last(worker.Launched) != nil
	}
	return false
}

// Again is what a person says of a restore.
type Again struct {
	Trusted bool
	Env     []string // names of variables that the agent gets beside those of its spawn
}

// CheckEnv refuses the name of a variable that this environment has not.
func CheckEnv(names []string) error {
	for _, name := range names {
		if _, set := os.LookupEnv(name); !set {
			return fault.Usage("--env "+fault.Quote(name)+": your environment has no such variable", "give its name, without a value")
		}
	}
	return nil
}

// MissingVariables are the variables that a worker was given and that this environment has not. Values are kept nowhere: they may be secrets.
func MissingVariables(m *manager.Member) []string {
	return slices.DeleteFunc(m.Passed(), func(name string) bool { _, set := os.LookupEnv(name); return set })
}

func WarnMissing(a fault.Reporter, m *manager.Member) {
	if names := MissingVariables(m); len(names) > 0 {
		a.Warn(plain.Line(m.Name+" is resumed without "+strings.Join(names, ", ")+": your environment has no such variable, and aburn saves no values"),
			"set it and end the worker first, to start it with that: aburn kill "+m.Name+"; aburn resume "+m.Name)
	}
}

// Resume has an ended worker go on where it ran before, in its tree, which is made again if it is gone.
func Resume(ctx context.Context, o *projects.Project, a fault.Reporter, m *manager.Member, how Again) (*manager.Member, error) {
	if m.IsRemote() {
		return reviveFar(ctx, o, a, m, how)
	}
	if manager.Runs(o.Manager, m) && !m.Over() {
		return m, fault.Failed(m.Name+" has not ended: "+describe.StateText(m), "aburn ps "+m.Name)
	}
	repo, err := manager.RepositoryOf(ctx, o.Manager, m)
	if err != nil {
		return m, err
	}
	p, err := PlanAgain(o, m, m.Request.Via)
	if err != nil {
		return m, err
	}
	p.Pass = how.Env
	if !how.Trusted {
		if err := CheckTrust(o.Env, p, repo.Main, false); err != nil {
			return m, err
		}
	}
	if o.Holder, err = projects.Program("aburn-hold"); err != nil {
		return m, err
	}
	if err := treeAgain(ctx, o, a, repo, m); err != nil {
		return m, err
	}
	o.RulesAgain(ctx, a, repo, m, &p)
	now, err := manager.Resume(ctx, o.Manager, repo, m, p)
	if errors.Is(err, manager.ErrNoSession) {
		return m, fault.Failed("cannot resume "+m.Name+": "+err.Error(), "aburn diff "+m.Name, "aburn spawn --base "+m.Request.Branch+" TASK")
	}
	if err != nil {
		return m, HandOverFailure(m, err)
	}
	return now, nil
}

// Restart has an ended worker go on for a page, and names the variables that it does not have any more.
func Restart(ctx context.Context, o *projects.Project, r fault.Reporter, m *manager.Member) (now *manager.Member, lacks []string, err error) {
	ran := m.Ledger.Last(worker.Launched) != nil // then the repository was trusted
	if now, err = Resume(ctx, o, r, m, Again{Trusted: ran}); err != nil {
		return m, nil, err
	}
	return now, MissingVariables(m), nil
}

// treeAgain makes a tree that is gone: from the last snapshot, else from its branch.
func treeAgain(ctx context.Context, o *projects.Project, a fault.Reporter, repo *tree.Repo, m *manager.Member) error {
	if repo.Tree(m.Request.Tree).Exists(ctx) {
		return nil
	}
	if n := len(manager.Snapshots(m.Ledger)); n > 0 {
		onBranch, err := manager.RestoreSnapshot(ctx, o.Manager, repo, m, n, m.Request.Tree)
		if err != nil {
			return fault.Failed(m.Name + ": its tree cannot be made again: " + err.Error())
		}
		if !onBranch {
			a.Warn(m.Name + ": its tree stands on no branch, as " + m.Request.Branch + " moved or is checked out elsewhere")
		}
		return nil
	}
	if err := manager.RemakeTree(ctx, o.Manager, repo, m); err != nil {
		return fault.Failed(m.Name+": its tree cannot be made again: "+err.Error(), "aburn ps "+m.Name)
	}
	return nil
}

// reviveFar has an ended worker go on where it ran, with the values that its variables have here and now.
func reviveFar(ctx context.Context, o *projects.Project, a fault.Reporter, m *manager.Member, how Again) (*manager.Member, error) {
	stdin, err := json.Marshal(manager.NewRemoteRestart(valuesOf(slices.Concat(m.Passed(), how.Env))))
	if err != nil {
		return m, err
	}
	r, err := manager.RunRemote(ctx, o.Manager, m, string(stdin), "far-spawn", "--resume", m.Name)
	if err != nil {
		return m, fault.Failed("cannot resume "+m.Name+": "+err.Error(), "aburn ps "+m.Name)
	}
	for _, w := range manager.RemoteMessages(r, "warning") {
		a.Warn(w)
	}
	return o.Member(ctx, m.Name)
}

// valuesOf are the variables of this environment that have one of these names.
func valuesOf(names []string) map[string]string {
	env := map[string]string{}
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			env[name] = value
		}
	}
	return env
}
