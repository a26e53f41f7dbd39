package daemon

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/fault"
	"aburn/worker/config"
	"aburn/worker/forge"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/react"
	"aburn/worker/round"
)

// pauseFile stands beside the daemon's others while workers get no messages of their pull requests.
const pauseFile = "reactions-paused.json"

func stormOf(p *State) *round.Storm {
	return &round.Storm{
		Is: func() bool { _, err := p.root.Stat(pauseFile); return err == nil },
		Write: func() error {
			return p.Write(pauseFile, map[string]any{"at": time.Now().UTC().Truncate(time.Second)})
		},
	}
}

// rulesRead is how long what files say of reactions is believed.
const rulesRead = 5 * time.Second

// pulls is what the daemon's rounds do about pull requests of a project's.
func (d *daemon) pulls(o *projects.Project) *round.Pulls {
	var c *config.Config
	var rules react.Rules
	var read time.Time
	load := func() { // in one goroutine: the rounds'
		if since := time.Since(read); c != nil && since < rulesRead && since >= 0 {
			return
		}
		if fresh, err := o.Config(""); err == nil { // else what counted before
			c, rules = fresh, fresh.Rules()
		} else if c == nil {
			c, rules = &config.Config{}, silent()
		}
		read = time.Now()
	}
	return &round.Pulls{
		Forge: func(ctx context.Context, m *manager.Member) (forge.Forge, string, string, error) {
			load()
			repo, err := manager.RepositoryOf(ctx, o.Manager, m)
			if err != nil {
				return nil, "", "", err
			}
			f, _, owner, err := projects.Forge(ctx, o, c, repo)
			if err != nil {
				return nil, "", "", err
			}
			return f, owner, repo.Main, nil
		},
		Refs: func(ctx context.Context, m *manager.Member) (string, error) {
			repo, err := manager.RepositoryOf(ctx, o.Manager, m)
			if err != nil {
				return "", err
			}
			return repo.RemoteRefs(ctx)
		},
		Rules: func() (react.Rules, bool) { load(); return rules, c.Flag("forge.strangers") },
		How: func() string {
			load()
			return strings.ReplaceAll(c.Word("merge"), "forward", "merge")
		},
		Storm: d.storm, Pauses: &d.pauses,
	}
}

// silent are the rules while a file has a mistake: a person is told, no agent.
func silent() react.Rules {
	rules := react.Defaults()
	for key, r := range rules {
		r.Auto = false
		rules[key] = r
	}
	return rules
}

// ResumeReactions ends all pauses, and names the workers that were paused.
func ResumeReactions(ctx context.Context, env func(string) string, p *State) (names []string, err error) {
	p.root.Remove(pauseFile)
	for _, root := range ledger.Projects(env) {
		o, err := projects.Open(env, root)
		if err != nil {
			continue
		}
		members, err := o.LoadCached(ctx)
		if err == nil {
			var list []string
			list, err = manager.Unpause(o.Manager, paused(members), react.KeyStorm)
			for _, name := range list {
				names = append(names, filepath.Base(root)+"/"+name)
			}
		}
		o.Close()
		if err != nil {
			return names, fault.Failed(err.Error())
		}
	}
	return names, nil
}

func paused(members []*manager.Member) (list []*manager.Member) {
	for _, m := range members {
		if m.Err == nil && react.Paused(m.Ledger.Entries) {
			list = append(list, m)
		}
	}
	return list
}
