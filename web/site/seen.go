package site

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/project"
	"aburn/web/site/snapshot"
)

// seenName is the file, in the folder of the user's state, that says how far each session was seen.
const seenName = "web-seen.json"

// mostSeen bounds how many sessions it remembers: the last ones that were looked at.
const mostSeen = 2000

// seenMarks says how many events each session had when it was last looked at. It holds names and numbers only.
type seenMarks struct {
	env  func(string) string
	mu   sync.Mutex
	path string // "" where there is no place for it: then it lasts as long as this process
	read bool
	all  map[string]seenMark
}

type seenMark struct {
	Events int   `json:"events"`
	At     int64 `json:"at"` // seconds since 1970
}

// of is how many events of a session were seen; ok is false for a session that was never opened.
func (m *seenMarks) of(session string) (events int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load()
	one, ok := m.all[session]
	return one.Events, ok
}

// load reads the file once. One that cannot be read counts as empty: what it says is a convenience.
func (m *seenMarks) load() {
	if m.read {
		return
	}
	m.read, m.all = true, map[string]seenMark{}
	if dir := project.StateDir(m.env); dir != "" {
		m.path = filepath.Join(dir, seenName)
		if text, err := os.ReadFile(m.path); err == nil {
			if json.Unmarshal(text, &m.all) != nil || m.all == nil {
				m.all = map[string]seenMark{}
			}
		}
	}
}

// set notes that a session was seen up to so many events.
func (m *seenMarks) set(session string, events int, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load()
	if m.all[session].Events >= events {
		return nil
	}
	m.all[session] = seenMark{events, now.Unix()}
	for len(m.all) > mostSeen {
		oldest := session
		for name, one := range m.all {
			if one.At < m.all[oldest].At {
				oldest = name
			}
		}
		delete(m.all, oldest)
	}
	text, err := json.Marshal(m.all)
	if err != nil || m.path == "" {
		return err
	}
	return atomicfile.Write(m.path, text, 0o600, atomicfile.Options{})
}

// post is POST /seen: the reader has the page of a session before them. v is the newest view, nil before the first one.
func (m *seenMarks) post(w http.ResponseWriter, r *http.Request, v *snapshot.View, now time.Time) {
	var said struct {
		Session string `json:"session"`
		Events  int    `json:"events"`
	}
	if json.NewDecoder(r.Body).Decode(&said) != nil || said.Events < 0 || v == nil || v.ByName[said.Session] == nil {
		http.Error(w, "no such session", http.StatusBadRequest)
		return
	}
	if err := m.set(said.Session, said.Events, now); err != nil {
		http.Error(w, "it can't be saved", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// grown reports whether a session has grown since it was looked at.
func (m *seenMarks) grown(r *snapshot.Row) bool {
	events, ok := m.of(r.Name())
	return ok && r.Counts.Events > events
}
