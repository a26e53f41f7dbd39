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

	"github.com/tidwall/gjson"
)

// maxFile is the most that a settings file may have, in bytes.
const maxFile = 1 << 20

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = errors.New("larger than 1 MiB")
)

// What a file is read to: a repository can bring one that was made to be slow, and hooks read it too.
const (
	maxNesting  = 8  // objects and lists in one another
	maxWarnings = 20 // of one file
)

// ignored ends the warnings about what was left out.
const ignored = ": ignored"

// source is one settings file.
type source struct {
	name    string // its path
	own     string // the path of the user's own file, for the hint; "" when there is none
	project bool   // it is a project's: keys of the user only do not count
}

// readRoot reads a file of .oss. A link is not followed, also not to another file in there.
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

// readFile reads the user's own file, which may well be a link into a folder of dot files.
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
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // it became shorter meanwhile
		err = nil
	}
	return data[:n], err
}

// merge puts the settings of one file over what holds so far.
func (s *Settings) merge(src source, data []byte, err error) {
	if os.IsNotExist(err) { // errors.Is would set up tables at run time, for three page faults in every hook
		return
	}
	if err != nil {
		s.warn(src.name + ": " + err.Error() + ignored)
		return
	}
	if src.project && string(data) == initial {
		return // as nearly every project has it, and it says what holds anyway
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

// nesting is how many brackets are open at once in text, whether or not it is JSON.
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

// syntax says what is wrong with text and at which byte; it has to be one JSON object.
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

// file is one settings file while it is merged.
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
			return true // a comment, as far as JSON has them
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
		f.warn(keyAt, func() string { return plain(key) + " counts only in " + where + ignored })
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
	switch row, _ := find(key); {
	case row == nil:
		f.warn(keyAt, func() string { return unknown(key, known(nil)) + ignored })
	case row.set == nil:
		f.settings.unread = &kept
	default:
		if wrong := row.set(f.settings, val); wrong != "" {
			f.warn(v.Index, func() string { return key + " " + wrong + ignored })
		}
	}
}

// plain is a key for a message: quoted if it has other characters than keys have.
func plain(key string) string {
	if strings.Trim(key, nameBytes) != "" {
		return strconv.Quote(key)
	}
	return key
}

func unknown(key string, known []string) string {
	return strconv.Quote(key) + " is not a setting" + didYouMean(key, known)
}

// warn says what is wrong at offset. Of many warnings only the first are made.
func (f *file) warn(offset int, text func() string) {
	switch f.warned++; {
	case f.warned <= maxWarnings:
		f.settings.warn(place(f.name, f.text, offset) + text())
	case f.warned == maxWarnings+1:
		f.settings.warn(place(f.name, f.text, offset) + "and more like these")
	}
}

// place is "file:line:column: " of a byte of text; both count from 1, columns in characters.
func place(name, text string, offset int) string {
	before := text[:min(offset, len(text))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return name + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column) + ": "
}
