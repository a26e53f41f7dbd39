package overview

import (
	"context"
	"strings"

	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// Roll is Look, and whose the processes are that carry marks of workers: those that no ledger knows are strays. Members that have
// strays in their place are left out.
func Roll(ctx context.Context, o *projects.Project, names ...string) ([]*manager.Member, []*manager.Stray, error) {
	found := make(chan []manager.Carrier, 1)
	go func() { found <- manager.Marked() }()
	all, err := o.Load(ctx, names...)
	if err != nil {
		return nil, nil, err
	}
	members, strays := manager.AccountForAll(o.Manager, all, <-found)
	return members, strays, nil
}

// StrayCalled is the stray that a word means; nil for none. A worker with a ledger comes before it.
func StrayCalled(strays []*manager.Stray, word string) *manager.Stray {
	var found []*manager.Stray
	for _, s := range strays {
		if s.Name == word {
			return s
		}
		if word != "" && strings.HasPrefix(s.Name, word) {
			found = append(found, s)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// Unaccounted are findings for `aburn doctor` about a project: strays of its workers, and what its workers left running. Outside of a
// project there are none.
func Unaccounted(ctx context.Context, env func(string) string, dir string) (findings []string) {
	o, err := projects.OpenAt(env, projects.CallerOf(env, dir), dir)
	if err != nil {
		return nil
	}
	defer o.Close()
	for _, s := range projects.Stranded(o) {
		findings = append(findings, projects.StrandedText(s)+": aburn project repair")
	}
	all, err := o.LoadState(ctx)
	if err != nil {
		return nil
	}
	members, strays := manager.AccountForAll(o.Manager, all, manager.Marked())
	for _, s := range strays {
		findings = append(findings, s.Name+" is "+describe.StrayText(s)+"; it works in "+s.Tree)
	}
	for _, m := range members {
		if len(m.Left) > 0 {
			findings = append(findings, m.Name+" left running: "+manager.LeftWords(m.Left))
		}
	}
	return findings
}
