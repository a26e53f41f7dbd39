package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"aburn/internal/atomicfile"
	"aburn/internal/project"
	"aburn/internal/settings"
)

// recordKey is the setting that says which projects hooks record.
const recordKey = "record"

// OwnRecord is what the user's own settings file says of which projects hooks record; "" if it says nothing, as long as there is a place for the
// file and it can be read.
func OwnRecord(env func(string) string) (settings.Record, error) {
	doc, err := ownSettings(env)
	if err != nil {
		return "", err
	}
	return settings.Record(doc.str(doc.root.last(recordKey))), nil
}

// SetRecord writes that setting. It keeps every other byte of the file.
func SetRecord(env func(string) string, to settings.Record) error {
	doc, err := ownSettings(env)
	if err != nil {
		return err
	}
	var edits []edit
	if m := doc.root.last(recordKey); m != nil {
		edits = []edit{{at: m.value.start, old: doc.text(m.value.start, m.value.end), new: quote(string(to))}}
	} else {
		edits = doc.appendTo(doc.root, doc.style(), []item{{recordKey, tree{raw: quote(string(to))}}})
	}
	path := doc.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link into a folder of dot files stays one
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, splice(doc.data, edits), 0o600, atomicfile.Options{})
}

// ownSettings is the user's own settings file; an empty one if there is none.
func ownSettings(env func(string) string) (*document, error) {
	dir := project.ConfigDir(env)
	if dir == "" {
		return nil, errors.New("there is no place for your settings: neither XDG_CONFIG_HOME nor HOME is an absolute path")
	}
	path := filepath.Join(dir, settings.File)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = []byte("{}\n"), nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := parse(path, data)
	if err == nil && doc.root.kind != object {
		err = doc.wrong(doc.root, "the file", object)
	}
	return doc, err
}
