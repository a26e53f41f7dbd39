package launch

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/worker/config"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/ssh"
	"aburn/worker/tree"
)

// CheckHost refuses a machine that the person's own file does not name.
func CheckHost(c *config.Config, host string) error {
	if err := ssh.Valid(host); err != nil {
		return fault.Usage("--runtime ssh:" + plain.Line(host) + ": " + err.Error())
	}
	if !slices.Contains(c.Words("ssh"), host) {
		return fault.Usage("ssh: in your own workers.yaml does not name "+fault.Quote(host), "ssh: ["+host+"] there lets workers run on it", "aburn config check")
	}
	return nil
}

// defaultSetup is how long setup may take there if nothing is said of it; it is ended there.
const defaultSetup = 10 * time.Minute

// SendOrder asks for the worker. The order and the files that it gets are one stream: there is no moment at which files lie there
// without a worker.
func SendOrder(ctx context.Context, o *projects.Project, host ssh.Host, dir string, repo *tree.Repo, p manager.Plan, s *manager.Spawned) (run.Result, error) {
	paths, others, err := p.Furniture.Files(ctx, repo, o.Store.Book(s.Name).Dir)
	if err != nil {
		return run.Result{Code: 1, Stderr: []byte(err.Error())}, nil // nothing was asked for
	}
	s.NotCopied(others, nil)
	order := manager.NewRemoteOrder(p, s, valuesOf(p.Pass))
	if order.Files = len(paths) > 0; host.Name == "" {
		order.From, order.Link = repo.Main, p.Furniture.Link
	}
	if len(order.Setup) > 0 {
		host.Works = cmp.Or(order.Timeout, defaultSetup)
	}
	in, out := io.Pipe()
	left := make(chan []string, 1)
	go func() {
		var none []string
		err := json.NewEncoder(out).Encode(order)
		if err == nil && order.Files {
			none, err = tree.SendFiles(ctx, repo, out, paths)
		}
		left <- none
		out.CloseWithError(err)
	}()
	said, err := host.Do(ctx, in, ssh.Aburn(dir, "far-spawn"))
	in.Close()
	s.NotCopied(nil, <-left)
	return said, err
}
