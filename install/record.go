package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/project"
)

// record is what an install leaves in the user's state folder about one settings file, so that uninstall can put back
// exactly what was there. It lies in <state>/installs/<hash of the file's real path>/record.json, beside the backup,
// owner-only: settings hold secrets.
//
// Order of writing: backup, record, settings file. A kill before the last step leaves a record whose After never came to
// be; the file's hash is then Before, and the record means nothing. A record that cannot be read counts as none.
type record struct {
	Version    int         `json:"version"`
	Agent      string      `json:"agent"`
	Scope      Scope       `json:"scope"`
	Path       string      `json:"path"` // as the agent names it
	Real       string      `json:"real"` // links resolved
	Time       time.Time   `json:"time"`
	Hook       string      `json:"hook"`             // what was registered
	Existed    bool        `json:"existed"`          // false: the install made the file
	Before     string      `json:"before,omitempty"` // sha256 of the file without aburn's hooks; the backup holds it
	Backup     string      `json:"backup,omitempty"` // the backup's name, beside this record
	After      []string    `json:"after"`            // sha256 of every state that goes back to Before
	Spans      []recorded  `json:"spans"`
	Containers []container `json:"containers,omitempty"`
	Rule       bool        `json:"rule,omitempty"` // AllowRule was added
	Folders    []string    `json:"folders,omitempty"`
	dir        string
}

// recorded is one insertion: Installed stands at At of the installed file where Original stood before.
type recorded struct {
	At        int    `json:"at"`
	Original  string `json:"original"`
	Installed string `json:"installed"`
	Before    string `json:"context_before"` // up to contextSize bytes around it
	After     string `json:"context_after"`
}

const (
	recordVersion = 1
	recordName    = "record.json"
	contextSize   = 48
)

// recordDir is where the record of the settings file real lies, "" when the user has no state folder.
func recordDir(real string, env func(string) string) string {
	state := project.StateDir(env)
	if state == "" {
		return ""
	}
	return filepath.Join(state, "installs", hash([]byte(real))[:32])
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// readRecord is the record about the file real, nil when there is none that can be used.
func readRecord(real string, env func(string) string) *record {
	dir := recordDir(real, env)
	if dir == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, recordName))
	if err != nil {
		return nil
	}
	r := record{dir: dir}
	if json.Unmarshal(data, &r) != nil || r.Version != recordVersion || r.Real != real {
		return nil
	}
	return &r
}

// original is the file without aburn's hooks, as the backup has it. A backup that is gone or changed is an error.
func (r *record) original() ([]byte, error) {
	if !r.Existed {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(r.dir, filepath.Base(r.Backup)))
	if err != nil {
		return nil, err
	}
	if hash(data) != r.Before {
		return nil, fmt.Errorf("%s is not the backup that was made", filepath.Join(r.dir, r.Backup))
	}
	return data, nil
}

// leads says whether a file with that content goes back to Before.
func (r *record) leads(data []byte) bool { return r != nil && slices.Contains(r.After, hash(data)) }

// was is what a container was before the install.
func (r *record) was(path string) container {
	for _, c := range r.Containers {
		if c.Path == path {
			return c
		}
	}
	return container{}
}

// save writes backup and record, owner-only, and removes older backups.
func (r *record) save(original []byte) error {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	durable := atomicfile.Options{Sync: true}
	r.Backup = ""
	if r.Existed {
		r.Backup = "backup-" + r.Before[:16]
		if err := atomicfile.Write(filepath.Join(r.dir, r.Backup), original, 0o600, durable); err != nil {
			return err
		}
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(r.dir, recordName), data.Bytes(), 0o600, durable); err != nil {
		return err
	}
	r.sweep()
	return nil
}

// sweep removes what earlier records left beside this one. What cannot be removed stays; it is in nobody's way.
func (r *record) sweep() {
	names, err := os.ReadDir(r.dir)
	if err != nil {
		return
	}
	for _, n := range names {
		if n.Name() != recordName && n.Name() != r.Backup {
			os.Remove(filepath.Join(r.dir, n.Name()))
		}
	}
}

// forget removes the record and its backup.
func (r *record) forget() error {
	if err := os.Remove(filepath.Join(r.dir, recordName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r.Backup = ""
	r.sweep()
	os.Remove(r.dir)
	os.Remove(filepath.Dir(r.dir)) // stays while there are other records
	return nil
}

// spansOf records the edits that take the hooks out of data, the other way round.
func spansOf(data []byte, removal []edit) []recorded {
	var out []recorded
	for _, e := range inOrder(removal) {
		end := e.at + len(e.old)
		out = append(out, recorded{
			At:        e.at,
			Original:  e.new,
			Installed: e.old,
			Before:    string(data[max(0, e.at-contextSize):e.at]),
			After:     string(data[end:min(len(data), end+contextSize)]),
		})
	}
	return out
}
