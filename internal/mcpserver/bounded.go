package mcpserver

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Cut names a list of an answer that was shortened.
type Cut struct {
	Path string `json:"path" jsonschema:"where the list is in answer, as a JSON pointer"`
	Kept int    `json:"kept" jsonschema:"how many of its items are here, from its beginning"`
	Of   int    `json:"of" jsonschema:"how many it has"`
}

// bounded returns data as JSON of at most limit bytes, and the lists it shortened. It removes at
// most half of the longest list, from its end, then of the list that is longest then, and so on:
// lists are ranked, so the best of each stay. If all lists are empty and the data are still too
// long, nothing is kept.
func bounded(data any, limit int) (json.RawMessage, []Cut, error) {
	text, err := json.Marshal(data)
	if err != nil || len(text) <= limit {
		return text, nil, err
	}
	tree, _ := parse(string(text))
	var s shortener
	s.find(tree, "", nil, 0)
	for over := tree.size() - limit; over > 0; {
		l := s.longest()
		if l == nil {
			return nil, []Cut{{Kept: 0, Of: 1}}, nil
		}
		over -= l.shorten(over)
	}
	return tree.append(nil), s.cuts(), nil
}

// shortener holds the lists of a value, in a fixed order.
type shortener struct{ all []*list }

// find collects the lists in v.
func (s *shortener) find(v value, path string, in *list, at int) {
	switch v := v.(type) {
	case object:
		for _, m := range v {
			if _, one := m.value.(scalar); !one {
				s.find(m.value, path+"/"+token(m.name), in, at)
			}
		}
	case *list:
		v.path, v.in, v.at = path, in, at
		s.all = append(s.all, v)
		for i, item := range v.items {
			if _, one := item.(scalar); !one {
				s.find(item, path+"/"+strconv.Itoa(i), v, i)
			}
		}
	}
}

// token escapes a key for a JSON pointer.
func token(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// longest is the list with the most items that is still part of the answer, among equals the
// last; nil if all are empty.
func (s *shortener) longest() (longest *list) {
	most := 1
	for _, l := range s.all {
		if n := len(l.items); n >= most && !l.gone() {
			longest, most = l, n
		}
	}
	return longest
}

// gone reports whether the list was in an item that was cut.
func (l *list) gone() bool { return l.in != nil && (l.at >= len(l.in.items) || l.in.gone()) }

// shorten drops items from the end until so many bytes are gone, but at most half of them. It
// returns the number of dropped items.
func (l *list) shorten(bytes int) (gone int) {
	for least := len(l.items) / 2; gone < bytes && len(l.items) > least; {
		last := len(l.items) - 1
		gone += l.items[last].size() + 1
		l.items = l.items[:last]
	}
	return gone
}

// cuts lists the shortened lists that are still part of the answer.
func (s *shortener) cuts() (cuts []Cut) {
	for _, l := range s.all {
		if len(l.items) < l.of && !l.gone() {
			cuts = append(cuts, Cut{l.path, len(l.items), l.of})
		}
	}
	return cuts
}
