package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/synth/bill"
	"aburn/internal/lab/synth/home"
	"aburn/internal/lab/world"
)

// costZones have days of 23 and 25 hours, half hours, and neither.
var costZones = []string{"UTC", "America/Los_Angeles", "Asia/Kolkata"}

// costTruth is a home whose answers are known, and the calculation of what they cost.
type costTruth struct {
	*testing.T
	dir     string
	answers []*home.Answer
	prices  *bill.Prices
	groups  int // that were compared
}

// TestCostIsTheTruth compares what `aburn cost --json` says about generated homes with what was written into them, priced by
// other code in fractions. ABURN_STORM=128 makes homes of 2 GB.
func TestCostIsTheTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("it prices 2,000 answers in 27 ways")
	}
	t.Parallel()
	o := home.Options{Size: 16 << 20, Brief: true}
	if os.Getenv("ABURN_STORM") != "" {
		o = home.Options{Size: int64(world.Storm(16)) << 20}
	}
	kinds := map[string]int{}
	for seed := range uint64(2) {
		o.Seed = seed + 1
		t.Run(fmt.Sprintf("seed %d", o.Seed), func(t *testing.T) {
			k := newCostTruth(t, o)
			k.compareAll()
			k.kinds(kinds)
		})
	}
	for kind, n := range kinds {
		if n == 0 {
			t.Errorf("no answer is %s", kind)
		}
	}
	t.Logf("answers: %v", kinds)
}

func newCostTruth(t *testing.T, o home.Options) *costTruth {
	t.Helper()
	k := &costTruth{T: t, dir: t.TempDir()}
	if _, err := home.Make(k.dir, o); err != nil {
		t.Fatal(err)
	}
	for a, err := range home.Answers(k.dir) {
		if err != nil {
			t.Fatal(err)
		}
		k.answers = append(k.answers, a)
	}
	text, err := os.ReadFile("../../insight/cost/prices.json")
	if err == nil {
		k.prices, err = bill.Read(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// aburn runs the command in another process, in the home.
func (k *costTruth) aburn(args ...string) []byte {
	k.Helper()
	h := filepath.Join(k.dir, "home")
	cmd := exec.Command("aburn", args...)
	cmd.Dir, cmd.Env = h, []string{"HOME=" + h, "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	out, err := cmd.Output()
	if err != nil {
		k.Fatalf("aburn %q: %v\n%.2000s", args, err, errorOutput(err))
	}
	return out
}

func errorOutput(err error) []byte {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.Stderr
	}
	return nil
}

func (k *costTruth) compareAll() {
	k.aburn("ingest")
	for _, by := range []string{"day", "week", "month", "project", "model", "agent", "branch", "session", "block"} {
		for _, zone := range costZones {
			k.compare(by, zone)
		}
	}
	k.Logf("%d answers, %d groups compared", len(k.answers), k.groups)
}

// kinds counts kinds of answers.
func (k *costTruth) kinds(n map[string]int) {
	days := map[string]string{}
	for _, a := range k.answers {
		c := k.prices.Of(a)
		day := time.UnixMilli(a.Time).UTC().Format("01-02")
		last := days[a.Session]
		days[a.Session] = day
		for kind, has := range map[string]bool{
			"without a price": len(c.Unpriced) > 0, "known from below": c.AtLeast, "of a doubted price": c.Uncertain,
			"written for 5 minutes": a.Write5m > 0, "written for an hour": a.Write1h > 0, "written for an unknown time": a.Write > 0,
			"fast": a.Tier == "fast", "batch": a.Tier == "batch", "of a tier without a price": a.Tier == "priority", "served in the US": a.Geo == "us",
			"with searches":  a.Searches > 0,
			"of a sub-agent": a.Root != a.Session, "on no branch": a.Branch == "", "on a branch": a.Branch != "", "above 100,000 tokens": a.Input+a.CacheRead > 100_000,
			"above 272,000 tokens": a.Input+a.CacheRead > 272_000, "of a dated model": strings.HasSuffix(a.Model, "-20251001"),
			"after midnight": last != "" && last != day, "after a month's end": last != "" && last[:2] != day[:2],
		} {
			n[kind] += map[bool]int{true: 1}[has]
		}
	}
}

type costGroup struct {
	Name      string           `json:"name"`
	Agent     string           `json:"agent"`
	Sessions  int              `json:"sessions"`
	Responses int              `json:"responses"`
	Tokens    costTokens       `json:"tokens"`
	Searches  int64            `json:"web_searches"`
	USD       string           `json:"usd"`
	AtLeast   bool             `json:"at_least"`
	Uncertain bool             `json:"uncertain"`
	Unpriced  map[string]int64 `json:"unpriced"`
}

type costTokens struct {
	Input     int64 `json:"input"`
	CacheRead int64 `json:"cache_read"`
	Write5m   int64 `json:"cache_write_5m"`
	Write1h   int64 `json:"cache_write_1h"`
	Write     int64 `json:"cache_write"`
	Output    int64 `json:"output"`
}

func (k *costTruth) compare(by, zone string) {
	k.Helper()
	var report struct {
		Timezone string
		Rows     []costGroup
		Total    costGroup
	}
	if err := json.Unmarshal(k.aburn("cost", "--json", "--by", by, "--timezone", zone), &report); err != nil {
		k.Fatal(err)
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		k.Fatal(err)
	}
	want, all := bill.Groups(k.prices, k.answers, by, location)
	where := by + " in " + zone
	if report.Timezone != zone || len(report.Rows) != len(want) {
		k.Errorf("%s: zone %s, %d groups, want %d", where, report.Timezone, len(report.Rows), len(want))
	}
	seen := map[bill.Key]bool{}
	for i := range report.Rows {
		g := &report.Rows[i]
		key := bill.Key{Name: g.Name, Agent: g.Agent}
		switch w := want[key]; {
		case w == nil:
			k.Errorf("%s: nothing belongs to %q", where, key)
		case seen[key]:
			k.Errorf("%s: %q comes twice", where, key)
		default:
			k.same(where+": "+g.Name, g, w)
		}
		seen[key] = true
	}
	k.same(where+": total", &report.Total, all)
}

// same compares a group to the last token and to 10⁻¹² dollar.
func (k *costTruth) same(where string, got *costGroup, want *bill.Group) {
	k.Helper()
	k.groups++
	t := &got.Tokens
	tokens := [6]int64{t.Input, t.CacheRead, t.Write5m, t.Write1h, t.Write, t.Output}
	if got.Sessions != len(want.Sessions) || got.Responses != want.Responses || tokens != want.Tokens || got.Searches != want.Searches {
		k.Errorf("%s: %d sessions, %d answers, tokens %d, %d searches; want %d, %d, %d, %d", where, got.Sessions, got.Responses, tokens, got.Searches,
			len(want.Sessions), want.Responses, want.Tokens, want.Searches)
	}
	usd, ok := new(big.Rat).SetString(got.USD)
	if !ok || usd.Cmp(want.USD) != 0 {
		k.Errorf("%s: $%s, want $%s", where, got.USD, want.USD.FloatString(15))
	}
	if !maps.Equal(got.Unpriced, want.Unpriced) {
		k.Errorf("%s: without a price %v, want %v", where, got.Unpriced, want.Unpriced)
	}
	if lower := want.AtLeast || len(want.Unpriced) > 0; got.AtLeast != lower || got.Uncertain != want.Uncertain {
		k.Errorf("%s: at least %v, uncertain %v; want %v, %v", where, got.AtLeast, got.Uncertain, lower, want.Uncertain)
	}
}
