package scope

import (
	"fmt"
	"time"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/recent"
	"aburn/internal/workspace"
	"aburn/logfmt"
)

// HandToHook prints the entry for the agent's hook, which runs outside of the sandbox and reads this command's output. It
// fails unless the log shows that hooks of the session are at work.
func HandToHook(a *kit.App, w *workspace.Workspace, e *logfmt.Entry) error {
	e.ID, e.Time = journal.NewID(), time.Now()
	hooked := recent.Hooked(func(yield func([]byte) bool) { workspace.RecentLines(w, yield) }, e.Session)
	if e.Session == "" || !(e.Event.Lifecycle() || e.Event.OfWorker()) || !hooked {
		return fault.Failed("not logged: the log is read-only here, and it shows no hook of this session that could append the entry",
			"aburn install-hooks, in Codex then /hooks to trust them", "outside of an agent, check the permissions of .oss/")
	}
	line, err := e.AppendJSON([]byte(logfmt.RelayPrefix))
	if err != nil {
		return fault.Failed("not logged: " + err.Error())
	}
	_, err = fmt.Fprintf(a.Stdout, "%s\n", line)
	return err
}
