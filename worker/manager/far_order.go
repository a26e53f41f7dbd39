package manager

import (
	"context"
	"errors"
	"time"

	"aburn/worker/slot"
	"aburn/worker/tree"
)

// RemoteOrder is the worker that another repository's aburn is asked for. It goes over a pipe and stands in no file: it may have
// values of the environment. Files of the person's checkout follow it as a tar, if Files says so.
type RemoteOrder struct {
	Version     int               `json:"v"`
	Task        string            `json:"task"`
	Name        string            `json:"name"`
	Base        string            `json:"base"`
	Branch      string            `json:"branch"`
	Agent       string            `json:"agent"`
	Permissions slot.Permissions  `json:"permissions"`
	Model       string            `json:"model,omitempty"`
	Rules       string            `json:"rules,omitempty"`
	Head        string            `json:"head,omitempty"`
	Issue       string            `json:"issue,omitempty"`
	IssueURL    string            `json:"issue_url,omitempty"`
	Gated       bool              `json:"gated,omitempty"`
	Retries     int               `json:"retries,omitempty"`
	Gates       []string          `json:"gates,omitempty"`
	Files       bool              `json:"files,omitempty"`
	From        string            `json:"from,omitempty"` // the checkout that links lead to; only on the same machine
	Link        []string          `json:"link,omitempty"`
	Ports       []Port            `json:"ports,omitempty"`
	Setup       []string          `json:"setup,omitempty"`
	Timeout     time.Duration     `json:"setup_timeout,omitempty"`
	Env         map[string]string `json:"env,omitempty"`
}

// RemoteRestart has another repository's aburn resume a worker. Like an order it may have values, and stands in no file.
type RemoteRestart struct {
	Version int               `json:"v"`
	Env     map[string]string `json:"env,omitempty"`
}

// NewRemoteRestart is what goes with a restore there.
func NewRemoteRestart(env map[string]string) RemoteRestart {
	return RemoteRestart{farOrderVersion, env}
}

// Check refuses what another version says.
func (a RemoteRestart) Check() error {
	if a.Version != farOrderVersion {
		return ErrFarVersion
	}
	return nil
}

// RemoteStarted is what it says of a worker that runs.
type RemoteStarted struct {
	Steps    []string `json:"steps,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// farOrderVersion is that of FarOrder, FarAgain and FarGates.
const farOrderVersion = 1

// ErrFarVersion says that two machines have versions of aburn that do not understand each other.
var ErrFarVersion = errors.New("the aburn there is of another version")

// NewRemoteOrder is the order for a worker that was claimed. env are the values of the variables that the plan passes.
func NewRemoteOrder(p Plan, s *Spawned, env map[string]string) RemoteOrder {
	f := p.Furniture
	return RemoteOrder{
		Version: farOrderVersion, Task: p.Task, Name: s.Name, Base: s.Base, Branch: s.Branch, Agent: p.Agent.Name(), Permissions: p.Permissions, Model: p.Model,
		Rules: p.Rules, Head: p.Head, Issue: p.Issue.ID, IssueURL: p.Issue.URL, Gated: p.Gated, Retries: p.Retries, Gates: p.Gates,
		Ports: f.Ports, Setup: f.Setup, Timeout: f.Timeout, Env: env,
	}
}

// Plan is the plan for an order, without the agent and where it runs. carried gives the files of an order that has some.
func (o *RemoteOrder) Plan(carried func(context.Context, *tree.Tree) ([]tree.Copied, error)) (p Plan, err error) {
	if o.Version != farOrderVersion {
		return p, ErrFarVersion
	}
	p = Plan{
		Task: o.Task, Name: o.Name, Head: o.Head, Issue: Issue{o.Issue, o.IssueURL}, Permissions: o.Permissions, Model: o.Model, Base: o.Base, Branch: o.Branch,
		Rules: o.Rules, Gated: o.Gated, Retries: o.Retries, Gates: o.Gates,
		Furniture: Furniture{Link: o.Link, From: o.From, Ports: o.Ports, Setup: o.Setup, Timeout: o.Timeout},
	}
	for name := range o.Env {
		p.Pass = append(p.Pass, name)
	}
	if o.Files {
		p.Furniture.Carried = carried
	}
	return p, nil
}

// RemoteGates asks another repository's aburn to run gates in a worker's tree.
type RemoteGates struct {
	Version     int           `json:"v"`
	Run         []string      `json:"run"`
	Retries     int           `json:"retries"`
	Timeout     time.Duration `json:"timeout,omitempty"`
	Unsandboxed bool          `json:"unsandboxed,omitempty"`
	Due         bool          `json:"due,omitempty"` // only if the worker waits for them; a failure goes back to it
}

// OrderGates is the order to run gates. With due it is for a worker that said it is done.
func OrderGates(g Gates, due bool) RemoteGates {
	return RemoteGates{farOrderVersion, g.Run, g.Retries, g.Timeout, g.Unsandboxed, due}
}

// RemoteVerdict is what gates found there.
type RemoteVerdict struct {
	NotDue bool     `json:"not_due,omitempty"`
	Passed bool     `json:"passed,omitempty"`
	Commit string   `json:"commit,omitempty"` // that they passed on; only for gates that were not due
	Why    string   `json:"why,omitempty"`    // they did not pass
	Hints  []string `json:"hints,omitempty"`
	Output string   `json:"output,omitempty"`
}

// TryGatesHere runs gates in a member's tree here for another machine, which merges or said that they are due. The error is ours.
func TryGatesHere(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, order RemoteGates, program string) (v RemoteVerdict, err error) {
	g := Gates{Run: order.Run, Retries: order.Retries, Timeout: order.Timeout, Unsandboxed: order.Unsandboxed, Program: program}
	var refused *Refused
	switch {
	case order.Version != farOrderVersion:
		return v, ErrFarVersion
	case order.Due:
		verdict, err := VerifyDone(ctx, c, repo, m, g)
		if errors.Is(err, ErrNotDue) {
			return RemoteVerdict{NotDue: true}, nil
		}
		if err == nil && verdict.Message != "" {
			err = DeliverWaiting(ctx, c, m.Name)
		}
		return RemoteVerdict{Passed: verdict.Passed, Why: verdict.Why}, err
	}
	v.Commit, err = tryGates(ctx, c, repo, m, g, false)
	if errors.As(err, &refused) {
		return RemoteVerdict{Why: refused.Text, Hints: refused.Hints, Output: refused.Output}, nil
	}
	v.Passed = err == nil
	return v, err
}

// verifyFar has gates that are due run where the worker is, which tells its agent of a failure.
func verifyFar(ctx context.Context, c *Manager, m *Member, g Gates) (Verdict, error) {
	v, err := tryGatesThere(ctx, c, m, OrderGates(g, true))
	if err == nil && v.NotDue {
		err = ErrNotDue
	}
	return Verdict{Passed: v.Passed, Why: v.Why}, err
}

// farGates has gates run where the worker is, and returns the commit that they passed on.
func farGates(ctx context.Context, c *Manager, m *Member, g Gates) (commit string, err error) {
	v, err := tryGatesThere(ctx, c, m, OrderGates(g, false))
	if err == nil && !v.Passed {
		err = &Refused{v.Why, v.Hints, v.Output}
	}
	return v.Commit, err
}

func tryGatesThere(ctx context.Context, c *Manager, m *Member, order RemoteGates) (RemoteVerdict, error) {
	if c.Try == nil {
		return RemoteVerdict{}, errors.New("no machine can be asked from here")
	}
	return c.Try(ctx, m, order)
}
