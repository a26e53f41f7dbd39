package settings

import (
	"path"
	"path/filepath"
	"strings"
)

// Record says which projects hooks record.
type Record string

// The values of record.
const (
	RecordMarked     Record = "marked"     // projects that the user made with `aburn init` or `aburn install-hooks` (the default)
	RecordEverywhere Record = "everywhere" // each git repository that the user works in
)

func setRecord(to *Record, v value) string {
	if r := Record(v.text); v.string && (r == RecordMarked || r == RecordEverywhere) {
		*to = r
		return ""
	}
	return `should be "marked" or "everywhere"`
}

// Snapshots says when aburn takes snapshots of a session's worktree.
type Snapshots string

const (
	SnapshotsOff     Snapshots = "off"
	SnapshotsPrompts Snapshots = "prompts"       // before and after each turn
	SnapshotsRisky   Snapshots = "prompts+risky" // also before commands that may overwrite or delete files
)

func setSnapshots(to *Snapshots, v value) string {
	switch s := Snapshots(v.text); {
	case v.string && (s == SnapshotsOff || s == SnapshotsPrompts || s == SnapshotsRisky):
		*to = s
		return ""
	}
	return `should be "off", "prompts" or "prompts+risky"`
}

// setFolders reads a list of folders: paths, names, or patterns of them.
func setFolders(to *[]string, v value) string {
	if v.string && v.text == "[]" {
		*to = nil // the default
		return ""
	}
	items, ok := v.items()
	if !ok || len(items) > maxItems {
		return `should be a list of folders like ["~/private", "~/work/*", "scratch"]`
	}
	var list []string
	for _, item := range items {
		if _, err := path.Match(item.text, ""); !item.string || err != nil || strings.Trim(item.text, "/") == "" || len(item.text) > maxItem {
			return "has " + clipped(item.text) + ", which is no folder and no pattern"
		}
		list = append(list, item.text)
	}
	*to = list
	return ""
}

// Hides reports whether hidden names a project, or a folder around it: by its path, ~ for the home directory, or by a name without a slash.
func (s *Settings) Hides(root string) bool {
	home := filepath.ToSlash(s.env("HOME"))
	for _, pattern := range s.Hidden {
		if rest, ok := strings.CutPrefix(pattern, "~/"); ok && home != "" {
			pattern = path.Join(home, rest)
		}
		for dir := filepath.ToSlash(root); ; dir = path.Dir(dir) {
			name := dir
			if !strings.Contains(pattern, "/") {
				name = path.Base(dir)
			}
			if ok, _ := path.Match(strings.TrimSuffix(pattern, "/"), name); ok {
				return true
			}
			if dir == path.Dir(dir) {
				break
			}
		}
	}
	return false
}
