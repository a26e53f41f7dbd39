package debug

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"aburn/internal/plain"
	"aburn/internal/scrub"
)

// Part is one file of a bundle.
type Part struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
	About string `json:"about"`

	text []byte
}

// bundle collects parts. Nothing gets into one but through add, which takes out what no bug report may hold.
type bundle struct {
	hide    *strings.Replacer // folders and secrets of this user that are known word for word
	Parts   []Part
	Secrets int // that were taken out of what is in the bundle
}

// secretNames are how variables of the environment are called that hold a secret.
var secretNames = []string{"KEY", "TOKEN", "SECRET", "PASS", "PW", "CRED", "AUTH"}

// shortestSecret is from how many bytes on a variable's value is looked for: a shorter one is part of words.
const shortestSecret = 6

// newBundle prepares a bundle. folders are replaced by their names, the longest first; environ has the user's variables.
func newBundle(folders map[string]string, environ []string) *bundle {
	type pair struct{ from, to string }
	var list []pair
	for dir, name := range folders {
		if len(dir) > 1 {
			list = append(list, pair{dir, name}, pair{filepath.ToSlash(dir), name})
		}
	}
	for _, one := range environ {
		name, value, _ := strings.Cut(one, "=")
		secret := slices.ContainsFunc(secretNames, func(part string) bool { return strings.Contains(strings.ToUpper(name), part) })
		if secret && len(value) >= shortestSecret && !filepath.IsAbs(value) {
			list = append(list, pair{value, "[redacted:env]"})
		}
	}
	slices.SortStableFunc(list, func(a, b pair) int { return len(b.from) - len(a.from) })
	var words []string
	for _, p := range list {
		words = append(words, p.from, p.to)
	}
	return &bundle{hide: strings.NewReplacer(words...)}
}

// add adds a part of JSON or of lines.
func (b *bundle) add(name, about string, text []byte) {
	clean, n := scrub.Text(b.hide.Replace(string(text)))
	b.Secrets += n
	b.Parts = append(b.Parts, Part{Name: name, Bytes: len(clean), About: about, text: []byte(clean)})
}

func (b *bundle) addJSON(name, about string, value any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.add(name, about, text.Bytes())
	return nil
}

// write writes the parts as a zip file.
func (b *bundle) write(to io.Writer, now time.Time) error {
	z := zip.NewWriter(to)
	for _, p := range b.Parts {
		w, err := z.CreateHeader(&zip.FileHeader{Name: p.Name, Method: zip.Deflate, Modified: now})
		if err == nil {
			_, err = w.Write(p.text)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// lines scrubs a log's last lines by themselves, so that one cannot hide in another.
func lines(text []byte, most int) []byte {
	all := strings.Split(strings.TrimRight(strings.ToValidUTF8(string(text), string(utf8.RuneError)), "\n"), "\n")
	if len(all) > most {
		all = all[len(all)-most:]
	}
	for i, line := range all {
		line, _ = scrub.Text(plain.Line(line))
		all[i] = plain.Cut(line, longestLine)
	}
	return []byte(strings.Join(all, "\n") + "\n")
}

// longestLine is how much of a log's line is shown, in bytes.
const longestLine = 400

// amount is a duration or a size, as settings have them: 30m, 4MiB.
var amount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{1,6}(ms|s|m|h|d|w|[KMG]i?B|B|%)$`) })

// word is a value of a fixed set, such as an agent, a tool or a mode: it says how aburn was used, and holds no text of anybody.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z_-]{0,23}$`) })

var quotedText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// unquoted is a sentence of doctor's without what it quotes: that is mostly what somebody wrote into a settings file.
func unquoted(text string) string {
	return quotedText().ReplaceAllStringFunc(text, func(q string) string { return fmt.Sprintf("<%d bytes>", len(q)-2) })
}

// shape is a JSON value without its texts: objects, lists, numbers, booleans and amounts as they are, a string as its length. Strings
// below a key that says reports stay if they are one word. Keys that are no plain names are counted.
func shape(v gjson.Result, key string, says func(key string) bool) any {
	switch {
	case v.IsObject():
		object := map[string]any{}
		v.ForEach(func(k, v gjson.Result) bool {
			name := k.String()
			if clean, n := scrub.Text(name); !plainKey().MatchString(name) || n > 0 || clean != name {
				name = fmt.Sprintf("<key %d of %d bytes>", len(object)+1, len(name))
			}
			object[name] = shape(v, k.String(), says)
			return true
		})
		return object
	case v.IsArray():
		list := []any{}
		v.ForEach(func(_, v gjson.Result) bool {
			list = append(list, shape(v, key, says))
			return true
		})
		return list
	case v.Type == gjson.String:
		text := v.String()
		if _, n := scrub.Text(text); n == 0 && (says(key) && word().MatchString(text) || amount().MatchString(text)) {
			return text
		}
		return fmt.Sprintf("<%d bytes>", len(text))
	}
	return json.RawMessage(v.Raw)
}

// plainKey are names of settings and fields; a path or a phrase is none.
var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,39}$`) })
