package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"aburn/internal/lab/synth/home"
	"aburn/internal/lab/world"
	"aburn/trace"
)

// ccusage is the version whose answers docs/evidence/cost.md explains.
const ccusage = "ccusage@20.0.24"

// dayTokens are input, cache read, cache written, and output of a day.
type dayTokens [4]int64

// TestCostBesideCcusage compares the tokens of each day with ccusage's. Where they differ, the test knows by how much: it
// counts the truth as ccusage does.
func TestCostBesideCcusage(t *testing.T) {
	if testing.Short() {
		t.Skip("installs from npm")
	}
	t.Parallel()
	exe := installCcusage(t)
	o := home.Options{Size: 24 << 20, Seed: 2, Brief: true}
	if os.Getenv("ABURN_STORM") != "" {
		o = home.Options{Size: int64(world.Storm(16)) << 20, Seed: 1}
	}
	k := newCostTruth(t, o)
	for _, c := range []struct {
		agent string
		as    func(*costTruth, *testing.T) map[*home.Answer]seenAnswer
		same  bool // whether ours and theirs are equal
	}{{"claude", asTold, true}, {"codex", asTotals, false}, {"gemini", asOutput, false}} {
		for _, zone := range costZones {
			t.Run(c.agent+" in "+zone, func(t *testing.T) {
				location, err := time.LoadLocation(zone)
				if err != nil {
					t.Fatal(err)
				}
				theirs := k.ccusage(t, exe, c.agent, zone)
				equalDays(t, "as ccusage counts", k.days(c.agent, location, c.as(k, t)), theirs)
				ours := k.days(c.agent, location, asTold(k, t))
				if differ := len(differentDays(ours, theirs)); (differ == 0) != c.same {
					t.Errorf("%d of %d days differ from ours", differ, len(ours))
				} else {
					t.Logf("%d of %d days differ from ours", differ, len(ours))
				}
			})
		}
	}
}

// seenAnswer is an answer as somebody counts it.
type seenAnswer struct {
	at     int64
	output int64
}

// asTold counts each answer when it came.
func asTold(k *costTruth, _ *testing.T) map[*home.Answer]seenAnswer {
	all := map[*home.Answer]seenAnswer{}
	for _, a := range k.answers {
		all[a] = seenAnswer{a.Time, a.Output}
	}
	return all
}

// asOutput leaves thinking out.
func asOutput(k *costTruth, _ *testing.T) map[*home.Answer]seenAnswer {
	all := map[*home.Answer]seenAnswer{}
	for _, a := range k.answers {
		all[a] = seenAnswer{a.Time, a.Output - a.Reasoning}
	}
	return all
}

// asTotals counts an answer when Codex's running total told it, and not at all if none did. Where the first two totals of a
// fork or spawned sub-agent are less than a second apart, they and those that follow as fast are taken for a replay of its
// parent's.
func asTotals(k *costTruth, t *testing.T) map[*home.Answer]seenAnswer {
	sessions, err := home.Sessions(k.dir)
	if err != nil {
		t.Fatal(err)
	}
	inherits := map[string]bool{}
	for i := range sessions {
		s := &sessions[i]
		inherits[s.Source+"/"+s.ID] = s.Kind == trace.Fork || s.Kind == trace.Subagent && s.AgentType != "review"
	}
	bySession := map[string][]*home.Answer{}
	for _, a := range k.answers {
		if a.Counted > 0 {
			bySession[a.Session] = append(bySession[a.Session], a)
		}
	}
	all := map[*home.Answer]seenAnswer{}
	for id, list := range bySession {
		if inherits[id] {
			list = list[replayed(list):]
		}
		for _, a := range list {
			all[a] = seenAnswer{a.Counted, a.Output}
		}
	}
	return all
}

// replayed is how many answers at the beginning look like a replay.
func replayed(list []*home.Answer) int {
	for i, a := range list {
		fast := a.Recounted > 0 || i+1 < len(list) && list[i+1].Counted-a.Counted < 1000
		if !fast {
			if i > 0 {
				return i + 1 // the last one of a series
			}
			return 0
		}
		if a.Recounted > 0 && (i+1 == len(list) || list[i+1].Counted-a.Recounted >= 1000) {
			return i + 1
		}
	}
	return len(list)
}

func (k *costTruth) days(agent string, zone *time.Location, as map[*home.Answer]seenAnswer) map[string]dayTokens {
	days := map[string]dayTokens{}
	for _, a := range k.answers {
		if s, ok := as[a]; ok && a.Agent == agent {
			day := time.UnixMilli(s.at).In(zone).Format(time.DateOnly)
			d := days[day]
			for i, n := range [4]int64{a.Input, a.CacheRead, a.Write5m + a.Write1h + a.Write, s.output} {
				d[i] += n
			}
			days[day] = d
		}
	}
	return days
}

// ccusage is what it says of each day.
func (k *costTruth) ccusage(t *testing.T, exe, agent, zone string) map[string]dayTokens {
	t.Helper()
	h := filepath.Join(k.dir, "home")
	cmd := exec.CommandContext(t.Context(), exe, agent, "daily", "--offline", "--json", "--timezone", zone)
	cmd.Dir, cmd.Env = h, []string{"HOME=" + h, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ccusage: %v\n%.2000s", err, errorOutput(err))
	}
	var report struct {
		Daily []struct {
			Date                string
			InputTokens         int64
			CacheReadTokens     int64
			CacheCreationTokens int64
			OutputTokens        int64
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	days := map[string]dayTokens{}
	for _, d := range report.Daily {
		days[d.Date] = dayTokens{d.InputTokens, d.CacheReadTokens, d.CacheCreationTokens, d.OutputTokens}
	}
	return days
}

// differentDays lists the days on which two differ.
func differentDays(a, b map[string]dayTokens) (days []string) {
	for day := range a {
		if a[day] != b[day] {
			days = append(days, day)
		}
	}
	for day := range b {
		if _, ok := a[day]; !ok {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	return days
}

func equalDays(t *testing.T, what string, want, got map[string]dayTokens) {
	t.Helper()
	if len(got) < 5 {
		t.Errorf("only %d days", len(got))
	}
	for _, day := range differentDays(want, got) {
		t.Errorf("%s, %s has %d, not %d", what, day, want[day], got[day])
	}
}

// installCcusage installs it in a temporary folder, and skips the test where that does not go.
func installCcusage(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not on PATH")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), npm, "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", ccusage)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install %s: %.500s", ccusage, out)
	}
	exe := filepath.Join(dir, "node_modules", ".bin", "ccusage")
	check := exec.CommandContext(t.Context(), exe, "--version")
	check.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	if out, err := check.CombinedOutput(); err != nil {
		t.Skipf("%s has no executable for this system: %.300s", ccusage, out)
	}
	return exe
}
