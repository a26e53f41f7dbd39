//go:build unix

package main

import (
	"fmt"
	"testing"
)

// sums are the views that show sums of all machines.
var sums = []string{"costs", "outcomes", "errors"}

// alone fills a team's tables with a project of two persons, one of a person with two machines, and one of a person with one.
func alone(t *testing.T) *team {
	k := newTeam(t, "anna", "ben", "cem")
	for i, row := range [][2]string{{"anna", "hers"}, {"anna", "hers"}, {"anna", "shared"}, {"ben", "shared"}, {"ben", "his"}} {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
		k.sql("INSERT INTO aburn.machines (id, owner) VALUES ($1, $2)", id, row[0])
		k.sql("INSERT INTO aburn.days VALUES ($1, '2026-11-20', '2026-11-20', $2, 'claude', 'opus', '', '', false, false, 1, 2, 3, 4, 5, 6, 7, 8)", id, row[1])
		k.sql("INSERT INTO aburn.sessions VALUES ($1, '2026-11-20', $3, $2, 'claude', false, now(), now(), 1, 'completed', 1, 1, 1, 0, 0)", id, row[1],
			fmt.Sprint("s", i))
		k.sql("INSERT INTO aburn.failures VALUES ($1, '2026-11-20', $2, 'claude', 'exit', 'e1-00', 1)", id, row[1])
	}
	return k
}

// TestSumsOfOnePerson: a sum over a project that one person alone pushes is that person's. Only they and leads see it, however many
// machines they have.
func TestSumsOfOnePerson(t *testing.T) {
	k := alone(t)
	for role, want := range map[string]string{"anna": "hers\nshared", "ben": "his\nshared", "cem": "shared", "lead": "hers\nhis\nshared",
		"owner": "hers\nhis\nshared"} {
		conn := k.as(role)
		for _, view := range sums {
			if got := k.text(conn, "SELECT DISTINCT project FROM aburn."+view+" ORDER BY 1"); got != want {
				t.Errorf("%s sees in %s the projects %q, want %q", role, view, got, want)
			}
		}
	}
}

// TestConditionsSeeNoHiddenRow: a condition of whoever asks is not asked about rows that the view hides or sums up. Else its error
// tells of them.
func TestConditionsSeeNoHiddenRow(t *testing.T) {
	k := alone(t)
	cem := k.as("cem")
	for _, view := range sums {
		for _, project := range []string{"hers", "his"} {
			query := fmt.Sprintf("SELECT count(*)::text FROM aburn.%s WHERE 1 / CASE WHEN project = '%s' THEN 0 ELSE 1 END = 1", view, project)
			if got := k.text(cem, query); got != "1" {
				t.Errorf("%s: %s", query, got)
			}
		}
	}
	open := k.text(k.owner, `SELECT relname::text FROM pg_class WHERE relnamespace = 'aburn'::regnamespace AND relkind = 'v'
		AND NOT coalesce('security_barrier=true' = ANY (reloptions), false)`)
	if open != "" {
		t.Errorf("views without security_barrier: %s", open)
	}
}
