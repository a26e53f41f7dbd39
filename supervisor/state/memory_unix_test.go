//go:build unix && !race

package state

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/drawn"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

const memoryWorker = "ABURN_TEST_MEMORY_WORKER"

// A log of any length is folded in less than 64 MiB: measured of a real process that
// reads a log which is never whole in memory. ABURN_STORM=170 makes it 10 GB. (The
// race detector takes more than that.)
func TestMemoryOfLongLog(t *testing.T) {
	world.Slow(t)
	if size := os.Getenv(memoryWorker); size != "" {
		n, _ := strconv.ParseInt(size, 10, 64)
		foldBytes(n)
		return
	}
	size := int64(world.Storm(60)) << 20
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryOfLongLog$", "-test.v")
	cmd.Env = []string{memoryWorker + "=" + strconv.FormatInt(size, 10)}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, rest, ok := strings.Cut(string(out), "peak ")
	peak, err := strconv.ParseInt(strings.Fields(rest + " x")[0], 10, 64)
	if !ok || err != nil {
		t.Fatalf("no peak in\n%s", out)
	}
	t.Logf("%d MiB of log, peak %d MiB", size>>20, peak>>20)
	if peak > 64<<20 {
		t.Errorf("%d MiB of log took %d MiB of memory", size>>20, peak>>20)
	}
}

// foldBytes folds so many bytes of a log with thousands of sessions, of which the
// texts never come again, and prints what that took.
func foldBytes(size int64) {
	model := workflow.Default()
	s := New(&model, limits.Default())
	var line []byte
	at := drawn.Epoch
	for n, done := 0, int64(0); done < size; n++ {
		at = at.Add(time.Second)
		session := n / 5000 * 40
		e := logfmt.Entry{
			Time: at, Cmd: "build", Phase: "GREEN", Event: []logfmt.Event{logfmt.Prompt, logfmt.ToolStart, logfmt.ToolStart, logfmt.Tool, logfmt.AgentSpawn,
				logfmt.Milestone, logfmt.Permission, logfmt.Complete, logfmt.Start}[n%9],
			Session: logfmt.SessionID(fmt.Sprint("session-", session+n%40)), Seq: logfmt.Seq(n + 1), ID: fmt.Sprintf("%016x", n), Source: "claude",
		}
		if n%5 == 0 {
			e.Agent = &logfmt.Agent{Type: fmt.Sprint("kind", n), ID: fmt.Sprint("agent", n/50)}
		}
		e.Data = fmt.Appendf(nil,
			`{"tool":"Bash","tool_use_id":"call%d","head":"go test ./%d -run '%s'","path":"a/%d/x.go","sha256":"%064x","description":"step %d",`+
				`"outputs":["out/%d.md"],"agent_id":"agent%d","task_id":"T%d","exit_code":%d}`,
			n, n, strings.Repeat("TestOf", 30), n%5000, n, n, n, n/50, n, n%2)
		line, _ = e.AppendJSON(line[:0])
		s.ApplyLine(line, false)
		done += int64(len(line))
	}
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return
	}
	peak := int64(r.Maxrss)
	if runtime.GOOS != "darwin" {
		peak <<= 10
	}
	fmt.Println("peak", peak, "of", s.Entries, "entries, stored in", len(s.AppendJSON(nil)))
}
