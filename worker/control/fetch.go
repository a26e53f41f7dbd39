package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"aburn/worker/manager"
	"aburn/worker/ssh"
	"aburn/worker/tree"
)

// FetchWork fetches the commits and snapshots of a far member, the present state of its tree too.
func FetchWork(ctx context.Context, c *manager.Manager, repo *tree.Repo, m *manager.Member) (*manager.Member, string, error) {
	if _, err := manager.RunRemote(ctx, c, m, "", "snapshots", "--take", m.Name); err != nil && errors.Is(err, ssh.ErrLost) {
		return m, "", err
	}
	copied := "refs/aburn/far/" + m.Name
	// A branch that its agent made there may have the name of one that is here and somebody else's.
	if here := repo.Tip(ctx, m.Request.Branch); m.Request.Branch != m.Made && here != "" && !repo.Holds(ctx, copied, here) {
		return m, "", fmt.Errorf("its branch %s has the name of a branch of yours", m.Request.Branch)
	}
	commit, err := tree.Fetch(ctx, repo, elsewhereOf(c, m), m.Request.Branch, copied, manager.SnapshotRefs(m.Name))
	if err != nil {
		return m, commit, err
	}
	now, err := c.Load(ctx, m.Name)
	if err == nil {
		err = now[0].Err
	}
	if err != nil {
		return m, commit, err
	}
	if all := manager.Snapshots(now[0].Ledger); len(all) > 0 && !repo.Holds(ctx, all[len(all)-1].Ref, all[len(all)-1].Commit) {
		return now[0], commit, errors.New("the last snapshot did not arrive")
	}
	return now[0], commit, nil
}

func elsewhereOf(c *manager.Manager, m *manager.Member) tree.Elsewhere {
	host, _ := manager.RemoteHost(m.Request.Via)
	return Elsewhere(manager.HostNamed(c, host), m.Request.Address)
}

// Elsewhere is the repository on a machine, as git reaches it.
func Elsewhere(host ssh.Host, dir string) tree.Elsewhere {
	url, env := host.Remote(dir)
	return tree.Elsewhere{URL: url, Env: env}
}

// RemoteScreen is what a worker's terminal shows there.
type RemoteScreen struct {
	Lines []string `json:"lines"`
	Cols  int      `json:"cols"`
	Rows  int      `json:"rows"`
}

// RemoteScreenOf is what the terminal of a worker on another machine shows, and the way to that machine.
func RemoteScreenOf(ctx context.Context, c *manager.Manager, m *manager.Member) (s RemoteScreen, h ssh.Host, err error) {
	host, _ := manager.RemoteHost(m.Request.Via)
	r, err := manager.RunRemote(ctx, c, m, "", "far", "--screen", m.Name)
	if err == nil {
		err = json.Unmarshal(r.Stdout, &s)
	}
	return s, manager.HostNamed(c, host), err
}
