package guard

import (
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
	for _, group := range commandWords(c.Command) {
		add(group)
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
	if c.Network != nil && *c.Network {
		names := make([]string, 0, len(networked))
		for n := range networked {
			names = append(names, n)
		}
		slices.Sort(names)
		shell = append(shell, names)
	}
	for _, h := range c.Host {
		if w := literal(h); len(w) > 0 && len(c.Host) == 1 {
			shell, file = append(shell, w), append(file, w)
		}
	}
	words := suspect.Words{{Sets: shell}}
	if !c.OfShell() {
		words = append(words, suspect.Clause{Files: true, Sets: file})
	}
	return words
}

// commandWords are the words of the commands: one set of the programs, and one of the sub-commands if each command has one.
func commandWords(specs []string) (sets [][]string) {
	if len(specs) == 0 {
		return nil
	}
	for part := 0; part < 2; part++ {
		var set []string
		for _, s := range specs {
			fields := strings.Fields(s)
			if part >= len(fields) {
				return sets
			}
			w := literal(fields[part])
			if len(w) == 0 {
				return sets
			}
			set = append(set, w...)
		}
		slices.Sort(set)
		sets = append(sets, slices.Compact(set))
	}
	return sets
}

// literal is a pattern as a word, if it has no wildcard; or its beginning, if that ends where a word ends.
func literal(pattern string) []string {
	word := strings.TrimSuffix(pattern, "*")
	if word == "" || strings.ContainsAny(word, "*? \t") || word != pattern && !strings.HasSuffix(word, "=") {
		return nil
	}
	return []string{strings.ToLower(word)}
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
		default:
			return nil
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
