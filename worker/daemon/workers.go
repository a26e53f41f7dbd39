package daemon

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// Worker is one worker of any project, or one of which no ledger knows.
type Worker struct {
	Project *projects.Project
	Member  *manager.Member // nil for a stray
	Stray   *manager.Stray
}

func (h Worker) name() string {
	if h.Member == nil {
		return h.Stray.Name
	}
	return h.Member.Name
}

func (h Worker) String() string {
	return strings.TrimSuffix(filepath.Base(h.Project.Root), "/") + "/" + h.name()
}

// Living are the workers of all projects of which something may run, by project.
func Living(ctx context.Context, env func(string) string, only string) (list []Worker, err error) {
	marked := manager.Marked()
	for _, root := range Roots(env) {
		if only != "" && root != only && filepath.Base(root) != only {
			continue
		}
		o, oerr := projects.Open(env, root)
		if oerr != nil {
			continue
		}
		all, lerr := o.Load(ctx)
		if lerr != nil {
			o.Close()
			err = errors.Join(err, lerr)
			continue
		}
		n := len(list)
		members, strays := manager.AccountForAll(o.Manager, all, marked)
		for _, m := range manager.Running(members) {
			list = append(list, Worker{Project: o, Member: m})
		}
		for _, s := range strays {
			list = append(list, Worker{Project: o, Stray: s})
		}
		if len(list) == n {
			o.Close()
		}
	}
	return list, err
}

// Roots are the roots of all projects, those in which no ledger can be read among them.
func Roots(env func(string) string) (list []string) {
	for _, n := range ledger.Known(env) {
		list = append(list, n.Root)
	}
	return list
}
