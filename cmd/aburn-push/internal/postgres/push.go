package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"aburn/cmd/aburn-push/internal/figures"
)

// Push is what a machine sends.
type Push struct {
	Machine string // 32 hex digits
	Person  string // empty for none
	Aburn   string // the version that pushes
	Since   string // only days from this one on; empty for all
	// Rows makes the rows. It is called when no other push of this machine can run any more, so that the last one to run has
	// the newest rows.
	Rows func() (*figures.Rows, error)
	// Progress, if not nil, is told how many days of how many were sent.
	Progress func(done, total int)
}

// Sent is what a push did.
type Sent struct {
	Days      int `json:"days"` // days that are new or differ
	Unchanged int `json:"days_unchanged"`
	Gone      int `json:"days_gone"` // days that the archive no longer has
	Rows      int `json:"rows"`      // rows that were sent
}

// NothingLeft is the error for a push that would delete all that the database has of the machine.
type NothingLeft struct {
	Name string
	Days int
}

func (e *NothingLeft) Error() string {
	return fmt.Sprintf("%s has %d days of this machine, and here are no rows at all: nothing was changed", e.Name, e.Days)
}

// Hint says what to do about it.
func (e *NothingLeft) Hint() string {
	return "aburn ingest  # if the archive is new; --project DIR=NAME if no project is named; --forget if all should go"
}

// Push makes the database's rows of this machine equal to the machine's own, by whole days, in one transaction.
func (db *DB) Push(ctx context.Context, p Push) (*Sent, error) {
	sent := &Sent{}
	err := db.transaction(ctx, func(tx pgx.Tx) error {
		if err := db.enter(ctx, tx); err != nil {
			return err
		}
		if err := db.present(ctx, tx, p); err != nil {
			return err
		}
		rows, err := p.Rows()
		if err != nil {
			return err
		}
		moved, err := daysLeft(ctx, tx, p, rows)
		if err != nil {
			return err
		}
		have, err := pushedDays(ctx, tx, p, moved)
		if err != nil {
			return err
		}
		if len(have) > 0 && len(rows.Days)+len(rows.Sessions) == 0 {
			return &NothingLeft{db.Name, len(have)}
		}
		rows.DaysFrom(p.Since, moved...)
		parts := rows.ByDay()
		var changed, gone []string
		for day, part := range parts {
			switch hash, ok := have[day]; {
			case !ok || !bytes.Equal(hash, part.Hash):
				changed = append(changed, day)
			default:
				sent.Unchanged++
			}
		}
		for day := range have {
			if parts[day] == nil {
				gone = append(gone, day)
			}
		}
		slices.Sort(changed)
		sent.Days, sent.Gone = len(changed), len(gone)
		if err := drop(ctx, tx, p.Machine, slices.Concat(changed, gone)); err != nil {
			return err
		}
		sent.Rows, err = p.send(ctx, tx, changed, parts)
		return err
	})
	return sent, err
}

// Forget deletes all rows of a machine, and returns how many machines that were.
func (db *DB) Forget(ctx context.Context, machine string) (n int64, err error) {
	err = db.transaction(ctx, func(tx pgx.Tx) error {
		if err := db.enter(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, "DELETE FROM aburn.machines WHERE id = $1::uuid", machine)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// enter bounds waiting, and checks the tables' version.
func (db *DB) enter(ctx context.Context, tx pgx.Tx) error {
	if err := exec(ctx, tx, "SET LOCAL lock_timeout = '50s'"); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	var version int
	if err := tx.QueryRow(ctx, "SELECT version FROM aburn.meta").Scan(&version); err != nil {
		return err
	}
	if version != len(Migrations) {
		return &WrongVersion{db.Name, version, len(Migrations)}
	}
	return nil
}

// present notes that the machine was here. Its first push makes the role its owner. Until the transaction ends, the row that this
// writes makes every other push of the machine wait here.
func (db *DB) present(ctx context.Context, tx pgx.Tx, p Push) error {
	err := exec(ctx, tx, `INSERT INTO aburn.machines (id, person, aburn) VALUES ($1::uuid, nullif($2::text, ''), $3::text)
		ON CONFLICT (id) DO UPDATE SET person = excluded.person, aburn = excluded.aburn, pushed_at = now()`, p.Machine, p.Person, p.Aburn)
	var said *pgconn.PgError
	if errors.As(err, &said) && said.Code == noRight && strings.Contains(said.Message, "row-level security") {
		return &Failed{db.Name + ": another role owns the rows of this machine", "push as that role. If the archive was copied from another machine, delete " +
			figures.MachineFile + " beside it: this machine then gets rows of its own", err}
	}
	return err
}

// daysLeft are the days before Since from which a session went on to a later day. They are sent, too: that day's count of
// failures has those of the session, and does not name it.
func daysLeft(ctx context.Context, tx pgx.Tx, p Push, all *figures.Rows) (days []string, err error) {
	if p.Since == "" {
		return nil, nil
	}
	ids := []string{}
	for i := range all.Sessions {
		if s := &all.Sessions[i]; s.Day >= p.Since {
			ids = append(ids, s.ID)
		}
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	rows, err := tx.Query(ctx, `SELECT DISTINCT day::text FROM aburn.sessions WHERE machine = $1::uuid AND id = ANY ($2::text[]) AND day < $3::date`, p.Machine,
		ids, p.Since)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// pushedDays are the hashes of what the database has, by day: those since Since, and some before.
func pushedDays(ctx context.Context, tx pgx.Tx, p Push, before []string) (map[string][]byte, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	rows, err := tx.Query(ctx, `SELECT coalesce(day::text, ''), hash FROM aburn.pushed
		WHERE machine = $1::uuid AND ($2::text = '' OR day >= nullif($2::text, '')::date OR day = ANY ($3::text[]::date[]))`, p.Machine, p.Since,
		append([]string{}, before...))
	if err != nil {
		return nil, err
	}
	have := map[string][]byte{}
	var day string
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&day, &hash}, func() error {
		have[day] = bytes.Clone(hash)
		return nil
	})
	return have, err
}

// drop deletes a machine's rows of some days.
func drop(ctx context.Context, tx pgx.Tx, machine string, days []string) error {
	if len(days) == 0 {
		return nil
	}
	unknown := slices.Contains(days, "")
	for _, table := range []string{"days", "sessions", "failures", "pushed"} {
		err := exec(ctx, tx,
			"DELETE FROM aburn."+table+" WHERE machine = $1::uuid AND (day = ANY (array_remove($2::text[], '')::date[]) OR $3::boolean AND day IS NULL)", machine, days,
			unknown)
		if err != nil {
			return err
		}
	}
	return nil
}

// send inserts the rows of the changed days. The hashes come last.
func (p *Push) send(ctx context.Context, tx pgx.Tx, changed []string, parts map[string]*figures.Part) (rows int, err error) {
	days, sessions, failures, pushed := dayBatch(), sessionBatch(), failureBatch(),
		batch{into: "aburn.pushed", columns: []column{{"machine", "uuid"}, {"day", "date"}, {"hash", "bytea"}}}
	ids := []string{}
	for i, day := range changed {
		part := parts[day]
		for _, d := range part.Days {
			days.add(p.Machine, known(d.Day), known(d.PriceDay), d.Project, d.Agent, d.Model, d.Tier, d.Geo, d.LongPrompt, d.WritesUnknown, d.Answers,
				d.Input, d.CacheRead, d.Write5m, d.Write1h, d.Write, d.Output, d.Searches)
		}
		for _, s := range part.Sessions {
			ids = append(ids, s.ID)
			sessions.add(p.Machine, known(s.Day), s.ID, s.Project, s.Agent, s.Subagent, s.Started, s.Ended, s.ActiveMS, s.Outcome, s.Prompts, s.Responses, s.Calls,
				s.Failed, s.Denied)
		}
		for _, f := range part.Failures {
			failures.add(p.Machine, known(f.Day), f.Project, f.Agent, f.Class, f.Group, f.Count)
		}
		pushed.add(p.Machine, known(day), "\\x"+fmt.Sprintf("%x", part.Hash))
		rows += len(part.Days) + len(part.Sessions) + len(part.Failures)
		if days.rows+sessions.rows+failures.rows < batchRows && i < len(changed)-1 {
			continue
		}
		// A session that went on may stand on a day before Since.
		if err := exec(ctx, tx, "DELETE FROM aburn.sessions WHERE machine = $1::uuid AND id = ANY ($2::text[])", p.Machine, ids); err != nil {
			return 0, err
		}
		ids = ids[:0]
		for _, b := range []*batch{&days, &sessions, &failures, &pushed} {
			if err := b.insert(ctx, tx); err != nil {
				return 0, err
			}
		}
		if p.Progress != nil {
			p.Progress(i+1, len(changed))
		}
	}
	return rows, nil
}

func dayBatch() batch {
	return batch{into: "aburn.days", columns: []column{{"machine", "uuid"}, {"day", "date"}, {"price_day", "date"}, {"project", "text"}, {"agent", "text"},
		{"model", "text"},
		{"tier", "text"}, {"geo", "text"}, {"long_prompt", "boolean"}, {"writes_unknown", "boolean"}, {"answers", "bigint"}, {"input", "bigint"},
		{"cache_read", "bigint"},
		{"cache_write_5m", "bigint"}, {"cache_write_1h", "bigint"}, {"cache_write", "bigint"}, {"output", "bigint"}, {"web_searches", "bigint"}}}
}

func sessionBatch() batch {
	return batch{into: "aburn.sessions", columns: []column{{"machine", "uuid"}, {"day", "date"}, {"id", "text"}, {"project", "text"}, {"agent", "text"},
		{"subagent", "boolean"},
		{"started", "timestamptz"}, {"ended", "timestamptz"}, {"active_ms", "bigint"}, {"outcome", "text"}, {"prompts", "bigint"}, {"responses", "bigint"},
		{"calls", "bigint"},
		{"failed", "bigint"}, {"denied", "bigint"}}}
}

func failureBatch() batch {
	return batch{into: "aburn.failures", columns: []column{{"machine", "uuid"}, {"day", "date"}, {"project", "text"}, {"agent", "text"}, {"class", "text"},
		{"error_key", "text"}, {"count", "bigint"}}}
}

// known is a day, or nil for an unknown one.
func known(day string) *string {
	if day == "" {
		return nil
	}
	return &day
}

// batchRows is how many rows one statement inserts, about.
const batchRows = 2000

type column struct{ name, kind string }

// batch collects rows of a table and inserts them in one statement. COPY would be quicker, but PostgreSQL refuses it where
// policies hold.
type batch struct {
	into    string
	columns []column
	values  [][]*string // by column
	rows    int
}

func (b *batch) add(values ...any) {
	if b.values == nil {
		b.values = make([][]*string, len(b.columns))
	}
	for i, v := range values {
		b.values[i] = append(b.values[i], word(v))
	}
	b.rows++
}

// word is a value in PostgreSQL's own words; nil is null.
func word(v any) *string {
	switch v := v.(type) {
	case string:
		return &v
	case *string:
		return v
	case bool:
		return new(strconv.FormatBool(v))
	case int64:
		return new(itoa(v))
	case *time.Time:
		if v == nil {
			return nil
		}
		return new(v.Format(time.RFC3339))
	}
	panic(fmt.Sprintf("%T in a row", v))
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// insert inserts what was added, and empties the batch.
func (b *batch) insert(ctx context.Context, tx pgx.Tx) error {
	if b.rows == 0 {
		return nil
	}
	var names, from []string
	var args []any
	for i, c := range b.columns {
		names = append(names, c.name)
		from = append(from, fmt.Sprintf("$%d::text[]::%s[]", i+1, c.kind))
		args = append(args, b.values[i])
	}
	b.values, b.rows = nil, 0
	return exec(ctx, tx, "INSERT INTO "+b.into+" ("+strings.Join(names, ", ")+") SELECT * FROM unnest("+strings.Join(from, ", ")+")", args...)
}
