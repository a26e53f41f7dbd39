package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"aburn/cmd/aburn/internal/archiving"
	"aburn/cmd/aburn/internal/costs"
	"aburn/cmd/aburn/internal/dashboard"
	"aburn/cmd/aburn/internal/sessions"
	"aburn/cmd/aburn/internal/supervise"
	"aburn/cmd/aburn/internal/target"
	"aburn/cmd/aburn/internal/undo"
	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/aburn/internal/work/spawn"
	"aburn/history/handoff"
	"aburn/history/why"
	"aburn/insight/forest"
	"aburn/insight/lesson"
	"aburn/insight/queries"
	"aburn/insight/remedy"
	"aburn/insight/replay"
	"aburn/insight/report"
	"aburn/insight/toolcalls"
	"aburn/supervisor/status"
	"aburn/worker/config"
	"aburn/worker/daemon"
	"aburn/worker/describe"
	"aburn/worker/manager"
	"aburn/worker/overview"
)

// Every member that these commands print stands in docs/formats/json.md (those of tasks in queue.md), in the part about its command.
func TestJSONPage(t *testing.T) {
	page := readPage(t, "json.md")
	parts := strings.Split(page, "\n## ")
	part := func(title string) string {
		for _, p := range parts {
			if strings.HasPrefix(p, title+"\n") {
				return p
			}
		}
		t.Fatalf("no part %q", title)
		return ""
	}
	issue, look := part("An issue"), part("`aburn supervisor`")
	for _, c := range []struct {
		name string
		of   any
		in   string
	}{
		{"issue", status.AdviceReport{}, issue}, {"issue of watch", supervise.WatchLine{}, issue + part("`aburn supervisor watch`")},
		{"look", status.LookReport{}, look + issue}, {"explain", supervise.ExplainReport{}, look + issue},
		{"status", status.StatusPrinted{}, part("`aburn status`") + look + issue},
		{"proof", status.Proof{}, part("`aburn proof`")},
		{"report", supervise.AdviceTotals{}, part("`aburn supervisor report`")},
		{"backtest", supervise.BacktestReport{}, part("`aburn supervisor backtest`")},
		{"ingest", archiving.IngestReport{}, part("`aburn ingest`")}, {"ingest --check", archiving.IngestCheckReport{}, part("`aburn ingest`")},
		{"sessions", sessions.SessionsReport{}, part("`aburn sessions`")},
		{"show", sessions.DifferencesReport{}, part("`aburn show`")},
		{"undo", undo.Report{}, part("`aburn undo`")},
		{"search", sessions.SearchReport{}, part("`aburn search`") + part("`aburn sessions`")},
		{"why", why.Answer{}, part("`aburn why`") + part("`aburn sessions`") + part("`aburn cost`")},
		{"commits", why.List{}, part("`aburn commits`") + part("`aburn why`") + part("`aburn cost`")},
		{"notes write", why.Noted{}, part("`aburn notes write`")},
		{"handoff", handoff.Briefing{}, part("`aburn handoff`")},
		{"keep", archiving.KeptReport{}, part("`aburn keep`")},
		{"graph", forest.GraphReport{}, part("`aburn graph`")}, {"tools", toolcalls.Report{}, part("`aburn tools`")},
		{"export", archiving.SentReport{}, part("`aburn export`")},
		{"report of sessions", report.Report{}, part("`aburn report`")},
		{"replay", replay.Replay{}, part("`aburn replay`")},
		{"remedy", remedy.Answer{}, part("`aburn remedy`") + part("`aburn replay`")},
		{"remedy --applied", queries.AppliedReport{}, part("`aburn remedy`")},
		{"lessons", lesson.Lessons{}, part("`aburn lessons`")},
		{"top", dashboard.TopReport{}, part("`aburn top`")},
		{"cost", costs.CostReport{}, part("`aburn cost`")}, {"prices", costs.PricesReport{}, part("`aburn cost prices`")},
		{"spawn", spawn.Report{}, part("`aburn spawn`")}, {"notice", daemon.NoticeReport{}, part("A notice of `aburn daemon start`")},
		{"send", manager.Sent{}, part("`aburn send`")}, {"project ls", work.ProjectReport{}, part("`aburn project`")},
		{"prompt", spawn.PromptReport{}, part("`aburn spawn`")}, {"ps", overview.WorkerReport{}, part("`aburn ps`")},
		{"cleanup", manager.Cleanup{}, part("`aburn cleanup`")},
		{"kill", target.Acted{}, part("`aburn kill`, `interrupt`, `answer`, `resume`, `daemon stop`")},
		{"snapshots", describe.SnapshotReport{}, part("`aburn snapshots`")}, {"restore", work.RestoreReport{}, part("`aburn snapshots`")},
		{"diff", work.DiffReport{}, part("`aburn diff`")}, {"merge", manager.Merge{}, part("`aburn merge`")}, {"pr", manager.PullRequest{}, part("`aburn pr`")},
		{"sync", manager.Sync{}, part("`aburn sync`")}, {"config check", config.Config{}, part("`aburn config check`")},
		{"rules file", work.ConfigReport{}, part("`aburn config check`")}, {"overlap", manager.Overlap{}, part("`aburn overlap`")},
		{"queue", supervise.QueueReport{}, part("`aburn queue`") + readPage(t, "queue.md")},
	} {
		for _, member := range members(reflect.TypeOf(c.of)) {
			if !strings.Contains(c.in, "`"+member+"`") {
				t.Errorf("%s: %s is not in the page", c.name, member)
			}
		}
	}
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/formats/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// members are the names that a value of this type has in JSON, at any depth.
func members(typ reflect.Type) (names []string) {
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice:
		return members(typ.Elem())
	case reflect.Struct:
	default:
		return nil
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name != "" {
			names = append(names, name)
		}
		if f.Anonymous || f.IsExported() {
			names = append(names, members(f.Type)...)
		}
	}
	return names
}
