package archive

import (
	"strings"
	"time"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// column is a column of the table sessions. A fact of a session is a field of Session and a row of sessionTable.
type column struct {
	name  string
	words bool                             // its texts have few values
	field func(s *Session) any             // points to the fact: a *string, *int, *int64, *float64, *time.Time, *trace.Outcome or *trace.Relation
	extra func(p *Packed, store int64) any // instead of field, for what only the archive itself needs
}

// sessionTable lists the columns behind the key, in order. A time is in milliseconds since 1970.
var sessionTable = [...]column{
	{name: "source", words: true, field: func(s *Session) any { return &s.Source }},
	{name: "id", field: func(s *Session) any { return &s.ID }},
	{name: "store", extra: func(_ *Packed, store int64) any { return store }}, // cursors.store, 0 once it is gone
	{name: "agent", words: true, field: func(s *Session) any { return &s.Agent.Name }},
	{name: "version", words: true, field: func(s *Session) any { return &s.Agent.Version }},
	{name: "project", words: true, field: func(s *Session) any { return &s.Project.Path }},
	{name: "project_key", words: true, field: func(s *Session) any { return &s.Project.Key }},
	{name: "start", field: func(s *Session) any { return &s.Start }},
	{name: "ended", field: func(s *Session) any { return &s.End }},
	{name: "active_ms", field: func(s *Session) any { return &s.ActiveMS }},
	{name: "worked", extra: func(p *Packed, _ int64) any { return p.worked }}, // its last prompt, answer or call
	{name: "closed", extra: func(p *Packed, _ int64) any { return p.closed }}, // the end that its trace records, if no work follows
	{name: "outcome", words: true, field: func(s *Session) any { return &s.Stated }},
	{name: "outcome_from", words: true, field: func(s *Session) any { return &s.StatedFrom }},
	{name: "relation", words: true, field: func(s *Session) any { return &s.Relation }},
	{name: "path", field: func(s *Session) any { return &s.Path }},
	{name: "ask", field: func(s *Session) any { return &s.Ask }},
	{name: "root", extra: func(p *Packed, _ int64) any { return p.root }}, // trace.Lineage.Root
	{name: "scrub", extra: func(p *Packed, _ int64) any { return p.scrub }},
	{name: "sum", extra: func(p *Packed, _ int64) any { return p.sum }}, // of the trace as its reader gave it, before sessions were linked
	{name: "events", field: func(s *Session) any { return &s.Counts.Events }},
	{name: "prompts", field: func(s *Session) any { return &s.Counts.Prompts }},
	{name: "responses", field: func(s *Session) any { return &s.Counts.Responses }},
	{name: "calls", field: func(s *Session) any { return &s.Counts.Calls }},
	{name: "failed", field: func(s *Session) any { return &s.Counts.Failed }},
	{name: "denied", field: func(s *Session) any { return &s.Counts.Denied }},
	{name: "no_result", field: func(s *Session) any { return &s.Counts.NoResult }},
	{name: "subagents", field: func(s *Session) any { return &s.Counts.Subagents }},
	{name: "changes", field: func(s *Session) any { return &s.Counts.Changes }},
	{name: "errors", field: func(s *Session) any { return &s.Counts.Errors }},
	{name: "interrupts", field: func(s *Session) any { return &s.Counts.Interrupts }},
	{name: "compacted", field: func(s *Session) any { return &s.Counts.Compacted }},
	{name: "input", field: func(s *Session) any { return &s.Usage.Input }},
	{name: "cache_read", field: func(s *Session) any { return &s.Usage.CacheRead }},
	{name: "cache_write", field: func(s *Session) any { return &s.Usage.CacheWrite }},
	{name: "cache_write_5m", field: func(s *Session) any { return &s.Usage.CacheWrite5m }},
	{name: "cache_write_1h", field: func(s *Session) any { return &s.Usage.CacheWrite1h }},
	{name: "output", field: func(s *Session) any { return &s.Usage.Output }},
	{name: "reasoning", field: func(s *Session) any { return &s.Usage.Reasoning }},
	{name: "searches", field: func(s *Session) any { return &s.Usage.Searches }},
	{name: "cost_usd", field: func(s *Session) any { return &s.Usage.CostUSD }},
}

// derivedColumns are those of listed that no table has, in the order in which scanSession takes them.
const derivedColumns = "s.key, s.store = 0, s.live, s.twin"

// sessionColumns selects what scanSession reads, from listed named s.
func sessionColumns() string {
	var b strings.Builder
	b.WriteString(derivedColumns)
	for i := range sessionTable {
		if c := &sessionTable[i]; c.field != nil {
			b.WriteString(", s." + c.name)
		}
	}
	return b.String()
}

// scanSession reads a row of sessionColumns into s, which must be on the heap already: field makes it escape.
func scanSession(s *Session, r *sqlite.Row, t *texts) {
	s.Key, s.Gone, s.Live, s.Recorded = r.Int64(0), r.Bool(1), r.Bool(2), r.Bool(3)
	at := 4
	for i := range sessionTable {
		c := &sessionTable[i]
		if c.field == nil {
			continue
		}
		text := t.column
		if c.words {
			text = t.word
		}
		switch v := c.field(s).(type) {
		case *string:
			*v = text(r, at)
		case *trace.Outcome:
			*v = trace.Outcome(text(r, at))
		case *trace.Relation:
			*v = trace.Relation(text(r, at))
		case *int:
			*v = r.Int(at)
		case *int64:
			*v = r.Int64(at)
		case *float64:
			*v = r.Float(at)
		case *time.Time:
			*v = instant(r.Int64(at))
		}
		at++
	}
}

// value is what p's row has in column c.
func (c *column) value(p *Packed, store int64) any {
	if c.extra != nil {
		return c.extra(p, store)
	}
	switch v := c.field(&p.session).(type) {
	case *string:
		return *v
	case *trace.Outcome:
		return string(*v)
	case *trace.Relation:
		return string(*v)
	case *int:
		return *v
	case *int64:
		return *v
	case *float64:
		return *v
	case *time.Time:
		return *v
	}
	return nil // TestSessionTable
}

// sqlType is the column's type in SQL.
func (c *column) sqlType() string {
	switch c.value(new(Packed), 0).(type) {
	case string:
		return "TEXT"
	case float64:
		return "REAL"
	}
	return "INTEGER"
}

// createSessions makes the table.
func createSessions() string {
	var b strings.Builder
	b.WriteString("CREATE TABLE sessions (key INTEGER PRIMARY KEY")
	for i := range sessionTable {
		b.WriteString(", " + sessionTable[i].name + " " + sessionTable[i].sqlType() + " NOT NULL")
	}
	return b.String() + ", UNIQUE (source, id)) STRICT;\n"
}

// insertSession writes the row of a session and sets its key if it has none.
func (a *Archive) insertSession(p *Packed, store int64) error {
	s := &p.session
	var key any
	if s.Key != 0 {
		key = s.Key
	}
	names, values := "key", []any{key}
	for i := range sessionTable {
		names += ", " + sessionTable[i].name
		values = append(values, sessionTable[i].value(p, store))
	}
	if err := a.run("INSERT INTO sessions ("+names+") VALUES (?"+strings.Repeat(",?", len(sessionTable))+")", values...); err != nil {
		return err
	}
	s.Key = a.conn.LastInsertRowID()
	if s.Project.Path != "" {
		return a.run("INSERT INTO projects (path, key) VALUES (?,?) ON CONFLICT DO UPDATE SET key = excluded.key WHERE key <> excluded.key", s.Project.Path,
			s.Project.Key)
	}
	return nil
}
