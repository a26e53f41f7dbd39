package settings

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"aburn/internal/plain"

	"github.com/tidwall/gjson"
)

// maxFile is the largest settings file that is read, in bytes.
const maxFile = 1 << 20

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("larger than 1 MiB")
)

// Bounds for hooks, which read these files: a repository can contain one that is slow on purpose.
const (
	maxNesting  = 8  // objects and lists inside one another
	maxWarnings = 20 // of one file
)

// ignored ends a warning about a key that was left out.
const ignored = ": ignored"

type source struct {
	name    string // its path
	own     string // the path of the user's own file, for the hint; "" without one
	project bool   // it is a project's: user-only keys do not count
}

// readRoot reads a file of .oss. It follows no link, not even one to another file in .oss.
func readRoot(oss *os.Root, name string) ([]byte, error) {
	st, err := oss.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := oss.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return readOpen(f, err)
}

// readFile reads the user's own file, which may be a link into a folder of dot files.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return readOpen(f, err)
}

func readOpen(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil || !st.Mode().IsRegular():
		return nil, errors.Join(err, errNotRegular)
	case st.Size() > maxFile:
		return nil, errTooLarge
	}
	data := make([]byte, st.Size())
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // truncated meanwhile
		err = nil
	}
	return data[:n], err
}

// merge puts the settings of one file over the earlier ones.
func (s *Settings) merge(src source, data []byte, err error) {
	if os.IsNotExist(err) { // errors.Is would set up tables at run time, three page faults in every hook
		return
	}
	if err != nil {
		s.warn(src.name + ": " + err.Error() + ignored)
		return
	}
	if src.project && string(data) == initial {
		return // nearly every project has this file, and it changes nothing
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if strings.TrimSpace(text) == "" {
		return
	}
	if nesting(text) > maxNesting {
		s.warn(src.name + ": nested too deeply: the whole file is ignored")
		return
	}
	if offset, wrong := syntax(text); wrong != "" {
		s.warn(place(src.name, text, offset) + wrong + ": the whole file is ignored")
		return
	}
	f := file{source: src, text: text, settings: s, seen: make(map[string]bool)}
	f.object("", gjson.Parse(text))
}

// nesting is the deepest level of open brackets in text, whether or not it is JSON.
func nesting(text string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == '{' || c == '['):
			depth++
			deepest = max(deepest, depth)
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
	}
	return deepest
}

// syntax says what is wrong with text and at which byte. Valid text is one JSON object.
func syntax(text string) (offset int, wrong string) {
	if !gjson.Valid(text) {
		var err *json.SyntaxError
		if errors.As(json.Unmarshal([]byte(text), new(any)), &err) {
			return max(int(err.Offset)-1, 0), err.Error()
		}
		return 0, "not JSON"
	}
	if !gjson.Parse(text).IsObject() {
		return 0, "should be a JSON object"
	}
	return 0, ""
}

// file is one settings file during its merge.
type file struct {
	source
	text     string
	settings *Settings
	seen     map[string]bool
	warned   int
}

func (f *file) object(prefix string, obj gjson.Result) {
	obj.ForEach(func(k, v gjson.Result) bool {
		name := k.String()
		if strings.HasPrefix(name, "//") || name == "$schema" {
			return true // a comment, as JSON has no others
		}
		f.member(prefix+name, k.Index, v)
		return true
	})
}

func (f *file) member(key string, keyAt int, v gjson.Result) {
	if f.project && userOnly(key) && !v.IsObject() {
		where := "the user's own settings"
		if f.own != "" {
			where += ", " + f.own
		}
		f.warn(keyAt, func() string { return quoted(key) + " counts only in " + where + ignored })
		return
	}
	if v.IsObject() {
		f.object(key+".", v)
		return
	}
	if f.seen[key] {
		f.warn(keyAt, func() string { return key + " appears twice: the last one counts" })
	}
	f.seen[key] = true
	val := valueOf(v)
	kept := later{key: key, value: val, keyAt: keyAt, at: v.Index, file: f}
	if ofModel(key) {
		f.settings.later = append(f.settings.later, kept)
		return
	}
	switch row, name := find(key); {
	case row == nil:
		f.warn(keyAt, func() string { return unknown(key, known(nil)) + ignored })
	case row.named != nil:
		if wrong := row.named(f.settings, name, val); wrong != "" {
			f.warn(v.Index, func() string { return quoted(key) + " " + wrong + ignored })
		}
	case row.set == nil:
		f.settings.unread = &kept
	default:
		if wrong := row.set(f.settings, val); wrong != "" {
			f.warn(v.Index, func() string { return key + " " + wrong + ignored })
		}
	}
}

// quoted quotes a key for a message if it contains characters that no key has.
func quoted(key string) string {
	if strings.Trim(key, nameBytes) != "" {
		return strconv.Quote(key)
	}
	return key
}

func unknown(key string, known []string) string {
	for _, k := range known {
		if strings.HasPrefix(k, key+".") {
			return strconv.Quote(key) + " is a group of settings, like " + k
		}
	}
	return strconv.Quote(key) + " is not a setting" + plain.Suggest(key, known)
}

// warn reports a fault at offset. After maxWarnings of a file it stops.
func (f *file) warn(offset int, text func() string) {
	switch f.warned++; {
	case f.warned <= maxWarnings:
		f.settings.warn(place(f.name, f.text, offset) + text())
	case f.warned == maxWarnings+1:
		f.settings.warn(place(f.name, f.text, offset) + "and more like these")
	}
}

// place is "file:line:column: " of a byte of text. Both count from 1, columns in characters.
func place(name, text string, offset int) string {
	before := text[:min(offset, len(text))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return name + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column) + ": "
}
