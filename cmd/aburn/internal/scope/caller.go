// Package scope reads from a command line what a command is about: its project, its sessions, who calls.
// It also completes their names. Several families need that, so it imports none of them.
package scope

import (
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/term"
	"aburn/internal/workspace"
)

// BaseOf is the caller for a command that a person runs.
func BaseOf(a *kit.App, cmd *cli.Command) *workspace.Caller {
	return &workspace.Caller{Dir: cmd.String("C"), Env: a.Getenv, Now: time.Now(), Warn: a.Warn, Progress: term.New(a.Stderr, a.Getenv, true)}
}
