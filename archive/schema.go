package archive

import (
	"context"
	"fmt"

	"aburn/internal/scrub"
	"aburn/internal/sqlite"
	"aburn/trace"
)

// schema is the number of the schema, in user_version. Raise it with every change of the tables, and of what is packed in
// them: an archive with another number is refused. Where readers only give other traces of what is on the disk, ingest
// --rebuild has them read it again.
const schema = 11

// tables are the tables of schema, without sessions (createSessions). A time is in milliseconds since 1970, 0 if unknown; text is ” where there is none.
const tables = `
CREATE TABLE cursors (                     -- what tells whether a store has changed
	reader     TEXT NOT NULL,
	path       TEXT NOT NULL,
	store      INTEGER NOT NULL UNIQUE,
	layout     TEXT NOT NULL,
	size       INTEGER NOT NULL,           -- of the store with its parts, as it was found
	modified   INTEGER NOT NULL,           -- nanoseconds
	whole      INTEGER NOT NULL,           -- the next read begins at the start
	hot        INTEGER NOT NULL,           -- it was being written when it was read
	scrub      INTEGER NOT NULL,
	sessions   INTEGER NOT NULL,           -- how many it gave
	outdone    INTEGER NOT NULL,           -- how many of its sessions are kept from another store
	problem    TEXT NOT NULL,              -- why nothing was read from it
	PRIMARY KEY (reader, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE listing (                     -- the cursors once more, as they were at some time (knownWalk)
	part       INTEGER PRIMARY KEY,
	body       BLOB NOT NULL
) STRICT;

CREATE TABLE unlisted (                    -- cursors that were written or deleted since
	store      INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE places (                      -- where to go on in a store, and how to recognise what stands before that
	store      INTEGER PRIMARY KEY,
	device     INTEGER NOT NULL,           -- of cursors.path, as it was read
	inode      INTEGER NOT NULL,
	path_size  INTEGER NOT NULL,
	head       TEXT NOT NULL,              -- hashes of what stands at the start, and before offset
	tail       TEXT NOT NULL,
	parts      TEXT NOT NULL,              -- size and time of the other files
	offset     INTEGER NOT NULL,           -- these three are trace.Cursor
	line       INTEGER NOT NULL,
	state      BLOB NOT NULL
) STRICT;

CREATE INDEX sessions_id ON sessions (id);
CREATE INDEX sessions_store ON sessions (store);
CREATE INDEX sessions_ended ON sessions (ended DESC, source, id); -- newestFirst
CREATE INDEX sessions_scrub ON sessions (scrub);
CREATE INDEX sessions_root ON sessions (source, root) WHERE root <> '';

CREATE TABLE traces (
	key   INTEGER PRIMARY KEY,             -- sessions.key
	body  BLOB NOT NULL                    -- packed (unpack)
) STRICT;

CREATE TABLE unread (                      -- bodies that could not be read when everything was made anew
	key  INTEGER PRIMARY KEY,
	body BLOB NOT NULL,
	why  TEXT NOT NULL
) STRICT;

CREATE TABLE calls (                       -- those that count
	session INTEGER PRIMARY KEY,
	rows    BLOB NOT NULL                  -- all of a session's, compressed (callCoder)
) STRICT;

CREATE TABLE answers (                     -- responses that the session was billed for
	session INTEGER PRIMARY KEY,
	rows    BLOB NOT NULL                  -- all of a session's, compressed (answerCoder)
) STRICT;

CREATE TABLE limits (                      -- trace.Limit
	session  INTEGER NOT NULL,
	number   INTEGER NOT NULL,             -- in SessionTrace.Limits, from 0
	id       TEXT NOT NULL,
	minutes  INTEGER NOT NULL,
	used     REAL NOT NULL,
	resets   INTEGER NOT NULL,
	time     INTEGER NOT NULL,
	PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX limits_time ON limits (time);

CREATE TABLE relations (
	session        INTEGER NOT NULL,
	number         INTEGER NOT NULL,       -- in SessionTrace.Relationships, from 0
	kind           TEXT NOT NULL,
	related        TEXT NOT NULL,
	time           INTEGER NOT NULL,
	source_session TEXT NOT NULL,
	source_version TEXT NOT NULL,
	parent_call    TEXT NOT NULL,
	agent_id       TEXT NOT NULL,
	agent_type     TEXT NOT NULL,
	description    TEXT NOT NULL,
	provenance     TEXT NOT NULL,
	evidence       TEXT NOT NULL,
	PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX relations_related ON relations (related) WHERE related <> '';
CREATE INDEX relations_open ON relations (related) WHERE kind = 'subagent' AND parent_call = '';

CREATE TABLE spawns (                      -- subagent_spawn events that are no copies
	session  INTEGER NOT NULL,
	seq      INTEGER NOT NULL,
	child    TEXT NOT NULL,
	call     TEXT NOT NULL,
	agent_id TEXT NOT NULL,
	agent_type  TEXT NOT NULL,
	description TEXT NOT NULL,
	open        INTEGER NOT NULL,          -- it, or a result of its call, does not name the sub-agent
	PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX spawns_child ON spawns (child) WHERE child <> '';

CREATE TABLE projects (                    -- that sessions worked in
	path TEXT PRIMARY KEY,
	key  TEXT NOT NULL                     -- as it was worked out while the path was there
) STRICT, WITHOUT ROWID;

CREATE TABLE damage (
	store   INTEGER NOT NULL,
	line    INTEGER NOT NULL,
	offset  INTEGER NOT NULL,
	tbl     TEXT NOT NULL,
	row     TEXT NOT NULL,
	reason  TEXT NOT NULL,
	PRIMARY KEY (store, line, offset, tbl, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE unlinked (                    -- what was written and not linked across files yet
	kind TEXT NOT NULL,                    -- family: sessions that share a Lineage.Root · agents: a session and its sub-agents
	name TEXT NOT NULL,                    -- source/root · source/session
	PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE digests (                     -- what package digests works out when it is asked for
	key   INTEGER PRIMARY KEY,             -- sessions.key
	rules INTEGER NOT NULL,                -- the number of the rules that made it
	body  BLOB NOT NULL
) STRICT;
`

// derived lists the tables that are made anew from the bodies. What is known of the stores is not in the bodies.
var derived = [...]string{"listing", "unlisted", "sessions", "traces", "unread", "calls", "answers", "limits", "relations", "spawns", "projects", "unlinked",
	"digests"}

// prepare makes the tables if there are none.
func (a *Archive) prepare() error {
	have, err := a.number("PRAGMA user_version")
	if err != nil {
		return err
	}
	switch have {
	case 0:
		if err := a.script("PRAGMA page_size = 8192"); err != nil { // takes effect only before the first page
			return err
		}
	case schema:
	default:
		return &WrongSchema{a.path, int(have), schema}
	}
	if err := a.tune(); err != nil || have == schema {
		return err
	}
	return a.transaction(func() error {
		if n, err := a.number("PRAGMA user_version"); err != nil || n == schema {
			return err // another process was quicker
		}
		return a.create()
	})
}

// tune sets up a connection that writes. It does not sync at each commit: a power cut can lose the last commits, which
// are read or derived again, but never the consistency.
func (a *Archive) tune() error {
	for _, pragma := range []string{"journal_mode = WAL", "synchronous = NORMAL", "cache_size = -16384",
		"wal_autocheckpoint = 2000", "journal_size_limit = 33554432"} {
		if err := a.run("PRAGMA " + pragma); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) create() error { return a.script(createSessions() + tables + versioned()) }

// versioned is the statement that sets the schema's number.
func versioned() string { return fmt.Sprintf("PRAGMA user_version = %d;", schema) }

// Remake makes everything anew from the bodies of the traces, in one transaction, and has every store read again from its
// start, whenever that is: until then its sessions are still its own. What no store has stays, marked Gone.
func (a *Archive) Remake(ctx context.Context) error {
	return a.transaction(func() error {
		if err := a.script(`CREATE TABLE bodies (body BLOB NOT NULL, store INTEGER NOT NULL);
			INSERT INTO bodies SELECT t.body, coalesce(c.store, 0)
				FROM traces t LEFT JOIN sessions s ON s.key = t.key LEFT JOIN cursors c ON c.store = s.store ORDER BY t.key;
			INSERT INTO bodies SELECT body, 0 FROM unread`); err != nil {
			return err
		}
		for _, table := range derived {
			if err := a.script("DELETE FROM " + table); err != nil {
				return err
			}
		}
		if err := a.refill(ctx); err != nil {
			return err
		}
		return a.script("DROP TABLE bodies; " + readAgain)
	})
}

// readAgain has every store read from its start. Its place is still needed to find it under another name.
const readAgain = `UPDATE cursors SET whole = 1, hot = 1, sessions = (SELECT count(*) FROM sessions s WHERE s.store = cursors.store);
	INSERT INTO unlisted SELECT store FROM cursors;
	DELETE FROM damage WHERE store NOT IN (SELECT store FROM cursors);
	DELETE FROM places WHERE store NOT IN (SELECT store FROM cursors);
	INSERT OR IGNORE INTO places SELECT store, 0, 0, 0, '', '', '', 0, 0, x'' FROM cursors`

// refill writes the traces of the table bodies. What cannot be read is put aside as it is.
func (a *Archive) refill(ctx context.Context) error {
	return a.each("SELECT body, store FROM bodies ORDER BY rowid", func(s *sqlite.Row) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		body := columnBytes(s, 0)
		p, err := repack(body)
		if err != nil {
			return a.run("INSERT INTO unread (body, why) VALUES (?,?)", body, scrub.Head(err.Error(), trace.UserHead))
		}
		if k, err := a.stored(p.session.Source, p.session.ID); err != nil || k.key != 0 {
			return err // it was put aside before, and its store was read again since
		}
		p.sum = 0 // the next reading counts as another one, and is linked again
		_, err = a.put(p, s.Int64(1))
		return err
	})
}

// repack undoes the packing of a body and packs the trace again.
func repack(body []byte) (*Packed, error) {
	t, err := unpack(body)
	if err != nil {
		return nil, err
	}
	return pack(t)
}
