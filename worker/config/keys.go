package config

import (
	"slices"
	"strings"
)

// form is what a value looks like.
type form uint8

const (
	word  form = iota // a string, number or truth value
	list              // one word, or a list of them
	whole             // a number of 0 or more
	truth
	span     // a duration: 90s, 5m
	anything // not looked into
)

// who says whose file may say a key.
type who uint8

const (
	anybody   who = iota // harmless, also in a clone
	confirmed            // a repository's file once a person has confirmed its text
	person               // only the person's own file
)

// key is one name that a file may have.
type key struct {
	name string // with * for any one name
	as   string // what it means here, if it has another name
	form form
	who  who
	does string // what uses it; "" is nothing yet
	gone bool   // of another tool, without a meaning here
}

const spawns, merges = "spawn", "merge"

// projectKeys are said of one project: at the top of a file, below projects.ID, and some below worker or defaults.
var projectKeys = []key{
	{name: "name", form: word}, {name: "repo", form: word}, {name: "path", form: word, does: "choosing the project"},
	{name: "base", form: word, does: spawns}, {name: "defaultBranch", as: "base", form: word, does: spawns},
	{name: "branch_prefix", form: word, does: spawns}, {name: "sessionPrefix", form: word},
	{name: "runtime", form: word}, {name: "agent", form: word, does: spawns}, {name: "workspace", form: word},
	{name: "model", form: word, does: spawns}, {name: "agentConfig.model", as: "model", form: word, does: spawns},
	{name: "permissions", form: word, who: confirmed, does: spawns}, {name: "agentConfig.permissions", as: "permissions", form: word, who: confirmed, does: spawns},
	{name: "rules", form: word, who: confirmed, does: spawns}, {name: "agentRules", as: "rules", form: word, who: confirmed, does: spawns},
	{name: "rules_file", form: word, who: confirmed}, {name: "agentRulesFile", as: "rules_file", form: word, who: confirmed},
	{name: "copy", form: list, does: spawns}, {name: "symlinks", as: "copy", form: list, does: spawns},
	{name: "link", form: list, who: confirmed, does: spawns}, {name: "share", form: list, who: confirmed, does: spawns},
	{name: "ports", form: anything, does: spawns}, {name: "env", form: list, who: confirmed, does: spawns}, {name: "env_file", form: word, who: confirmed},
	{name: "setup", form: list, who: confirmed, does: spawns}, {name: "postCreate", as: "setup", form: list, who: confirmed, does: spawns},
	{name: "setup_timeout", form: span, does: spawns},
	{name: "dir", form: word, who: confirmed}, {name: "budget", form: word}, {name: "snapshots", form: whole}, {name: "max_workers", form: whole, does: spawns},
	{name: "disk.min_free", form: word}, {name: "merge", form: word, does: merges},
	{name: "gates", form: list, who: confirmed, does: merges}, {name: "gates.run", as: "gates", form: list, who: confirmed, does: merges}, {name: "gates.retries", form: whole, does: merges}, {name: "gates.unsandboxed", form: truth, who: person, does: merges},
	{name: "tracker.plugin", form: word}, {name: "tracker.*", form: anything, who: person}, {name: "scm.plugin", form: word}, {name: "scm.webhook", form: anything, gone: true}, {name: "scm.*", form: anything, who: person},
	{name: "forge.strangers", form: truth, who: person}, {name: "ssh", form: anything, who: person},
	{name: "orchestrator", form: anything, gone: true}, {name: "orchestratorRules", form: word, gone: true}, {name: "orchestratorSessionStrategy", form: word, gone: true},
	{name: "opencodeIssueSessionStrategy", form: word, gone: true}, {name: "agentConfig.*", form: anything, gone: true},
}

// reactionKeys are said of one reaction.
var reactionKeys = []key{
	{name: "auto", form: truth}, {name: "action", form: word, who: confirmed}, {name: "message", form: word, who: confirmed}, {name: "priority", form: word},
	{name: "retries", form: whole}, {name: "escalateAfter", form: word}, {name: "threshold", form: word}, {name: "includeSummary", form: truth},
}

// fileKeys are said once in a file.
var fileKeys = []key{
	{name: "$schema", form: word, gone: true}, {name: "port", form: whole}, {name: "readyThresholdMs", form: whole}, {name: "lifecycle.*", form: anything},
	{name: "notificationRouting.*", form: list}, {name: "notifiers.*", form: anything, who: person}, {name: "defaults.notifiers", form: list},
	{name: "dashboard.attentionZones", form: anything}, {name: "dashboard.*", form: anything, gone: true},
	{name: "plugins", form: anything, gone: true}, {name: "terminalPort", form: whole, gone: true}, {name: "directTerminalPort", form: whole, gone: true},
	{name: "power", form: anything, gone: true}, {name: "defaults.orchestrator", form: anything, gone: true},
	{name: "defaults.worker", form: anything, gone: true}, {name: "observability", form: anything, gone: true},
}

// place is one full name with its rank: of two that say the same the higher one counts.
type place struct {
	key
	path []string
	rank int
}

// inDefaults and inWorker are the keys of a project that may stand there too.
var inDefaults, inWorker = []string{"runtime", "agent", "workspace"}, []string{"runtime", "agent", "agentConfig.model", "agentConfig.permissions", "model", "permissions"}

// places lists all full names.
func places() (all []place) {
	add := func(k key, prefix string, rank int) {
		all = append(all, place{k, strings.Split(prefix+k.name, "."), rank})
	}
	for _, k := range fileKeys {
		add(k, "", 1)
	}
	for _, k := range projectKeys {
		if slices.Contains(inDefaults, k.name) {
			add(k, "defaults.", 0)
		}
		add(k, "", 1)
		add(k, "projects.*.", 2)
		if slices.Contains(inWorker, k.name) {
			add(k, "worker.", 3)
			add(k, "projects.*.worker.", 4)
		}
	}
	for _, k := range reactionKeys {
		add(k, "reactions.*.", 1)
		add(k, "projects.*.reactions.*.", 2)
	}
	return all
}

// find is the place of a path. below says whether there are longer ones, and next what may follow.
func find(all []place, path []string) (exact *place, below bool, next []string) {
	for i := range all {
		p := &all[i]
		if n := len(path); len(p.path) >= n && match(p.path[:n], path) {
			if below = below || len(p.path) > n; len(p.path) == n && (exact == nil || exact.path[n-1] == "*") {
				exact = p
			}
		}
		if n := len(path) - 1; len(p.path) > n && match(p.path[:n], path[:n]) && p.path[n] != "*" {
			next = append(next, p.path[n])
		}
	}
	slices.Sort(next)
	return exact, below, slices.Compact(next)
}

func match(pattern, path []string) bool {
	for i, part := range path {
		if pattern[i] != "*" && pattern[i] != part {
			return false
		}
	}
	return true
}
