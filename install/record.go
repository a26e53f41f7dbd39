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

// record describes the install in one settings file, so that uninstall can restore exactly what was there. It lies in
// <state>/installs/<hash of the file's real path>/record.json beside the backup. Both are owner-only, because
// settings hold secrets.
//
// Order of writing: backup, record, settings file. After a kill before the last step the file's hash is not in After,
// and the record has no effect. An unreadable record counts as none.
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
	After      []string    `json:"after"`            // sha256 of every state from which uninstall restores Before
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

// recordDir is the folder of the record of the settings file real; "" if the user has no state folder.
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

// readRecord reads the record of the file real; nil if there is no usable one.
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

// records are the usable records of all installs.
func records(env func(string) string) (out []*record) {
	state := project.StateDir(env)
	if state == "" {
		return nil
	}
	paths, _ := filepath.Glob(filepath.Join(state, "installs", "*", recordName))
	for _, path := range paths {
		var named record
		if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &named) == nil {
			if r := readRecord(named.Real, env); r != nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// original reads the backup: the file without aburn's hooks. A missing or changed backup is an error.
func (r *record) original() ([]byte, error) {
	if !r.Existed {
		return nil, nil
	}
	data, err := os.ReadFile(filepath.Join(r.dir, filepath.Base(r.Backup)))
	if err != nil {
		return nil, err
	}
	if hash(data) != r.Before {
		return nil, fmt.Errorf("%s is not the backup that aburn made", filepath.Join(r.dir, r.Backup))
	}
	return data, nil
}

// leads reports whether uninstall restores Before from this content.
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

// save writes backup and record and removes older backups.
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

// sweep removes older backups beside this record. A failure is harmless.
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
	os.Remove(filepath.Dir(r.dir)) // fails while there are other records
	return nil
}

// spansOf turns the edits that remove the hooks from data into insertions.
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
