package guard

import (
	"maps"
	"slices"
	"strings"

	"aburn/internal/agentcli"
	"aburn/internal/suspect"
)

// Words are the clauses of words that a call has to hold for the rule to be about it.
func Words(r *Rule) (words suspect.Words) {
	for i := range r.When {
		words = append(words, clauses(&r.When[i])...)
	}
	if r.Opaque {
		words = append(words, suspect.Clause{})
	}
	return words
}

// clauses are those of one condition.
func clauses(c *Condition) suspect.Words {
	var sets [][]string
	add := func(words []string) {
		if len(words) > 0 {
			sets = append(sets, words)
		}
	}
	if c.OfCounts() && !c.OfShell() && len(c.Writes)+len(c.Reads)+len(c.Path)+len(c.Host) == 0 && c.Network == nil {
		return suspect.Words{{}}
	}
	for _, f := range c.Flags {
		add(longOnly(f))
		if _, value, ok := strings.Cut(f, "="); ok && !strings.Contains(f, "|") {
			add(literal(value))
		}
	}
	for _, a := range c.Args {
		add(literal(a))
	}
	if len(c.ForcePush) > 0 {
		add([]string{"git"})
		add([]string{"push"})
	}
	if len(c.Statement) > 0 {
		var first []string
		for _, s := range c.Statement {
			first = append(first, strings.ToLower(strings.Fields(s)[0]))
		}
		add(first)
	}
	if c.Runs != "" {
		add([]string{"curl", "wget", "http", "https", "xh", "aria2c"})
	}
	shell := slices.Clone(sets)
	file := [][]string{}
	both := func(classes []string, programs []string) {
		if len(classes) == 0 {
			return
		}
		words := classWords(classes)
		if len(programs) > 0 && len(c.Command) == 0 {
			shell = append(shell, programs)
		}
		if len(words) > 0 {
			shell, file = append(shell, words), append(file, words)
		}
	}
	both(c.Reads, nil)
	both(c.Writes, writers())
	both(c.Empties, []string{">", "truncate", "cp", "dd"})
	both(c.Path, nil)
	for _, h := range c.Host {
		if w := literal(h); len(w) > 0 && len(c.Host) == 1 {
			shell, file = append(shell, w), append(file, w)
		}
	}
	words := suspect.Words{{Sets: shell}}
	if c.Network != nil && *c.Network {
		words = networkWords(shell)
	}
	words = commandWords(c.Command, words)
	if !c.OfShell() {
		words = append(words, suspect.Clause{Files: true, Sets: file})
	}
	return words
}

// networkWords are clauses of the programs that use the network: with the sets, and with a sub-command where only that does.
func networkWords(sets [][]string) (words suspect.Words) {
	var always []string
	for _, name := range slices.Sorted(maps.Keys(networked)) {
		if subs := networked[name]; subs != "" {
			words = append(words, suspect.Clause{Sets: append(slices.Clone(sets), []string{name}, strings.Fields(subs))})
		} else {
			always = append(always, name)
		}
	}
	return append(words, suspect.Clause{Sets: append(slices.Clone(sets), always)})
}

// commandWords are the clauses with the words of each command in front.
func commandWords(specs []string, clauses suspect.Words) (words suspect.Words) {
	if len(specs) == 0 {
		return clauses
	}
	for _, spec := range specs {
		var sets [][]string
		for field := range strings.FieldsSeq(spec) {
			if w := literal(field); len(w) > 0 {
				sets = append(sets, w)
			}
		}
		for _, c := range clauses {
			words = append(words, suspect.Clause{Files: c.Files, Sets: append(slices.Clone(sets), c.Sets...)})
		}
	}
	return words
}

// literal is a pattern as a word, where a star at an end means that the word may go on there; none if that says nothing.
func literal(pattern string) []string {
	core := strings.Trim(pattern, "*")
	if core == "" || strings.ContainsAny(core, "*? \t") {
		return nil
	}
	return []string{strings.ToLower(pattern)}
}

// longOnly are the names of an option, if all are long ones: short ones may be anywhere in a cluster.
func longOnly(spec string) (list []string) {
	for one := range strings.SplitSeq(spec, "|") {
		name, _, _ := strings.Cut(one, "=")
		if !strings.HasPrefix(name, "--") || strings.Contains(name, "*") {
			return nil
		}
		list = append(list, strings.ToLower(name))
	}
	return list
}

// writers are the programs and signs by which a shell writes files.
func writers() []string {
	return []string{
		">", "rm", "rmdir", "unlink", "srm", "trash", "mv", "cp", "install", "ln", "rsync", "scp", "tee", "touch", "mkdir", "shred", "truncate", "blkdiscard",
		"mkswap", "patch", "chmod", "chown", "chgrp", "setfacl", "chattr", "sed", "perl", "ruby", "yq", "gofmt", "prettier", "sponge", "dd", "find", "tar", "unzip",
		"curl", "wget", "wipefs", "sgdisk", "fdisk", "parted", "cfdisk", "sfdisk", "gdisk", "mkfs",
	}
}

// classWords are words of which a path of these classes has one; none if it may have any.
func classWords(list []string) (words []string) {
	for _, class := range list {
		switch class {
		case "device":
			words = append(words, "/dev/")
		case "outside", "repository":
			words = append(words, "/", "~", ".", "*", "cd", "pushd")
		case "secret":
			for _, name := range slices.Concat(secretNames, secretHome) {
				words = append(words, parts(name)...)
			}
			words = append(words, "shadow", "gshadow")
		case "hooks":
			words = append(words, "settings", "config", "hooks", "aburn", "workflows", "gitlab-ci", "circleci", "jenkinsfile", "husky", "pre-commit-config",
				"lefthook", "travis", "azure-pipelines", "buildkite", "mcp", "oss", "gitconfig", "github", ".git", "cd", "pushd", "~", "..", "*")
			for _, a := range agentcli.All() {
				words = append(append(words, strings.ToLower(a.Name)), parts(a.Home.Dir)...)
			}
		case "any", "tracked", "ignored":
			return nil
		default:
			piece := parts(class)
			if len(piece) == 0 {
				return nil
			}
			words = append(words, piece...)
		}
	}
	return words
}

// parts are the longest name of a folder or file in a pattern that has no wildcard, else the longest piece between wildcards.
func parts(pattern string) []string {
	longest := ""
	for p := range strings.SplitSeq(pattern, "/") {
		if !strings.ContainsAny(p, "*?") && len(p) > len(longest) {
			longest = p
		}
	}
	for _, p := range strings.FieldsFunc(pattern, func(r rune) bool { return r == '*' || r == '/' || r == '?' }) {
		if longest == "" {
			longest = p
		}
	}
	if longest == "" {
		return nil
	}
	return []string{strings.ToLower(longest)}
}
