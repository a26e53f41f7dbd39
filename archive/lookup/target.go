package lookup

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/insight"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
)

// Target is what a command is asked about: a key or one session.
type Target struct {
	Key     string           // whole; "" for a session
	Session *digests.Session // nil for a key
}

// shortestKey is how many hex digits a beginning of a key needs.
const shortestKey = 4

// keyParts splits a word into the prefix of a key (f1, or "" if it was left out) and its digits. ok is false if the word
// cannot be the beginning of a key.
func keyParts(word string) (prefix, digits string, ok bool) {
	m := regexp.MustCompile(`^(?:([a-z][0-9]{1,3})-)?([0-9a-f]{1,64})$`).FindStringSubmatch(word)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], m[1] != "" || len(m[2]) >= shortestKey
}

// matchingKeys are the keys that begin with word, sorted, and how many sessions have each.
func matchingKeys(all []digests.Session, word string) (found []string, sessions map[string]int) {
	prefix, digits, ok := keyParts(word)
	if !ok {
		return nil, nil
	}
	sessions = map[string]int{}
	for i := range all {
		k := &all[i].Keys
		for _, key := range [...]string{k.Coarse, k.Sub, k.Fine} {
			have, rest, _ := strings.Cut(key, "-")
			if key == "" || prefix != "" && prefix != have || !strings.HasPrefix(rest, digits) {
				continue
			}
			if sessions[key]++; sessions[key] == 1 {
				found = append(found, key)
			}
		}
	}
	slices.Sort(found)
	return found, sessions
}

// FindTarget is the key or session that word means: a whole key, a beginning that only one key has, or a session. A word
// that may mean several is an error that lists them.
func FindTarget(ctx context.Context, arch *archive.Archive, all []digests.Session, word string) (*Target, error) {
	if len(all) == 0 {
		return nil, fault.Failed(EmptyArchive, FillArchive)
	}
	keys, sessions := matchingKeys(all, word)
	if prefix, digits, _ := keyParts(word); prefix != "" {
		switch {
		case len(digits) < shortestKey:
			return nil, fault.Usage(fmt.Sprintf("%s is too short: give %d digits of a key", fault.Quote(word), shortestKey), "aburn report")
		case len(keys) == 0:
			return nil, fault.Failed("no session in the archive has the key "+fault.Quote(word), "aburn report  # lists the keys")
		case len(keys) == 1:
			return &Target{Key: keys[0]}, nil
		}
		return nil, ambiguous(word, all, keys, sessions, nil)
	}
	var called []archive.Session
	if len(keys) > 0 {
		var err error
		if called, err = arch.Lookup(ctx, word); err != nil {
			return nil, err
		}
	}
	switch {
	case len(keys) == 1 && len(called) == 0:
		return &Target{Key: keys[0]}, nil
	case len(keys) > 0 && !(len(called) == 1 && called[0].ID == word):
		return nil, ambiguous(word, all, keys, sessions, called)
	}
	s, err := FindSession(ctx, arch, word)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Key == s.Key {
			return &Target{Session: &all[i]}, nil
		}
	}
	return nil, fault.Failed("there is no digest of "+s.Source+"/"+s.ID, "aburn ingest --check")
}

// ambiguous is the error for a word that may mean several keys or sessions.
func ambiguous(word string, all []digests.Session, keys []string, sessions map[string]int, called []archive.Session) error {
	var hints []string
	for _, key := range keys[:min(len(keys), fault.MaxListed)] {
		hints = append(hints, units.Join(key, plain.Plural(int64(sessions[key]), "session"), shapeOf(all, key)))
	}
	for i := range called[:min(len(called), fault.MaxListed)] {
		s := &called[i]
		hints = append(hints, units.Join(s.Source+"/"+s.ID, plain.Cut(s.Ask, 40)))
	}
	if more := max(len(keys)-fault.MaxListed, 0) + max(len(called)-fault.MaxListed, 0); more > 0 {
		hints = append(hints, fmt.Sprintf("and %s more", plain.Count(int64(more))))
	}
	what := plain.Plural(int64(len(keys)), "key")
	if len(called) > 0 {
		what += " and " + plain.Plural(int64(len(called)), "session")
	}
	return fault.Usage(fault.Quote(word)+" may mean "+what, hints...)
}

// shapeOf is the shape of failure that a coarse key stands for, "" for other keys.
func shapeOf(all []digests.Session, key string) string {
	i := slices.IndexFunc(all, func(s digests.Session) bool { return s.Keys.Coarse == key })
	if i < 0 {
		return ""
	}
	return all[i].Shape()
}

// Members are the digests that a target means.
func (t *Target) Members(all []digests.Session) (list []*insight.Digest) {
	if t.Session != nil {
		return []*insight.Digest{t.Session.Digest}
	}
	for i := range all {
		if all[i].Keys.Has(t.Key) {
			list = append(list, all[i].Digest)
		}
	}
	return list
}

// DigestsOnly are the digests of sessions, as the packages below insight take them.
func DigestsOnly(all []digests.Session) []*insight.Digest {
	list := make([]*insight.Digest, len(all))
	for i := range all {
		list[i] = all[i].Digest
	}
	return list
}

// NoTarget is the error for a call without a key or session.
func NoTarget() error {
	return fault.Usage("name one key or session", "aburn report", "aburn sessions")
}
