package manager

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aburn/worker/slot"
	"aburn/worker/tree"
)

// Fork is a worker whose files, and mostly conversation, a new one continues. Both continue separately.
type Fork struct {
	m       *Member
	session string // whose conversation the new one continues; "" for none
}

// Name is that of the source.
func (f *Fork) Name() string { return f.m.Name }

// ForkOf is a fork of m, or a *Refused that says why there cannot be one.
func ForkOf(c *Manager, m *Member) (*Fork, error) {
	i := slices.IndexFunc(c.Agents, func(a slot.Agent) bool { return a.Name() == m.Request.Agent })
	if i < 0 {
		return nil, refuse("nobody knows its agent " + m.Request.Agent)
	}
	if _, ok := c.Agents[i].(slot.Forker); !ok {
		return nil, refuse("its agent "+m.Request.Agent+" cannot begin a second conversation from the middle of one",
			"--agent with another one: it gets a briefing")
	}
	f, err := FilesOf(m)
	if err != nil {
		return nil, err
	}
	if f.session = SessionOf(c, m); f.session == "" {
		return nil, refuse("nobody knows the conversation of its agent", "aburn spawn --base "+m.Request.Branch+": with its commits only")
	}
	return f, nil
}

// FilesOf is a fork of m's worktree without its conversation, or a *Refused that says why there cannot be one.
func FilesOf(m *Member) (*Fork, error) {
	if !m.Quiet() {
		return nil, refuse("its agent is not idle: "+strings.ReplaceAll(m.Worker.State.String(), "_", " "), "aburn ps "+m.Name, "aburn interrupt "+m.Name)
	}
	return &Fork{m: m}, nil
}

// keepSource brings the present state of the source's tree into a commit: the tree's own, else the last that was kept, else its branch.
func keepSource(ctx context.Context, c *Manager, repo *tree.Repo, f *Fork) (at, kept string, err error) {
	m, err := memberNamed(ctx, c, f.m.Name)
	if err != nil {
		return "", "", err
	}
	if m.Request.Repo != repo.Main {
		return "", "", refuse(m.Name+" works in another repository: "+m.Request.Repo, "aburn -C "+m.Request.Repo+" spawn --from "+m.Name)
	}
	if repo.Tree(m.Request.Tree).Exists(ctx) {
		k, _, err := TakeSnapshot(ctx, c, repo, m)
		if err != nil {
			return "", "", fmt.Errorf("the state of %s cannot be kept: %w", f.m.Name, err)
		}
		kept = k.Commit
	} else if all := Snapshots(m.Ledger); len(all) > 0 {
		kept = all[len(all)-1].Commit
	}
	if kept == "" {
		at, err = repo.Commit(ctx, m.Request.Branch)
		return at, "", err
	}
	at, err = tree.SnapshotBase(ctx, repo, kept)
	return at, kept, err
}

// moved tells an agent whose conversation knows another tree where it works now.
func (f *Fork) moved(s *Spawned, task string) string {
	return "[aburn] From here on you work in another worktree: " + s.Folder + ", on the branch " + s.Branch + ". It begins with the same files as " +
		f.m.Request.Tree +
		", in which somebody else may go on: use no path of that one any more.\n\n" + task
}
