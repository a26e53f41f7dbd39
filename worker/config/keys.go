package config

import (
	"slices"
	"strconv"
	"strings"

	"aburn/worker/react"
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
	does string   // what uses it
	idle string   // why nothing does
	gone bool     // of another tool, without a meaning here
	has  []string // of a key that holds others: those that are used; nil is not looked into
}

const spawns, merges, pulls, tells, reacts, keeps, shows = "spawn", "merge", "pr", "daemon", "daemon", "snapshots", "ps"

// projectKeys are said of one project: at the top of a file, below projects.ID, and some below worker or defaults.
var projectKeys = []key{
	{name: "name", form: word, idle: "aburn project add --name gives a project its name"}, {name: "repo", form: word, does: spawns},
	{name: "path", form: word, does: "choosing the project"},
	{name: "base", form: word, does: spawns}, {name: "defaultBranch", as: "base", form: word, does: spawns},
	{name: "branch_prefix", form: word, does: spawns}, {name: "sessionPrefix", form: word, does: spawns},
	{name: "runtime", form: word, does: spawns}, {name: "agent", form: word, does: spawns}, {name: "workspace", form: word, does: spawns},
	{name: "model", form: word, does: spawns}, {name: "agentConfig.model", as: "model", form: word, does: spawns},
	{name: "permissions", form: word, who: confirmed, does: spawns},
	{name: "agentConfig.permissions", as: "permissions", form: word, who: confirmed, does: spawns},
	{name: "rules", form: word, who: confirmed, does: spawns}, {name: "agentRules", as: "rules", form: word, who: confirmed, does: spawns},
	{name: "rules_file", form: word, does: spawns}, {name: "agentRulesFile", as: "rules_file", form: word, does: spawns}, // its text is confirmed by itself
	{name: "copy", form: list, does: spawns}, {name: "symlinks", as: "copy", form: list, does: spawns},
	{name: "link", form: list, who: confirmed, does: spawns}, {name: "share", form: list, who: confirmed, does: spawns},
	{name: "ports", form: anything, does: spawns}, {name: "env", form: list, who: confirmed, does: spawns},
	{name: "env_file", form: word, who: confirmed, does: spawns},
	{name: "setup", form: list, who: confirmed, does: spawns}, {name: "postCreate", as: "setup", form: list, who: confirmed, does: spawns},
	{name: "setup_timeout", form: span, does: spawns},
	{name: "dir", form: word, who: confirmed, does: spawns}, {name: "budget", form: word, does: spawns},
	{name: "snapshots", form: whole, who: confirmed, does: keeps}, {name: "max_workers", form: whole, does: spawns},
	{name: "disk.min_free", form: word, who: confirmed, does: spawns}, {name: "merge", form: word, does: merges},
	{name: "gates", form: list, who: confirmed, does: merges}, {name: "gates.run", as: "gates", form: list, who: confirmed, does: merges},
	{name: "gates.retries", form: whole, does: merges}, {name: "gates.unsandboxed", form: truth, who: person, does: merges},
	{name: "tracker.plugin", form: word, does: spawns}, {name: "tracker.comment", form: truth, who: person, does: spawns},
	{name: "tracker.command", form: list, who: person, does: spawns},
	{name: "tracker.*", form: anything, idle: "your own file says below trackers how a tracker is reached"},
	{name: "scm.plugin", form: word, does: pulls}, {name: "scm.host", form: word, who: person, does: pulls},
	{name: "scm.url", form: word, who: person, does: pulls}, {name: "scm.token_env", form: word, who: person, does: pulls},
	{name: "scm.token_file", form: word, who: person, does: pulls}, {name: "scm.webhook", form: anything, gone: true},
	{name: "scm.*", form: anything, idle: "of scm aburn knows plugin, host, url, token_env and token_file"},
	{name: "lifecycle.*", form: anything, gone: true},
	{name: "forge.strangers", form: truth, who: person, does: reacts}, {name: "ssh", form: list, who: person, does: spawns},
	{name: "orchestrator", form: anything, gone: true}, {name: "orchestratorRules", form: word, gone: true},
	{name: "orchestratorSessionStrategy", form: word, gone: true},
	{name: "opencodeIssueSessionStrategy", form: word, gone: true}, {name: "agentConfig.*", form: anything, gone: true},
}

// reactionKeys are said of one reaction.
var reactionKeys = []key{
	{name: "auto", form: truth, does: reacts}, {name: "action", form: word, who: confirmed, does: reacts},
	{name: "message", form: word, who: confirmed, does: reacts},
	{name: "priority", form: word, does: reacts}, {name: "retries", form: whole, does: reacts}, {name: "escalateAfter", form: word, does: reacts},
	{name: "threshold", form: word, does: reacts}, {name: "includeSummary", form: truth, does: reacts},
}

// fileKeys are said once in a file.
var fileKeys = []key{
	{name: schemaKey, form: word, gone: true}, {name: "port", form: whole, who: person, does: tells},
	{name: "dashboard.port", as: "port", form: whole, who: person, does: tells}, {name: "readyThresholdMs", form: whole, does: shows + ", " + reacts},
	{name: "notificationRouting.*", form: list, does: tells}, {name: "notifiers.*", form: anything, who: person, does: tells, has: notifierKeys},
	{name: "trackers.*", form: anything, who: person, does: spawns, has: []string{"url", "token", "token_env", "command"}},
	{name: "defaults.notifiers", form: list, does: tells},
	{name: "dashboard.attentionZones", form: anything, idle: "the columns of the board are the same for everybody"},
	{name: "dashboard.*", form: anything, gone: true},
	{name: "plugins", form: anything, gone: true}, {name: "terminalPort", form: whole, gone: true}, {name: "directTerminalPort", form: whole, gone: true},
	{name: "power", form: anything, gone: true}, {name: "defaults.orchestrator", form: anything, gone: true},
	{name: "observability", form: anything, gone: true},
}

var notifierKeys = []string{"plugin", "command", "webhook", "webhook_env", "webhookUrl", "webhookUrl_env", "url", "url_env", "headers"}

// unused says why nothing uses a value where it stands; "" if something does. It is no mistake, as another tool's file may have it.
func (s *said) unused() string {
	name := s.canon()
	parts := strings.Split(name, ".")
	word, _ := s.value.(string)
	switch {
	case s.idle != "":
		return s.idle
	case parts[0] == "notificationRouting" && !slices.Contains(react.Priorities, parts[1]):
		return "notices have one of " + strings.Join(react.Priorities, ", ")
	case parts[0] == "reactions":
		return unusedOf(parts[1], parts[2], word)
	}
	return ""
}

// unusedOf says why nothing uses a key of a reaction.
func unusedOf(reaction, key, value string) string {
	_, err := strconv.Atoi(value)
	switch number := err == nil; {
	case key == "threshold" && reaction != react.KeyIdle && reaction != react.KeyStuck:
		return "only " + react.KeyIdle + " and " + react.KeyStuck + " have to last"
	case key == "includeSummary" && reaction != react.KeyComplete:
		return "only " + react.KeyComplete + " is about several workers"
	case key == "auto" && !tellsAgent(reaction) && reaction != react.KeyGreen, (key == "retries" || key == "escalateAfter") && !tellsAgent(reaction):
		return reaction + " tells a person, once"
	case key == "escalateAfter" && reaction == react.KeyIdle && !number:
		return react.KeyIdle + " waits for no commit: retries bounds it"
	}
	return ""
}

// strangers are the names in a value that nothing uses.
func (s *said) strangers() (names []string) {
	if m, ok := s.value.(map[string]any); ok && s.has != nil {
		for name := range m {
			if !slices.Contains(s.has, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// place is one full name with its rank: of two that say the same the higher one counts.
type place struct {
	key
	path []string
	rank int
}

// inDefaults and inWorker are the keys of a project that may stand there too.
var inDefaults, inWorker = []string{"runtime", "agent", "workspace"},
	[]string{"runtime", "agent", "agentConfig.model", "agentConfig.permissions", "model", "permissions"}

// places lists all full names.
func places() (all []place) {
	add := func(k key, prefix string, rank int) {
		all = append(all, place{k, strings.Split(prefix+k.name, "."), rank})
	}
	for _, k := range fileKeys {
		add(k, "", 2)
	}
	for _, k := range projectKeys {
		if slices.Contains(inDefaults, k.name) {
			add(k, "defaults.", 0)
		}
		add(k, "", 2)
		add(k, "projects.*.", 3)
		if slices.Contains(inWorker, k.name) {
			add(k, "defaults.worker.", 1)
			add(k, "worker.", 4)
			add(k, "projects.*.worker.", 5)
		}
	}
	for _, k := range reactionKeys {
		add(k, "reactions.*.", 2)
		add(k, "projects.*.reactions.*.", 3)
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
