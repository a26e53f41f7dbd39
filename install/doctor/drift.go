package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"aburn/archive"
	"aburn/internal/plain"
	"aburn/trace/shapes"
)

// Bounds of what is looked at of a client that aburn was not tried with.
const (
	driftFiles = 20 // session files, newest first
	driftNames = 6  // that are shown
)

// drift tells of a client that is newer than the newest one that aburn was tried with, on PATH or in archived sessions, and what its newest
// session files have that no older one's had.
func (e *exam) drift(p *patient) {
	newest := p.version
	for _, v := range e.versions()[p.Name] {
		if newest == "" || older(newest, v) {
			newest = v
		}
	}
	if p.Tried == "" || newest == "" || !older(p.Tried, newest) {
		return
	}
	text := fmt.Sprintf("%s %s is newer than what aburn was tried with (%s)", p.Title, newest, p.Tried)
	major, _, _ := strings.Cut(newest, ".")
	if tried, _, _ := strings.Cut(p.Tried, "."); major != tried {
		text += ", and it was not tried on " + p.Title + " " + major
	}
	u := e.unknown(p)
	if u.Records == 0 {
		e.add(p.topic(), Note, text)
		return
	}
	names := slices.SortedFunc(maps.Keys(u.Names), func(a, b string) int { return cmp.Or(cmp.Compare(u.Names[b], u.Names[a]), cmp.Compare(a, b)) })
	shown := strings.Join(names[:min(len(names), driftNames)], ", ")
	if len(names) > driftNames {
		shown += ", …"
	}
	e.add(p.topic(), Note, fmt.Sprintf("%s: %s in %s", text, plain.Plural(int64(len(names)), "unknown member", "unknown members"),
		plain.Plural(int64(u.Records), "record", "records")), "unknown: "+shown)
}

// unknown counts what the newest session files have that the agent's list lacks.
func (e *exam) unknown(p *patient) (u shapes.Unknown) {
	known, ok := shapes.Known(p.Name)
	config, err := p.ConfigDir(e.Env)
	if !ok || err != nil || p.Store.Sessions == "" {
		return u
	}
	for _, f := range newestOf(filepath.Join(config, filepath.FromSlash(p.Store.Sessions)), driftFiles) {
		eachLine(f.path, f.info.Size(), func(line []byte) { u.Add(line, known) })
	}
	return u
}

// versions are the client versions in archived sessions, by agent. An archive that cannot be read has none here; keeping reports it.
func (e *exam) versions() map[string][]string {
	if e.seenVersions != nil {
		return e.seenVersions
	}
	e.seenVersions = map[string][]string{}
	if len(e.Readers) == 0 {
		return e.seenVersions
	}
	a, err := archive.View(e.ctx, archive.Dir(e.Env))
	if err != nil {
		return e.seenVersions
	}
	defer a.Close()
	if all, err := a.Versions(); err == nil {
		e.seenVersions = all
	}
	return e.seenVersions
}
