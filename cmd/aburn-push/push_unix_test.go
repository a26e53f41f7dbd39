//go:build unix

package main

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/insight/cost"
	"aburn/internal/agentcli"
)

// totals are sums by a word: what the archives say and what the database says must be the same lines.
type totals map[string]*big.Rat

func (t totals) add(key string, n int64) { t.rat(key, new(big.Rat).SetInt64(n)) }

func (t totals) rat(key string, n *big.Rat) {
	if t[key] == nil {
		t[key] = new(big.Rat)
	}
	t[key].Add(t[key], n)
}

func (t totals) lines() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(t)) {
		if t[key].Sign() != 0 {
			fmt.Fprintf(&b, "%s = %s\n", key, t[key].FloatString(15))
		}
	}
	return b.String()
}

// count sums what an archive says, response by response, priced by package cost and never by the database.
func (m *machine) count(t totals) {
	m.Helper()
	arch, err := archive.View(m.Context(), m.archive())
	if err != nil {
		m.Fatal(err)
	}
	defer arch.Close()
	list, err := arch.Outlines(m.Context(), archive.Filter{})
	if err != nil {
		m.Fatal(err)
	}
	named := map[string]string{}
	for _, word := range m.names {
		dir, name, _ := strings.Cut(word, "=")
		named[dir] = name
	}
	sessions := map[int64]archive.Outline{}
	for _, s := range list {
		if named[s.Project] != "" {
			sessions[s.Key] = s
		}
	}
	prices := cost.Shipped()
	err = arch.EachAnswers(m.Context(), func(key int64) bool { return sessions[key].Key != 0 }, func(key int64, answers []archive.Answer) error {
		s := sessions[key]
		hides := agentcli.Of(s.Source).Traits.HidesCacheWrites && !slices.ContainsFunc(answers, func(a archive.Answer) bool { return a.Usage.CacheWrite > 0 })
		for _, a := range answers {
			where := a.Time.Local().Format(time.DateOnly) + " " + named[s.Project] + " " + s.Source
			u := a.Usage
			t.add(where+" answers", 1)
			t.add(where+" input", u.Input)
			t.add(where+" cache read", u.CacheRead)
			t.add(where+" cache written", u.CacheWrite)
			t.add(where+" output", u.Output)
			t.add(where+" searches", u.Searches)
			sum := prices.Price(cost.Response{Time: a.Time, Model: a.Model, Tier: cost.Tier(a.Tier), Geo: a.Geo, Searches: u.Searches, WritesUnknown: hides,
				Tokens: cost.Tokens{Input: u.Input, CacheRead: u.CacheRead, Write5m: u.CacheWrite5m, Write1h: u.CacheWrite1h,
					Write: u.CacheWrite - u.CacheWrite5m - u.CacheWrite1h, Output: u.Output}})
			t.rat(where+" usd", big.NewRat(int64(sum.Amount), 1e12))
			t.add(where+" unpriced", sum.UnpricedTokens())
			if sum.Lower() {
				t[where+" at least"] = big.NewRat(1, 1)
			}
			if sum.Uncertain {
				t[where+" uncertain"] = big.NewRat(1, 1)
			}
		}
		return nil
	})
	if err != nil {
		m.Fatal(err)
	}
	all, err := digests.Load(m.Context(), m.archive(), archive.Filter{}, nil)
	if err != nil {
		m.Fatal(err)
	}
	for _, d := range all {
		if named[d.Project.Key] == "" {
			continue
		}
		where := "sessions of " + named[d.Project.Key] + " " + d.Source + " " + string(d.Outcome())
		t.add(where, 1)
		t.add(where+" calls", int64(d.Counts.Calls))
		t.add(where+" failed", int64(d.Counts.Failed))
		for _, c := range d.Classes {
			t.add("errors of "+named[d.Project.Key]+" "+d.Source+" "+string(c.Class), int64(c.Count))
		}
	}
}

// count sums what the database's views say.
func (k *team) count() string {
	k.Helper()
	t := totals{}
	for line := range strings.Lines(k.text(k.as("lead"), `
		SELECT concat_ws('|', concat_ws(' ', day, project, agent, word), n) FROM aburn.costs CROSS JOIN LATERAL (VALUES
			('answers', answers::numeric), ('input', input), ('cache read', cache_read), ('cache written', cache_written), ('output', output), ('searches', web_searches),
			('usd', usd), ('unpriced', unpriced)) v (word, n)
		UNION ALL SELECT DISTINCT concat_ws(' ', day, project, agent, 'at least|1') FROM aburn.costs WHERE at_least
		UNION ALL SELECT DISTINCT concat_ws(' ', day, project, agent, 'uncertain|1') FROM aburn.costs WHERE uncertain
		UNION ALL SELECT concat_ws('|', concat_ws(' ', 'sessions of', project, agent, concat(outcome, word)), n) FROM aburn.outcomes CROSS JOIN LATERAL (VALUES
			('', sessions::numeric), (' calls', calls), (' failed', failed)) v (word, n)
		UNION ALL SELECT concat_ws('|', concat_ws(' ', 'errors of', project, agent, class), sum(count)) FROM aburn.errors GROUP BY project, agent, class`)) {
		key, n, _ := strings.Cut(strings.TrimSpace(line), "|")
		number, ok := new(big.Rat).SetString(n)
		if !ok {
			k.Fatalf("%q is no number", line)
		}
		t.rat(key, number)
	}
	return t.lines()
}

// equal compares the database with the archives.
func (k *team) equal(when string, machines []*machine) {
	k.Helper()
	want := totals{}
	for _, m := range machines {
		m.count(want)
	}
	if got, want := k.count(), want.lines(); got != want {
		k.Errorf("%s: the sums differ:\n%s", when, firstDifference(got, want))
	}
	k.Logf("%s: %d sums are equal", when, len(want))
}

func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("database: %s\narchives: %s (line %d of %d and %d)", a[i], b[i], i, len(a), len(b))
		}
	}
	return fmt.Sprintf("%d and %d lines", len(a), len(b))
}

// TestFiftyMachines: what the database says in sum is what fifty archives say, answer by answer, whatever was repeated,
// reordered, corrected or deleted.
func TestFiftyMachines(t *testing.T) {
	n := 50
	if testing.Short() {
		n = 5
	}
	var roles []string
	for i := range n {
		roles = append(roles, fmt.Sprintf("dev%d", i))
	}
	k := newTeam(t, roles...)
	var machines []*machine
	for i := range n {
		m := newMachine(t)
		if i < 10 {
			m.fill(uint64(i), 1)
		} else {
			m.copy(machines[i%10]) // equal rows of several machines count for each
		}
		machines = append(machines, m)
		m.push(k.address(roles[i]))
	}
	k.equal("pushed", machines)
	before := k.contents()
	for i := range slices.Backward(machines) {
		if out := machines[i].push(k.address(roles[i])); !strings.Contains(out, "nothing is new") {
			t.Errorf("repeated: %s", out)
		}
	}
	if k.contents() != before {
		t.Error("a repeated push changed rows")
	}
	for i, m := range machines[:n/5] { // other sessions, and more
		m.fill(uint64(1000+i), 4)
		m.push(k.address(roles[i]))
	}
	k.equal("corrected", machines)
	for i, m := range machines[:n/5] {
		m.expireHalf()
		m.push(k.address(roles[i]))
	}
	k.equal("deleted", machines)
	machines[0].must("--forget", "--yes", k.address(roles[0]))
	k.equal("forgotten", machines[1:])
}

// expireHalf deletes the older half of the archive's sessions.
func (m *machine) expireHalf() {
	m.Helper()
	arch, err := archive.Open(m.Context(), m.archive())
	if err != nil {
		m.Fatal(err)
	}
	defer arch.Close()
	list, err := arch.Outlines(m.Context(), archive.Filter{})
	if err != nil {
		m.Fatal(err)
	}
	slices.SortFunc(list, func(a, b archive.Outline) int { return a.End.Compare(b.End) })
	if n, err := arch.Expire(m.Context(), list[len(list)/2].End); err != nil || n == 0 {
		m.Fatalf("%d of %d sessions deleted: %v", n, len(list), err)
	}
}
