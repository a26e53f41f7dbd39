package manager

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/proc"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/tree"
)

// sighting is a worker's tree as it was written last, for a snapshot or to be compared. It is a cache: without it git is asked more.
type sighting struct {
	At   time.Time `json:"at"`             // when that began
	Boot string    `json:"boot,omitempty"` // of the system then: a power cut may have taken objects that git wrote and left this
	tree.Seen
}

// sightedFile holds it in the worker's folder. It is written by whoever looks; each writes what is true of itself.
const sightedFile = "seen.json"

// maxSighted bounds that file, in bytes. A tree with more changed files than that is looked at whole each time.
const maxSighted = 1 << 20

func loadSighting(c *Manager, m *Member) (s sighting) {
	path := filepath.Join(c.Store.Book(m.Name).Dir, sightedFile)
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() || st.Size() > maxSighted {
		return s
	}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return sighting{}
	}
	if boot, _ := proc.Clock(); boot == "" || s.Boot != boot {
		s.Key, s.Trees = "", "" // git is asked whether the state is there
		if !s.Kept {
			s.Commit = ""
		}
	}
	return s
}

func saveSighting(c *Manager, m *Member, s sighting) {
	s.Boot, _ = proc.Clock()
	data, err := json.Marshal(s)
	if err != nil || len(data) > maxSighted || slices.ContainsFunc(s.Files, secret) || slices.ContainsFunc(s.Loose, secret) {
		data = []byte("{}")
	}
	atomicfile.Write(filepath.Join(c.Store.Book(m.Name).Dir, sightedFile), data, 0o600, atomicfile.Options{}) // a failure: git is asked more
}

// secret reports whether the name of a file holds a secret, which must not be written.
func secret(name string) bool {
	_, n := scrub.Text(name)
	return n > 0
}

// dropSighting forgets what was seen: git may have removed a state that no ref names.
func dropSighting(c *Manager, m *Member) {
	os.Remove(filepath.Join(c.Store.Book(m.Name).Dir, sightedFile))
}

// of is what is known of the kept state that the ledger names last.
func (s sighting) of(kept string) tree.Seen {
	if s.Kept && s.Commit == kept {
		return s.Seen
	}
	last := s.Seen // of a tree that was only compared
	last.Commit, last.Kept, last.Key, last.Trees = kept, kept != "", "", ""
	return last
}

// current reports whether nothing was heard of a member since, and its work came nowhere.
func (s sighting) current(m *Member) bool {
	if s.Commit == "" || m.Worker.Heard.After(s.At) {
		return false
	}
	for _, kind := range []worker.Kind{worker.Merged, worker.Synced, worker.Pulled} {
		if e := m.Ledger.Last(kind); e != nil && e.At.After(s.At) {
			return false
		}
	}
	return true
}
