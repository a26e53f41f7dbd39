package lookup

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/project"
	"aburn/trace"
	"aburn/trace/readers"
)

// NoSessions is the answer of every command and page on a machine without a saved session. LookedIn is the line after it.
const NoSessions = "no agent has saved sessions here yet"

// LookedIn says in which folders aburn looks for sessions. It is "" if there is something in one of them: then a missing
// session has another reason. It asks the readers, not the archive.
func LookedIn(ctx context.Context, env func(string) string) string {
	var folders []string
	for _, r := range readers.Readers() {
		if agentcli.Of(r.Name()).Traits.Recorded {
			continue
		}
		first, stores := "", 0
		err := r.Find(ctx, trace.Places{Home: env("HOME"), Getenv: env, Opened: func(dir string, _ time.Time) {
			if first == "" {
				first = dir
			}
		}}, func(trace.Store) error {
			stores++
			return nil
		})
		if stores > 0 || err != nil {
			return ""
		}
		if filepath.IsAbs(first) {
			folders = append(folders, project.Tilde(first, env))
		}
	}
	if len(folders) == 0 {
		return "aburn could look nowhere, because HOME is not set"
	}
	slices.Sort(folders)
	return "aburn looked in " + strings.Join(folders, ", ")
}
