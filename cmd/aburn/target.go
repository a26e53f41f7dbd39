package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/insight"
	"aburn/internal/plain"
)

// target is what a command is asked about: a key, or one session.
type target struct {
	key     string           // whole; "" where one session is meant
	session *digests.Session // nil where a key is meant
}

// shortestKey is how many of a key's hex digits have to be given.
const shortestKey = 4

// keyParts are what stands before a key's dash, if that was given, and its digits, both as typed. ok is false for what is no
// beginning of a key.
func keyParts(word string) (prefix, digits string, ok bool) {
	m := regexp.MustCompile(`^(?:([a-z][0-9]{1,3})-)?([0-9a-f]{1,64})$`).FindStringSubmatch(word)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], m[1] != "" || len(m[2]) >= shortestKey
}

// keysLike is the keys of digests that begin like word, each with how many sessions have it, in their order.
func keysLike(all []digests.Session, word string) (found []string, sessions map[string]int) {
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

// targetOf is what word means among all: a key, whole or a beginning of it that no other has, else a session. What can mean more
// than one is an error that lists them.
func targetOf(ctx context.Context, arch *archive.Archive, all []digests.Session, word string) (*target, error) {
	if len(all) == 0 {
		return nil, badNews(emptyArchive, fillArchive)
	}
	keys, sessions := keysLike(all, word)
	if prefix, digits, _ := keyParts(word); prefix != "" {
		switch {
		case len(digits) < shortestKey:
			return nil, usageError(fmt.Sprintf("%s is too short: %d digits of a key", quote(word), shortestKey), "aburn report")
		case len(keys) == 0:
			return nil, badNews("no session in the archive has the key "+quote(word), "aburn report  # lists those that there are")
		case len(keys) == 1:
			return &target{key: keys[0]}, nil
		}
		return nil, tooMany(word, all, keys, sessions, nil)
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
		return &target{key: keys[0]}, nil
	case len(keys) > 0 && !(len(called) == 1 && called[0].ID == word):
		return nil, tooMany(word, all, keys, sessions, called)
	}
	s, err := oneSession(ctx, arch, word)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Key == s.Key {
			return &target{session: &all[i]}, nil
		}
	}
	return nil, badNews("there is no digest of "+s.Source+"/"+s.ID, "aburn ingest --check")
}

// tooMany is the error for a word that means more than one key or session.
func tooMany(word string, all []digests.Session, keys []string, sessions map[string]int, called []archive.Session) error {
	var hints []string
	for _, key := range keys[:min(len(keys), maxNamed)] {
		hints = append(hints, join(key, plain.Plural(int64(sessions[key]), "session"), shapeOf(all, key)))
	}
	for i := range called[:min(len(called), maxNamed)] {
		s := &called[i]
		hints = append(hints, join(s.Source+"/"+s.ID, plain.Cut(s.Ask, 40)))
	}
	if more := max(len(keys)-maxNamed, 0) + max(len(called)-maxNamed, 0); more > 0 {
		hints = append(hints, fmt.Sprintf("and %s more", plain.Count(int64(more))))
	}
	what := plain.Plural(int64(len(keys)), "key")
	if len(called) > 0 {
		what += " and " + plain.Plural(int64(len(called)), "session")
	}
	return usageError(quote(word)+" can mean "+what, hints...)
}

// shapeOf is what a coarse key stands for, of the first session that has it; nothing of other keys.
func shapeOf(all []digests.Session, key string) string {
	i := slices.IndexFunc(all, func(s digests.Session) bool { return s.Keys.Coarse == key })
	if i < 0 {
		return ""
	}
	return all[i].Shape()
}

// members is the digests that a target means.
func (t *target) members(all []digests.Session) (list []*insight.Digest) {
	if t.session != nil {
		return []*insight.Digest{t.session.Digest}
	}
	for i := range all {
		if all[i].Keys.Has(t.key) {
			list = append(list, all[i].Digest)
		}
	}
	return list
}

// digestsOnly is digests as the packages below insight take them.
func digestsOnly(all []digests.Session) []*insight.Digest {
	list := make([]*insight.Digest, len(all))
	for i := range all {
		list[i] = all[i].Digest
	}
	return list
}

// noTarget is the error where nothing says what is asked about.
func noTarget() error {
	return usageError("one key or session has to be named", "aburn report", "aburn sessions")
}

// targetArgument refuses anything but one key or session.
func targetArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.NArg() != 1 || cmd.Args().First() == "" {
		return noTarget()
	}
	return nil
}

// completeTargets completes the keys that failing sessions have, those of most sessions first, and then sessions.
func (a *app) completeTargets(ctx context.Context, cmd *cli.Command) {
	keys := func() []string { return keyWords(ctx, a.env) }
	a.completer(func(int) []string { return append(keys(), sessionWords(ctx, a.env)...) }, flagCandidates{"applied": keys})(ctx, cmd)
}

// keyPatience is how long completion waits for digests that have to be made first.
const keyPatience = time.Second

// keyWords is the keys that most failing sessions have, for completion.
func keyWords(ctx context.Context, env func(string) string) (list []string) {
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	all, err := digests.Load(ctx, archive.Dir(env), archive.Filter{}, nil)
	if err != nil { // completion shows no error
		return nil
	}
	count := map[string]int{}
	for i := range all {
		if !all[i].Verdict.Failing() || all[i].Live {
			continue
		}
		k := &all[i].Keys
		for _, key := range [...]string{k.Coarse, k.Sub, k.Fine} {
			if key != "" {
				count[key]++
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(count), func(x, y string) int { return cmp.Or(cmp.Compare(count[y], count[x]), cmp.Compare(x, y)) })
	for _, key := range keys[:min(len(keys), 50)] {
		list = append(list, key+":"+plain.Plural(int64(count[key]), "failing session"))
	}
	return list
}
