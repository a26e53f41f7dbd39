//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestDashboard: what --dashboard prints is a dashboard by Grafana's schema, as far as it uses that, and a lead's role gets an
// answer to each of its queries.
func TestDashboard(t *testing.T) {
	text := newMachine(t).must("--dashboard")
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile("testdata/dashboard.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	var board struct {
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ RawSQL, Format string }
		}
	}
	if err := json.Unmarshal([]byte(text), &board); err != nil {
		t.Fatal(err)
	}
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies on %q at %d, %d", p.Title, other, x, y)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
	k := newTeam(t, "dashboard1")
	m := newMachine(t)
	m.fill(5, 4)
	m.push(k.address("dashboard1"))
	for _, kind := range []string{"true", "false"} { // what a damaged archive might say
		k.sql(`INSERT INTO aburn.days SELECT id, '2026-10-02', '2026-10-02', 'project 0', 'claude', 'claude-opus-5-5', '', '', ` + kind +
			`, false, n, n, n, n, n, n, n, n
			FROM aburn.machines, (VALUES (9223372036854775807)) v (n)`)
	}
	lead := k.as("lead")
	macros := strings.NewReplacer("$__timeFilter(day)", "day BETWEEN '2026-01-01T00:00:00Z' AND '2026-12-31T23:59:59Z'", "${project:sqlstring}",
		"'project 0','project 1','project 2'")
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			rows, err := lead.Query(t.Context(), macros.Replace(target.RawSQL))
			if err != nil {
				t.Errorf("%s: %v", p.Title, err)
				continue
			}
			all, err := pgx.CollectRows(rows, pgx.RowToMap)
			if err != nil || len(all) == 0 || all[0] == nil {
				t.Errorf("%s: %d rows, %v", p.Title, len(all), err)
			} else if _, ok := all[0]["time"].(time.Time); target.Format == "time_series" && !ok {
				t.Errorf("%s: no column of times", p.Title)
			}
		}
	}
	for _, v := range board.Templating.List {
		if v.Type == "query" && k.text(lead, v.Query) == "" {
			t.Errorf("%s: no values", v.Name)
		}
	}
}
