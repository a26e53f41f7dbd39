package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"aburn/cmd/aburn/internal/dashboard"
	"aburn/internal/lab/world"
	"aburn/worker"
	"aburn/worker/ledger"
)

// aburn top, the page and status lines count the same things that wait: what a worker asks, a worker whose gates failed too often, and
// what other sessions ask. Workers stand before other sessions, in the order of the board, and none of their sessions stands there again.
func TestTopCountsWorkers(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.headless("migrate-carts", "migrate the carts table")
	s.headless("fix-rounding", "fix the rounding of totals")
	s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--name", "export", "--gate", "exit 1", "finish the CSV export")
	for name, state := range map[string]string{"migrate-carts": "needs_input", "fix-rounding": "idle", "export": "working"} {
		s.until(name+" is "+state, s.is(name, state))
	}
	store, err := ledger.Open(s.project, func(name string) string { return map[string]string{"HOME": s.home}[name] })
	s.must(err)
	s.until("its gates are due", func() bool { return s.report("export").Reason == string(worker.Verifying) })
	s.until("its turn is over, so that it says nothing after that", func() bool {
		return strings.Count(s.read(filepath.Join(s.project, ".oss", "workflow.log")), `"event":"STOP"`) >= 2
	})
	for _, is := range []string{worker.GateStarted, worker.GateStarted, worker.GateStarted, worker.GateFailed} { // as rounds tell it
		s.must(store.Book("export").Append(ledger.Entry{Fact: worker.Fact{Kind: worker.Gated, Is: is, Gen: 1}}))
	}
	s.until("its gates failed", func() bool { return s.report("export").Reason == string(worker.VerifyFailed) })
	const other = "bbbb2222-0000-4000-8000-000000000002"
	w.begin(other, "list the prices")
	w.asks(other, "git push")
	w.serve("--no-ingest")
	w.until("/", "git push")
	w.until("/", "3 waiting</a>")
	var report dashboard.TopReport
	if err := json.Unmarshal([]byte(w.aburn("top", "--json", "--no-ingest")), &report); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, one := range report.Items {
		list = append(list, strings.TrimSpace(one.Group+" "+one.Kind+" "+one.Worker))
	}
	want := "waiting worker migrate-carts, waiting worker export, waiting permission, living worker fix-rounding"
	if got := strings.Join(list, ", "); report.Waiting != 3 || got != want {
		t.Errorf("it counts %d and lists %s, want %s", report.Waiting, got, want)
	}
	text := w.aburn("top", "--once", "--no-ingest")
	for _, part := range []string{"3 waiting · 0 stuck", "needs you: asks", "migrate-carts: psql", "needs you: gates failed", "fix-rounding: fix the rounding"} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q:\n%s", part, text)
		}
	}
	w.untilStatus("cccc3333-0000-4000-8000-000000000003", "opus-5.5 · 3 wait: project")
	s.ok("aburn", "answer", "migrate-carts", "allow")
	w.untilStatus("cccc3333-0000-4000-8000-000000000003", "opus-5.5 · 2 wait: project")
}

// A worker whose turn the user ended with it has not crashed: neither is it stuck, nor is its session, before and after its tree goes.
func TestKilledIsNotStuck(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.headless("slow-tests", "slowly find out which tests take longest")
	s.until("a call runs", func() bool { return strings.Contains(w.aburn("-C", s.project, "status"), "go test ./...") })
	s.ok("aburn", "kill", "slow-tests")
	s.until("the supervisor sees that it vanished", func() bool { return strings.Contains(w.aburn("-C", s.project, "status"), "abrupt_stop") })
	text := w.aburn("top", "--once", "--no-ingest")
	if !strings.Contains(text, "0 waiting · 0 stuck") || strings.Contains(text, "crashed") || !strings.Contains(text, "killed") {
		t.Errorf("after a kill:\n%s", text)
	}
	s.ok("aburn", "cleanup", "--force-preserve", "slow-tests")
	if text := w.aburn("top", "--once", "--no-ingest"); !strings.Contains(text, "0 waiting · 0 stuck") || strings.Contains(text, "slow-tests") {
		t.Errorf("after its tree is gone:\n%s", text)
	}
}
