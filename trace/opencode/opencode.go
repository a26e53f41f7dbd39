// Package opencode reads the sessions of opencode: from its SQLite database while opencode writes it, and from the folder
// of JSON files that its versions before the database kept. docs/formats/opencode.md says how each fact was found out.
//
// The database holds credentials and the secrets of shared sessions too. The reader names each table and column that it
// reads, and none of those is among them.
package opencode

import (
	"context"
	"errors"
	"fmt"

	"aburn/trace"
)

// name is the reader's, and the agent's.
const name = "opencode"

// The layouts of stores.
const (
	layoutDatabase = "database"
	layoutFiles    = "json files"
)

// reader is the reader. It has no state.
type reader struct{}

// New is the reader of opencode's sessions.
func New() trace.Reader { return reader{} }

// Name is opencode.
func (reader) Name() string { return name }

// Read gives the sessions of a store that changed since its cursor, each of them whole.
func (reader) Read(ctx context.Context, s trace.Store, sink trace.Sink) error {
	if s.Layout == layoutFiles {
		return readFiles(ctx, s, sink)
	}
	return readDatabase(ctx, s, sink)
}

// errChanged says that a database was written that was opened because nobody could write it: what was read can be wrong.
var errChanged = errors.New("it was written while it was read without its log; read it again")

// shelf is a store as the making of a trace needs it: what other sessions it holds.
type shelf interface {
	// tasks is the calls of a session that started sub-agents, by the sub-agent's session.
	tasks(ctx context.Context, session string) (map[string]string, error)
	// holders is the sessions that are no younger than s, but for s itself, and hold a message of this time; oldest first.
	holders(ctx context.Context, s session, created int64) ([]string, error)
	// turns is the messages of a session, and the ids of its calls.
	turns(ctx context.Context, session string) (map[turn]int, map[string]bool, error)
}

// turn is what a copy of a message keeps of it.
type turn struct {
	created int64
	role    string
}

// assemble makes a trace of what was folded, with its relationships.
func (t *talk) assemble(ctx context.Context, sh shelf, path, how, table string) (*trace.SessionTrace, error) {
	s := &story{talk: t}
	from, evidence, err := t.origin(ctx, sh)
	if err != nil {
		return nil, err
	}
	s.from = from
	if from == "" {
		for _, m := range t.messages {
			m.copied = false // a clock was set back, and nobody has the same
		}
	}
	var parentCall string
	if t.session.parent != "" {
		calls, err := sh.tasks(ctx, t.session.parent)
		if err != nil {
			return nil, err
		}
		parentCall = calls[t.session.id]
	}
	tr, err := s.tell(path, how, table, func() { s.relate(parentCall, evidence) })
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", t.session.id, err)
	}
	return tr, nil
}
