package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut is a list of an answer that was shortened.
type Cut struct {
	Path string `json:"path" jsonschema:"where the list is in answer, as a JSON pointer"`
	Kept int    `json:"kept" jsonschema:"how many of its items are here, from its beginning"`
	Of   int    `json:"of" jsonschema:"how many it has"`
}

// bounded is data as JSON of at most limit bytes, and what that left out. The list with the most items loses its end, at most half
// of it, then the list that has the most then, and so on: lists are ranked, and what stays is the best of each. If all lists are
// empty and it is still too long, nothing is kept.
func bounded(data any, limit int) (json.RawMessage, []Cut, error) {
	text, err := json.Marshal(data)
	if err != nil || len(text) <= limit {
		return text, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, nil, fmt.Errorf("decode an answer: %w", err)
	}
	var s shortener
	tree := s.lists(v, "", nil, 0)
	for over := size(tree) - limit; over > 0; {
		l := s.longest()
		if l == nil {
			return nil, []Cut{{Kept: 0, Of: 1}}, nil
		}
		over -= l.shorten(over)
	}
	text, err = json.Marshal(plain(tree))
	return text, s.cuts(), err
}

// shortener knows the lists of a value, always in the same order.
type shortener struct{ all []*list }

// list is an array that can be shortened.
type list struct {
	path  string
	of    int
	items []any
	in    *list // the list that it is part of, of item at, if it is part of one
	at    int
}

// plain puts what is left of an array in the place of every list again.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if nests(member) {
				v[key] = plain(member)
			}
		}
	case *list:
		for i, item := range v.items {
			v.items[i] = plain(item)
		}
		return v.items
	}
	return v
}

// lists puts a list in the place of every array.
func (s *shortener) lists(v any, path string, in *list, at int) any {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if nests(v[key]) {
				v[key] = s.lists(v[key], path+"/"+token(key), in, at)
			}
		}
	case []any:
		l := &list{path: path, of: len(v), items: v, in: in, at: at}
		s.all = append(s.all, l)
		for i, item := range v {
			if nests(item) {
				v[i] = s.lists(item, path+"/"+strconv.Itoa(i), l, i)
			}
		}
		return l
	}
	return v
}

// nests says whether there can be lists in v.
func nests(v any) bool {
	switch v.(type) {
	case map[string]any, []any, *list:
		return true
	}
	return false
}

// token is a key as part of a JSON pointer.
func token(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// longest is the list with the most items that is still part of the whole, the last one of such; nil if all are empty.
func (s *shortener) longest() (longest *list) {
	most := 1
	for _, l := range s.all {
		if n := len(l.items); n >= most && !l.gone() {
			longest, most = l, n
		}
	}
	return longest
}

// gone says whether the list was part of an item that was cut off.
func (l *list) gone() bool { return l.in != nil && (l.at >= len(l.in.items) || l.in.gone()) }

// shorten drops items from the end until so many bytes are gone, but not more than half of them, and returns how many are.
func (l *list) shorten(bytes int) (gone int) {
	for least := len(l.items) / 2; gone < bytes && len(l.items) > least; {
		last := len(l.items) - 1
		gone += size(l.items[last]) + 1
		l.items = l.items[:last]
	}
	return gone
}

// cuts is what was cut of lists that are still there.
func (s *shortener) cuts() (cuts []Cut) {
	for _, l := range s.all {
		if len(l.items) < l.of && !l.gone() {
			cuts = append(cuts, Cut{l.path, len(l.items), l.of})
		}
	}
	return cuts
}

// size is the length of v as JSON, or a little more.
func size(v any) int {
	switch v := v.(type) {
	case nil:
		return len("null")
	case bool:
		return len("false")
	case json.Number:
		return len(v)
	case string:
		if !strings.ContainsFunc(v, rewritten) {
			return len(v) + 2
		}
	case map[string]any:
		n := 2
		for key, value := range v {
			n += size(key) + size(value) + 2
		}
		return n
	case *list:
		n := 2
		for _, item := range v.items {
			n += size(item) + 1
		}
		return n
	}
	text, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(text)
}

// rewritten says whether a character of a string can have another length in JSON.
func rewritten(r rune) bool {
	return r < ' ' || r >= utf8.RuneSelf || strings.ContainsRune(`"\<>&`, r)
}
