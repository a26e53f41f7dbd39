package openclaw

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"aburn/internal/sqlite"
	"aburn/trace"
)

// window is a session: one generation of its key.
type window struct {
	id, key, previous, status string
	parentKey, spawnedBy      string
	created                   int64
	first                     bool   // the first generation of its key
	mark                      string // changes whenever anything changes that the trace depends on
	node                      *node
}

// node is the present state of a key.
type node struct {
	current, status, via, parentKey, spawnedBy, forkOf string
}

// windows is all sessions of a database.
type windows struct {
	list  []*window // oldest first
	byID  map[string]*window
	byKey map[string][]*window
}

// windows reads the sessions and their marks, at this moment.
func (d *db) windows() (*windows, error) {
	nodes := map[string]*node{}
	err := d.query("session_nodes", "", nil, func(r row) error {
		nodes[r.text("session_key")] = &node{r.text("current_session_id"), r.text("status"), r.text("created_via"),
			r.text("parent_session_key"),
			r.text("spawned_by"), r.text("fork_source_session_id")}
		return nil
	}, "session_key", "current_session_id", "status", "created_via", "parent_session_key", "spawned_by", "fork_source_session_id")
	if err != nil {
		return nil, err
	}
	all := &windows{byID: map[string]*window{}, byKey: map[string][]*window{}}
	err = d.query("session_windows", "ORDER BY created_at, session_id", nil, func(r row) error {
		w := &window{id: r.text("session_id"), key: r.text("session_key"), previous: r.text("previous_session_id"),
			status:    r.text("status"),
			parentKey: r.text("parent_session_key"), spawnedBy: r.text("spawned_by"), created: r.int("created_at")}
		if w.node = nodes[w.key]; w.node == nil {
			w.node = &node{}
		}
		w.first = len(all.byKey[w.key]) == 0
		all.list = append(all.list, w)
		all.byID[w.id] = w
		all.byKey[w.key] = append(all.byKey[w.key], w)
		return nil
	}, "session_id", "session_key", "previous_session_id", "status", "parent_session_key", "spawned_by", "created_at")
	if err != nil {
		return nil, err
	}
	return all, d.mark(all)
}

func (d *db) mark(all *windows) error {
	parts := map[string]string{}
	if err := d.query("transcript_rewrite_watermarks", "", nil, func(r row) error {
		parts[r.text("session_id")] = r.text("generation")
		return nil
	}, "session_id", "generation"); err != nil {
		return err
	}
	err := d.Each("SELECT session_id, count(*), max(seq) FROM "+table+" GROUP BY session_id", func(s *sqlite.Row) error {
		parts[s.Text(0)] += " " + s.Text(1) + " " + s.Text(2)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: count the events: %w", d.path, err)
	}
	for _, w := range all.list { // a caller's trace depends on its sub-agents' sessions
		for _, key := range []string{w.spawnedBy, w.node.spawnedBy, w.parentKey, w.node.parentKey} {
			for _, by := range all.byKey[key] {
				parts[by.id] += " " + w.id
			}
		}
	}
	for _, w := range all.list {
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %v %q", parts[w.id], *w.node,
			[]string{w.key, w.previous, w.status, w.parentKey, w.spawnedBy}))
		w.mark = hex.EncodeToString(sum[:6])
	}
	return nil
}

// ended returns the client's word for the end of the session's last run, "" if there is none or the run continues.
func (w *window) ended() string {
	if w.status == "" && w.node.current == w.id {
		return w.node.status
	}
	return w.status
}

func (w *window) child() bool {
	return w.spawnedBy != "" || w.node.spawnedBy != "" || w.node.via == "spawn" || strings.Contains(w.key, ":subagent:")
}

// sessionAt returns the session that a key stood for when w began. certain says that the key has only one.
func (all *windows) sessionAt(key string, w *window) (id string, certain bool) {
	list := all.byKey[key]
	for _, x := range list {
		if x != w && x.created <= w.created {
			id = x.id
		}
	}
	return id, len(list) == 1
}

// caller is the call that started a sub-agent, and the call's session.
type caller struct {
	spawn
	session string
}

// relations returns the relationships of w, the main one first. parent is the session in the header.
func (all *windows) relations(w *window, parent, opening string, by caller) []trace.SessionRelationship {
	var list []trace.SessionRelationship
	add := func(kind trace.Relation, related, evidence string) {
		if related == "" || related == w.id {
			return
		}
		r := trace.SessionRelationship{Kind: kind, Related: related, Provenance: trace.Explicit}
		if evidence != "" {
			r.Provenance, r.Evidence = trace.Inferred, evidence
		}
		if kind == trace.Subagent {
			r.ParentCall, r.AgentID, r.AgentType, r.Description = by.call, token(w.key), token(agentOf(w.key)), by.description
		}
		list = append(list, r)
	}
	switch {
	case w.previous != "":
		add(trace.Continuation, w.previous, "")
	case w.first && w.child():
		related, evidence := by.session, ""
		if key := firstOf(w.spawnedBy, w.node.spawnedBy, w.parentKey, w.node.parentKey); related == "" && key != "" {
			var certain bool
			if related, certain = all.sessionAt(key, w); !certain {
				evidence = "the last session of its caller's key that began before it"
			}
		}
		add(trace.Subagent, related, evidence)
	}
	if w.first && w.previous == "" {
		add(trace.Fork, w.node.forkOf, "")
	}
	if len(list) == 0 {
		kind, evidence := inherit(opening)
		add(kind, parent, evidence)
	}
	return list
}

// inherit classifies a session whose header names a parent and whose first record is of the type opening.
func inherit(opening string) (trace.Relation, string) {
	if opening == "compaction" {
		return trace.Continuation, "the header names a parent, and the session begins with a compaction"
	}
	return trace.Fork, "the header names a parent"
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}
