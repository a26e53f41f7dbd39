package site

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"aburn/archive"
	"aburn/archive/kept"
	"aburn/attention"
	"aburn/install"
	"aburn/install/doctor"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/trace/readers"
	"aburn/web/pages"
	"aburn/web/server"
	"aburn/web/show"
	"aburn/web/site/snapshot"
)

// checks are the findings of aburn doctor by project. They take longer than a page may, so pages show the last ones.
type checks struct {
	mu      sync.Mutex
	of      map[string][]doctor.Check
	made    time.Time
	running bool
}

// checksFor is how long findings are good enough.
const checksFor = time.Minute

// latest are the last findings. Old ones are made anew meanwhile; done is called then.
func (c *checks) latest(now time.Time, roots []string, examine func(root string) []doctor.Check, done func()) (of map[string][]doctor.Check, made time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running && now.Sub(c.made) > checksFor {
		c.running = true
		go func() {
			found := map[string][]doctor.Check{}
			for _, root := range roots {
				if st, err := os.Stat(root); err == nil && st.IsDir() {
					found[root] = examine(root)
				}
			}
			c.mu.Lock()
			c.of, c.made, c.running = found, now, false
			c.mu.Unlock()
			done()
		}()
	}
	return c.of, c.made
}

// healthPages are the page Health.
type healthPages struct {
	*snapshot.Scope
	projects *attention.Projects
	events   *server.Events
	checks   checks
}

func (s *healthPages) examine(root string) []doctor.Check {
	self, _ := os.Executable()
	return doctor.Run(context.Background(), doctor.Options{Dir: root, Env: s.Env, Now: s.Now(), Self: self, Readers: readers.Readers(),
		Agents: install.Agents()}).Checks
}

func (s *healthPages) page(_ context.Context, v *snapshot.View, _ url.Values, _ *http.Request) (*show.Page, error) {
	body := &pages.Health{Checked: "The checks are running."}
	roots := v.Trusted
	if s.Project != "" {
		roots = []string{s.Project}
	}
	found, made := s.checks.latest(s.Now(), roots, s.examine, func() { s.events.Say("archive") })
	if !made.IsZero() {
		body.Checked = "Checked at " + made.In(s.Zone).Format("15:04:05") + ", as by aburn doctor."
	}
	machine, found := splitChecks(found)
	body.Machine = checksOf(machine)
	for _, root := range roots {
		if one := s.healthOf(v, root, found[root]); s.gone(root) {
			body.Gone = append(body.Gone, one)
		} else {
			body.Projects = append(body.Projects, one)
		}
	}
	s.archiveHealth(body, v)
	for i := range v.Damage {
		if d := &v.Damage[i]; len(body.Damage) < 10 {
			body.Damage = append(body.Damage, pages.Pair{Name: plain.CutStart(plain.Line(d.Path), 60) + ":" + fmt.Sprint(d.Ref.Line),
				Value: plain.Cut(plain.Line(d.Reason), 160)})
		}
	}
	n := 0
	for _, k := range v.Damaged {
		n += k
	}
	body.Damaged = pages.Figure{Name: "unreadable places", Text: plain.Count(int64(n)), Class: "held"}
	sum := snapshot.Total(v.Answers(snapshot.Filter{Period: "all"}))
	body.Prices = []pages.Pair{{Name: "known on", Value: string(v.Prices.Made)}, {Name: "rows", Value: fmt.Sprint(len(v.Prices.Rows()))}}
	for i, m := range sum.UnpricedModels() {
		if i < fault.MaxListed {
			body.Unpriced = append(body.Unpriced, pages.Pair{Name: plain.Line(modelWord(m)), Value: units.Amount(sum.Unpriced[m])})
		}
	}
	return &show.Page{Frame: &pages.Frame{Title: "Health", Page: "health", Heading: "Health", Sub: "whether hooks fire, and how complete these pages are",
		Total: len(body.Projects)}, Body: body}, nil
}

// gone reports whether the project's folder is not there.
func (s *healthPages) gone(root string) bool {
	one, _ := s.projects.Get(root)
	return one.Gone
}

func (s *healthPages) healthOf(v *snapshot.View, root string, found []doctor.Check) pages.Project {
	f := snapshot.Filter{Project: root, Kind: "all"}
	one := pages.Project{Name: plain.Line(filepath.Base(root)), Root: plain.Line(root),
		Sessions: show.Count("sessions and sub-agents", len(v.Sessions(f)), f.Address("/sessions"))}
	if st, ok := s.projects.Get(root); ok && st.Err != nil {
		one.Problem = plain.Line(fault.Of(st.Err).Msg)
	}
	one.Checks = checksOf(found)
	return one
}

func checksOf(found []doctor.Check) (list []pages.Check) {
	for _, c := range found {
		check := pages.Check{Topic: plain.Line(c.Topic), Status: string(c.Status), Text: plain.Line(c.Text)}
		for _, h := range c.Hints {
			check.Hints = append(check.Hints, plain.Line(h))
		}
		list = append(list, check)
	}
	return list
}

// ofProject are the topics of a project's own folder and log.
var ofProject = []string{"project", "log", "advice"}

// splitChecks takes what all projects have in common, in the order of the first, out of their findings: facts about the machine.
func splitChecks(found map[string][]doctor.Check) (machine []doctor.Check, rest map[string][]doctor.Check) {
	same := func(c doctor.Check) func(doctor.Check) bool {
		return func(o doctor.Check) bool {
			return o.Topic == c.Topic && o.Status == c.Status && o.Text == c.Text && slices.Equal(o.Hints, c.Hints)
		}
	}
	everywhere := func(c doctor.Check) bool {
		for _, list := range found {
			if !slices.ContainsFunc(list, same(c)) {
				return false
			}
		}
		return !slices.Contains(ofProject, c.Topic)
	}
	for _, root := range slices.Sorted(maps.Keys(found)) {
		machine = slices.DeleteFunc(slices.Clone(found[root]), func(c doctor.Check) bool { return !everywhere(c) })
		break
	}
	rest = map[string][]doctor.Check{}
	for root, list := range found {
		rest[root] = slices.DeleteFunc(slices.Clone(list), func(c doctor.Check) bool { return slices.ContainsFunc(machine, same(c)) })
	}
	return machine, rest
}

func (s *healthPages) archiveHealth(body *pages.Health, v *snapshot.View) {
	all := snapshot.Filter{Kind: "all"}
	body.Archive = []pages.Pair{{Name: "file", Value: plain.Line(filepath.Join(s.Dir, archive.Name))}}
	if st, err := os.Stat(filepath.Join(s.Dir, archive.Name)); err == nil {
		body.Archive = append(body.Archive, pages.Pair{Name: "size", Value: plain.Size(st.Size())})
	}
	body.Archive = append(body.Archive, pages.Pair{Name: "read", Value: v.Made.Format("15:04:05")},
		pages.Pair{Name: "shown", Value: plain.Count(int64(len(v.Sessions(all)))) + " sessions and sub-agents"})
	if n, size := copies(s.Dir); n > 0 {
		body.Archive = append(body.Archive, pages.Pair{Name: "saved with texts",
			Value: plain.Plural(int64(n), "session") + ", " + plain.Size(size) + ": aburn keep --list"})
	}
	if v.Hidden > 0 {
		body.Archive = append(body.Archive, pages.Pair{Name: "not shown", Value: plain.Plural(int64(v.Hidden), "session") + " that your settings hide"})
	}
	for _, source := range v.Sources() {
		f := snapshot.Filter{Kind: "all", Agent: source}
		list := v.Sessions(f)
		one := pages.Source{Name: show.Agent(source), Sessions: show.Count("sessions and sub-agents", len(list), f.Address("/sessions"))}
		if len(list) > 0 {
			one.Latest = show.Time(list[0].End, v.Made)
		}
		body.Sources = append(body.Sources, one)
	}
}

// copies counts the kept sessions, and what they take on the disk.
func copies(dir string) (n int, size int64) {
	list, err := kept.List(dir)
	if err != nil {
		return 0, 0
	}
	for i := range list {
		_, stored := list[i].Size()
		size += stored
	}
	return len(list), size
}
