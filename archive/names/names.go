// Package names makes short names of the archive's sessions, as people type and read them.
package names

import (
	"context"
	"slices"
	"sort"
	"strings"

	"aburn/archive"
	"aburn/internal/plain"
	"aburn/internal/units"
)

// Sessions makes short names of the archive's sessions. A name is the beginning of an id (of its own part, for a
// sub-agent), or the end of an id that begins with the time. It names one session only, and archive.Lookup accepts it.
type Sessions struct {
	parts []string          // ownPart of each id
	short map[shortName]int // how many parts begin or end with these bytes, which nearly always suffices
	// begin holds the parts and end the reversed parts, both sorted; made on first use.
	begin, end []string
}

// shortName is the first or the last bytes of a part.
type shortName [units.ShortID]byte

// Read reads the names of all sessions of the archive.
func Read(ctx context.Context, arch *archive.Archive) (*Sessions, error) {
	all, err := arch.Sessions(ctx, archive.Filter{})
	return New(all), err
}

// New makes names for these sessions, which have to be all of the archive.
func New(all []archive.Session) *Sessions {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return Among(ids)
}

// Among is New for callers that have only the ids.
func Among(ids []string) *Sessions {
	n := &Sessions{parts: make([]string, len(ids)), short: make(map[shortName]int, 2*len(ids))}
	for i, id := range ids {
		part := OwnPart(id)
		n.parts[i] = part
		if len(part) < units.ShortID {
			continue
		}
		n.short[shortName([]byte(part[:units.ShortID]))]++
		if len(part) > units.ShortID {
			n.short[shortName([]byte(part[len(part)-units.ShortID:]))]++
		}
	}
	return n
}

// Len is how many sessions there are.
func (n *Sessions) Len() int { return len(n.parts) }

// Of is the short name of a session, safe to print; source/id if no shorter one is unique.
func (n *Sessions) Of(source, id string) string {
	part := OwnPart(id)
	late := len(part) == 36 && part[14] == '7' || strings.HasPrefix(part, "ses_")
	for size := min(units.ShortID, len(part)); size <= len(part); size++ {
		word := part[:size]
		if late {
			word = part[len(part)-size:]
		}
		if n.countCalled(word) == 1 {
			return plain.Line(word)
		}
	}
	return plain.Line(source + "/" + id)
}

// countCalled is how many sessions a word may name.
func (n *Sessions) countCalled(word string) int {
	if len(word) == units.ShortID {
		return n.short[shortName([]byte(word))]
	}
	if n.begin == nil {
		for _, part := range n.parts {
			n.begin = append(n.begin, part)
			n.end = append(n.end, reversed(part))
		}
		slices.Sort(n.begin)
		slices.Sort(n.end)
	}
	return countPrefix(n.begin, word) + countPrefix(n.end, reversed(word)) - n.countExact(word)
}

// countExact is how many parts are equal to word: those both begin and end with it.
func (n *Sessions) countExact(word string) int {
	i := sort.SearchStrings(n.begin, word)
	count := 0
	for ; i < len(n.begin) && n.begin[i] == word; i++ {
		count++
	}
	return count
}

// countPrefix is how many words of a sorted list begin with word.
func countPrefix(list []string, word string) int {
	from := sort.SearchStrings(list, word)
	to := sort.Search(len(list), func(i int) bool { return i >= from && !strings.HasPrefix(list[i], word) && list[i] > word })
	return to - from
}

// OwnPart is an id without that of the parent session, which stands in front of a sub-agent's.
func OwnPart(id string) string {
	return id[strings.LastIndexByte(id, '/')+1:]
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
