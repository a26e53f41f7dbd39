// Package settings merges aburn's settings into one value for each key. Each source overrides the
// one before: defaults, the data keys of a marked project's .oss/settings.json, the user's own
// settings.json, ABURN_* variables (flags belong to their commands). Hooks link it.
//
// Invariants:
//   - The model and the rules for remedies are read on demand. Until then only their keys are
//     kept, so that the hook of a tool call, which needs neither, pays nothing for them.
//   - Loading never fails. What is wrong is left out, the rest counts, and a warning names file,
//     line and column.
//   - A project that this user has not marked sets nothing. No project sets a key that decides
//     what an agent receives or what is run (userOnly). Nor does the environment, because agents
//     let a repository's settings set variables.
package settings

import (
	"os"
	"path/filepath"
	"time"

	"aburn/internal/project"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// File is the name of a settings file, in .oss and in the user's configuration folder.
const File = "settings.json"

// Sync says which entries reach the disk, not only the kernel, before they are acknowledged.
type Sync string

const (
	SyncNone    Sync = "none"    // none: a power cut may lose the last seconds
	SyncDurable Sync = "durable" // COMPLETE, FAILED, PHASE_* and CHECKPOINT (the default)
	SyncAll     Sync = "all"     // every entry
)

// defaultTimeout is the name under timeouts for phases without a timeout of their own.
const defaultTimeout = "default"

// Settings is the merged result.
type Settings struct {
	Rotate     int64      // log.rotate: bytes at which the log is rotated
	Keep       int64      // log.keep: bytes of rotated segments to keep
	Sync       Sync       // log.sync
	Watch      Watch      // watch.*
	Record     Record     // record: user-only, like the rest
	Snapshots  Snapshots  // snapshots
	Hidden     []string   // hidden
	Inject     Inject     // inject.*
	Notify     Notify     // notify.*
	Deliver    Deliver    // deliver.*
	Queue      Queue      // queue.*
	Archive    Archive    // archive.*
	MCP        MCP        // mcp.*
	Instrument Instrument // instrument.*
	Cost       Cost       // cost.*
	Warnings   []string   // what was left out and why, one line each; Model adds those of its own keys

	env    func(string) string
	later  []later // the model's keys, lowest precedence first
	model  *workflow.Model
	limits *limits.Limits

	unread *later // remedy.rules, until Rules reads it
	rules  []Rule
}

// Inject is inject.*, user-only: what aburn gives to an agent unasked.
type Inject struct {
	ChainOnStart bool // inject.chain_on_start: after a compaction or resume, what this session logged
}

// Load merges the settings for p; a nil p means no project.
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

// LoadIn is Load for a caller that has opened p's .oss. Both are nil outside of any project.
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
		s.checkCurrency(own)
	}
	s.environment(own)
	return s
}

func (s *Settings) warn(text string) { s.Warnings = append(s.Warnings, text) }

// Watch is watch.*: the long-running follower.
type Watch struct {
	Linger time.Duration // watch.linger: how long it stays when no session is alive any more; 0 = until it is stopped
}

// Notify is notify.*, user-only: how a person is notified.
type Notify struct {
	Desktop bool     // notify.desktop
	Bell    bool     // notify.bell: the terminal's
	Command []string // notify.command as a list: a program and its arguments
	Line    string   // notify.command as a text: a line for the shell
	Min     float64  // notify.min: the lowest confidence of an issue that a person is notified of
}

// Deliver is deliver.*, user-only: what an agent receives besides the tasks at its prompts.
type Deliver struct {
	InTurn   []string // deliver.in_turn: types of issues, of limits.InTurn, that are told after a tool call; nil: none
	AtStop   bool     // deliver.at_stop: critical tasks also when the agent is about to stop, all tasks where no prompt will come
	AgentEnd bool     // deliver.agent_end: a line at the next prompt when an agent that it spawned has ended
}

// Queue is queue.*, user-only: which tasks are delivered, and for how long.
type Queue struct {
	Foreign bool          // queue.foreign: deliver tasks without aburn's signature too
	Expires time.Duration // queue.expires: how long a task is worth delivering
}

// MCP is mcp.*, user-only: what an agent may ask about.
type MCP struct {
	AllProjects bool // mcp.all_projects: sessions of other projects than its own too
	Workers     bool // mcp.workers: it may see the workers of its project, begin some, and write to them
}

// Instrument is instrument.*, user-only: `aburn instrument`.
type Instrument struct {
	MaxUSD    int64  // instrument.mcp.max_usd, in cents: an agent starts a run whose ceiling is below; 0: none
	Telemetry string // instrument.telemetry: where spans of its own work go; "" is nowhere
}

// Archive is archive.*, user-only: the archive of the agents' sessions.
type Archive struct {
	AtSessionEnd bool // archive.at_session_end: read the session files when a session ended in a marked project
	Retention    int  // archive.retention: days that a session is kept after its end; 0 = for ever
}
