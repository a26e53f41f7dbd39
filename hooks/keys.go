package hooks

import (
	"os"
	"time"

	"aburn/internal/lockfile"
	"aburn/internal/queue"
	"aburn/logfmt"
)

// keysWait is how long the beginning of a call waits for somebody who types, from when the payload was there.
const keysWait = 600 * time.Millisecond

// waitForKeys lets no call begin in a worker between somebody's last look at the log and the Enter that follows it. The
// client asks for a permission only after this hook has ended. So either the look finds the call's TOOL_START, and no key
// is pressed, or the Enter is read by the prompt and not by the question. Where nobody ever typed, it costs one lstat, and
// outside of workers nothing.
func (r *Run) waitForKeys(root *os.Root, entries []*logfmt.Entry) {
	if r.Env(workerVar) == "" || len(entries) == 0 || entries[len(entries)-1].Event != logfmt.ToolStart {
		return
	}
	if _, err := root.Lstat(queue.KeysLock); err != nil {
		return
	}
	r.guard()
	if lock, err := lockfile.Acquire(root, queue.KeysLock, time.Until(r.ready.Add(keysWait))); err == nil {
		lock.Release()
	}
}
