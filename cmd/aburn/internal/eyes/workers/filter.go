package workers

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/worker/board"
)

// filter is which workers the board shows, and how: a state of the page is an address.
type filter struct {
	project, agent, zone, words string
	cards                       string // "full" or "compact"; "" is by how many there are
}

func filterOf(query url.Values) filter {
	return filter{query.Get("project"), query.Get("agent"), query.Get("zone"), strings.TrimSpace(query.Get("words")), query.Get("cards")}
}

// with is the address of the board with one part of the filter changed.
func (f filter) with(name, value string) string {
	values := url.Values{}
	for key, old := range map[string]string{"project": f.project, "agent": f.agent, "zone": f.zone, "words": f.words, "cards": f.cards} {
		if key == name {
			old = value
		}
		if old != "" {
			values.Set(key, old)
		}
	}
	if len(values) == 0 {
		return "/"
	}
	return "/?" + values.Encode()
}

// takes reports whether a worker of a zone is shown.
func (f filter) takes(w *board.Standing, zone string) bool {
	if f.project != "" && w.Key != f.project || f.agent != "" && w.Agent != f.agent || f.zone != "" && zone != f.zone {
		return false
	}
	text := strings.ToLower(strings.Join([]string{w.Worker, w.Task, w.Branch, w.Words, fmt.Sprintf("#%d", w.Pull.Number)}, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(f.words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// many is from how many workers on the board offers filters, and cards that say only what one has to know.
const many = 7

// offer says how the board can be narrowed down, and how its cards look.
func (s *Pages) offer(b *pages.Board, f filter) {
	b.Compact = f.cards == "compact" || f.cards != "full" && b.Shown >= many
	if b.Count < many && f.agent == "" && f.zone == "" && f.words == "" {
		return
	}
	other := pages.Link{Text: "Compact cards", Href: f.with("cards", "compact")}
	if b.Compact {
		other = pages.Link{Text: "Full cards", Href: f.with("cards", "full")}
	}
	b.Cards, b.Words = other, f.words
	b.Open = f.agent != "" || f.zone != "" || f.words != ""
	for _, hidden := range [][2]string{{"project", f.project}, {"cards", f.cards}} {
		if hidden[1] != "" {
			b.Hidden = append(b.Hidden, pages.Pair{Name: hidden[0], Value: hidden[1]})
		}
	}
	in := pages.Select{Name: "zone", Label: "State", Options: []pages.Option{{Text: "any state"}}}
	for _, z := range zones {
		in.Options = append(in.Options, pages.Option{Value: z.id, Text: string(z.zone), Current: z.id == f.zone})
	}
	b.Filters = append(b.Filters, in)
	var agents []string
	for _, squad := range s.squads() {
		for i := range squad.Workers {
			agents = append(agents, squad.Workers[i].Agent)
		}
	}
	slices.Sort(agents)
	if agents = slices.Compact(agents); len(agents) < 2 && f.agent == "" {
		return
	}
	of := pages.Select{Name: "agent", Label: "Agent", Options: []pages.Option{{Text: "any agent"}}}
	for _, name := range agents {
		of.Options = append(of.Options, pages.Option{Value: name, Text: plain.Line(cmp.Or(show.Agent(name), "unknown")), Current: name == f.agent})
	}
	b.Filters = append(b.Filters, of)
}

// choice is a link for each project that has workers, with how many, and the key of the one that is named; "" is all.
func (s *Pages) choice(f filter) (c pages.Choice, key string) {
	c.Label = "Whose workers"
	if squad, _ := s.squadNamed(f.project); squad != nil && len(squad.Workers) > 0 {
		key = squad.Key
	}
	names, total := map[string]int{}, 0
	for _, squad := range s.squads() {
		names[filepath.Base(squad.Root)]++
	}
	for _, squad := range s.squads() {
		n, waiting := len(squad.Workers), 0
		for i := range squad.Workers {
			if needy(&squad.Workers[i]) {
				waiting++
			}
		}
		if total += n; n == 0 {
			continue
		}
		name := filepath.Base(squad.Root)
		if names[name] > 1 {
			name = squad.Key
		}
		text := fmt.Sprintf("%s %d", plain.Line(name), n)
		if waiting > 0 {
			text += fmt.Sprintf(" · %d waiting", waiting)
		}
		c.Links = append(c.Links, pages.Link{Text: text, Href: f.with("project", squad.Key), Current: squad.Key == key})
	}
	if len(c.Links) < 2 {
		return pages.Choice{}, ""
	}
	c.Links = append([]pages.Link{{Text: fmt.Sprintf("All %d", total), Href: f.with("project", ""), Current: key == ""}}, c.Links...)
	return c, key
}

// boardPath is the board with the workers of one project.
func boardPath(key string) string { return "/?project=" + url.QueryEscape(key) }
