package costs

import (
	"context"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/lookup"
	"aburn/insight/cost"
	"aburn/internal/lab/synth/archived"
	"aburn/internal/lab/world"
	"aburn/internal/workspace"
)

// What of today's is in failed sessions is what the failed ones among the sessions with answers of today cost.
func TestFailedToday(t *testing.T) {
	world.Slow(t)
	now := time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)
	dir := t.TempDir()
	if _, err := archived.Make(context.Background(), dir, archived.Options{Units: 1500, Seed: 3, Now: now}); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"ABURN_HOME": dir + "/" + archived.ArchiveDir, "HOME": dir}
	c := &lookup.Caller{Caller: workspace.Quiet(dir, func(name string) string { return env[name] }, now)}
	c.Warn = func(msg string, _ ...string) { t.Error(msg) }
	c.Load = func(ctx context.Context, f archive.Filter) ([]digests.Session, error) {
		return digests.Load(ctx, env["ABURN_HOME"], f, nil)
	}
	ask := func(by cost.By, since string) *CostAnswer {
		t.Helper()
		answer, err := CostOf(context.Background(), c, CostQuery{Choice: lookup.Choice{Since: since}, By: by})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	list, err := c.Load(context.Background(), archive.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	failing := map[string]bool{}
	for i := range list {
		failing[list[i].Source+"/"+list[i].ID] = list[i].Judged().Failing()
	}
	sessions := ask(cost.BySession, "2026-11-20")
	failed, tokens, others := map[string]bool{}, int64(0), 0
	for _, g := range sessions.Groups {
		if root := sessions.sessions[g.Name].Root; failing[root] {
			failed[root] = true
			tokens += g.Tokens.Total()
		} else {
			others++
		}
	}
	if len(failed) == 0 || others == 0 {
		t.Fatalf("%d sessions failed, %d did not: nothing to tell apart", len(failed), others)
	}
	if f := ask(cost.ByDay, "").Failed; f.Sessions != len(failed) || f.Tokens.Total() != tokens {
		t.Errorf("%d sessions with %d tokens, want %d with %d", f.Sessions, f.Tokens.Total(), len(failed), tokens)
	}
	if f := ask(cost.ByMonth, "").Failed; f.Sessions != 0 {
		t.Errorf("a month has %d failed sessions of today", f.Sessions)
	}
}
