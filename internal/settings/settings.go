// Package settings merges aburn's settings, each source over the one before: defaults, the data keys of a marked
// project's .oss/settings.json, the user's own settings.json, ABURN_* variables (flags are their commands' business).
//
// Invariants:
//   - The model, and the rules for remedies, are read when somebody asks for them: until then their keys are only kept,
//     so that a tool call's hook, which never asks, pays nothing for them.
//   - Loading never fails: what is wrong is left out, the rest counts, and a warning says file, line and column.
//   - A project that this user has not marked sets nothing, and no project sets a key that decides what an agent is
//     given or what is run (userOnly). Neither does the environment: agents let a repository's settings set variables.
package settings

import (
	"os"
	"path/filepath"

	"aburn/internal/project"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// File is the name of a settings file, in .oss and in the user's configuration folder.
const File = "settings.json"

// Sync says which entries are on the disk, not only with the kernel, when they are acknowledged.
type Sync string

const (
	SyncNone    Sync = "none"    // none: a power cut may lose the last seconds
	SyncDurable Sync = "durable" // COMPLETE, FAILED, PHASE_* and CHECKPOINT (the default)
	SyncAll     Sync = "all"     // every entry
)

// defaultTimeout is the name under timeouts of the phases that have none of their own.
const defaultTimeout = "default"

// Settings is what holds after merging.
type Settings struct {
	Rotate   int64    // log.rotate: bytes after which the log is rotated
	Keep     int64    // log.keep: bytes of rotated segments that are kept
	Sync     Sync     // log.sync
	Watch    Watch    // watch.*
	Inject   Inject   // inject.*: the user's own, like the next four
	Notify   Notify   // notify.*
	Deliver  Deliver  // deliver.*
	Queue    Queue    // queue.*
	Archive  Archive  // archive.*
	Warnings []string // what was left out and why, one line each; Model adds those of its keys

	env    func(string) string
	later  []later // the model's keys, in the order of their precedence
	model  *workflow.Model
	limits *limits.Limits

	unread *later // remedy.rules, until somebody asks for them
	rules  []Rule
}

// Inject says what aburn may hand to an agent unasked. Only the user's own file decides it.
type Inject struct {
	ChainOnStart bool // inject.chain_on_start: after a compaction or resume, what this session logged
}

// Load merges the settings for p, which is nil outside of any project.
func Load(p *project.Project, env func(string) string) Settings {
	if p == nil || !p.Marked {
		return LoadIn(nil, nil, env)
	}
	oss, err := p.OpenOss()
	if err != nil {
		return LoadIn(nil, nil, env)
	}
	defer oss.Close()
	return LoadIn(oss, p, env)
}

// LoadIn is Load for who has p's .oss open already; both are nil outside of any project.
func LoadIn(oss *os.Root, p *project.Project, env func(string) string) Settings {
	s := defaults()
	s.env = env
	own := ""
	if dir := project.ConfigDir(env); dir != "" {
		own = filepath.Join(dir, File)
	}
	if oss != nil && p != nil && p.Marked {
		data, err := readRoot(oss, File)
		s.merge(source{name: filepath.Join(p.Root, project.OssDir, File), own: own, project: true}, data, err)
	}
	if own != "" {
		data, err := readFile(own)
		s.merge(source{name: own, own: own}, data, err)
	}
	s.environment(own)
	return s
}

func (s *Settings) warn(text string) { s.Warnings = append(s.Warnings, text) }
