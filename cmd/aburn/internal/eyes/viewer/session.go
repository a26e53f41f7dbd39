package viewer

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/story"
	"aburn/insight"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/units"
	"aburn/web/pages"
	"aburn/web/show"
)

// sessionPages are the pages of one session, and of one of its events.
type sessionPages struct {
	*scope
	seen *seenMarks
	act  bool // the pages have buttons
}

// opened is a session with all that its page shows.
type opened struct {
	*row
	v      *view
	story  *story.Story
	digest *insight.Digest // nil if there is none
}

func (s *sessionPages) open(ctx context.Context, v *view, r *row) (*opened, error) {
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	o := &opened{row: r, v: v}
	if o.story, err = story.Of(ctx, arch, r.Session, v.names, v.bySource[r.Source], v.verdicts); err != nil {
		return nil, err
	}
	if list, err := digests.Of(ctx, s.dir, []int64{r.Key}, nil); err == nil && len(list) == 1 {
		o.digest = list[0].Digest
	}
	return o, nil
}

func (s *sessionPages) page(ctx context.Context, v *view, values url.Values, req *http.Request) (*show.Page, error) {
	name := req.PathValue("source") + "/" + req.PathValue("id")
	r := v.byName[name]
	if of, n, ok := eventOf(name); r == nil && ok && v.byName[of] != nil {
		return s.eventPage(ctx, v, v.byName[of], n, values)
	}
	if r == nil {
		return nil, show.NotFound("no session of a project that you have vouched for is called " + fault.Quote(name))
	}
	o, err := s.open(ctx, v, r)
	if err != nil {
		return nil, err
	}
	name = v.names.Of(r.Source, r.ID)
	body := &pages.Session{Name: name, Agent: agentLine(v, r), When: s.when(r), Branch: plain.Line(o.branch()), Outcome: outcomeOf(r.verdict), Why: why(r),
		Proof: proof(r), Live: r.Live,
		Tiles: o.tiles(), Lanes: lanesOf(o.story, s.zone), Gone: o.gone(), Hooks: o.hooks(name)}
	body.Crumbs = []pages.Link{{Text: "Sessions", Href: "/sessions"}, projectLink(r), {Text: plain.Line(r.Source + " / " + name)}}
	lines := s.tell(ctx, body, o, values)
	body.Find = &pages.Find{Session: r.name()}
	if s.act {
		body.Seen = pages.Seen{Session: r.name(), Events: o.story.Stored.Count().Events}
	}
	body.Error = o.errorPart()
	body.Files, body.More = o.files()
	body.Family = familyOf(v, r)
	body.Kinds, body.Prices = o.kinds()
	body.Copy = o.copies()
	frame := &pages.Frame{Title: plain.Cut(r.title(), 60), Page: "sessions", Heading: r.title(), Total: lines, Dollars: r.cost.Amount.Decimal()}
	return &show.Page{Frame: frame, Body: body}, nil
}

func agentLine(v *view, r *row) string {
	models := map[string]bool{}
	var names []string
	for i := range v.cells {
		if c := &v.cells[i]; c.row == r && c.model != "" && !models[c.model] {
			models[c.model] = true
			names = append(names, c.model)
		}
	}
	return plain.Line(units.Join(strings.TrimSpace(r.agentTitle()+" "+r.Agent.Version), plain.Cut(strings.Join(names, ", "), 60)))
}

func (s *sessionPages) when(r *row) string {
	if r.Start.IsZero() {
		return "at an unknown time"
	}
	start, end := r.Start.In(s.zone), r.End.In(s.zone)
	layout := "2 January 2006, 15:04"
	text := start.Format("2 January 2006, 15:04")
	if start.Format(time.DateOnly) == end.Format(time.DateOnly) {
		layout = "15:04"
	}
	return text + " to " + end.Format(layout) + ", active " + units.Milliseconds(max(r.ActiveMS, 1))
}

// why is the reason of an outcome, without the numbers of events, to which links lead.
func why(r *row) string {
	reason, _, _ := strings.Cut(plain.Line(r.verdict.Reason), " (event")
	return reason
}

// proof are the events that an outcome stands on.
func proof(r *row) (list []pages.Link) {
	for _, n := range r.verdict.Events {
		list = append(list, pages.Link{Text: "event " + strconv.Itoa(n), Href: r.eventAt(n)})
	}
	return list
}

// branch is the last one that an answer was given on.
func (o *opened) branch() string {
	for i := len(o.story.Trace.Responses) - 1; i >= 0; i-- {
		if b := o.story.Trace.Responses[i].Branch; b != "" {
			return b
		}
	}
	return ""
}

func (o *opened) gone() string {
	if !o.Gone {
		return ""
	}
	text := show.Agent(o.Source) + " has deleted its own file of this session, or it was moved. What aburn kept of it is below."
	if keeps := agentcli.Of(o.Source).Store.Keeps; keeps.Days > 0 {
		text += fmt.Sprintf(" It keeps sessions for %d days, unless %s in its %s says otherwise.", keeps.Days, keeps.Setting, keeps.File)
	}
	return text
}

func (o *opened) hooks(name string) string {
	switch {
	case o.story.Problem != nil:
		return plain.Line("What hooks recorded of it is left out: " + o.story.Problem.Error())
	case !o.story.Hooked:
		return ""
	case o.story.Differences > 0:
		return "Also recorded by aburn's hooks, with " + plain.Plural(int64(o.story.Differences), "difference") + ": aburn show " + plain.Line(name) +
			" --differences lists them. + marks what only they know."
	}
	return "Also recorded by aburn's hooks, without a difference. + marks what only they know."
}

func (o *opened) tiles() []pages.Figure {
	r, v := o.row, o.v
	cost := v.money(" of the session", &r.cost, filter{session: r.name()}.address("/cost"))
	if r.isSubagent() {
		cost.Name = v.amounts + " of the sub-agent"
	}
	cost.Small = unpriced(&r.cost)
	if len(r.subagents) > 0 {
		cost.Small = units.Join(cost.Small, v.currency.Says(r.familyCost)+" with "+plain.Plural(int64(len(r.subagents)), "sub-agent"))
	}
	list := []pages.Figure{cost}
	if r.endedCalls > 0 {
		list = append(list, failedCalls(r))
	}
	if o.digest != nil && len(o.digest.Changes) > 0 {
		added, removed := 0, 0
		for _, c := range o.digest.Changes {
			if c.Added != nil {
				added += *c.Added
			}
			if c.Removed != nil {
				removed += *c.Removed
			}
		}
		n := len(o.digest.Changes) + o.digest.More.Changes
		list = append(list, pages.Figure{Name: "files changed", Text: plain.Count(int64(n)), Small: fmt.Sprintf("+%d −%d", added, removed)})
	}
	tokens := r.cost.Tokens
	list = append(list, pages.Figure{Name: "tokens", Text: units.Amount(tokens.Total()), Value: fmt.Sprint(tokens.Total()),
		Small: units.Amount(tokens.CacheRead) + " from cache"})
	if r.spentFailed > 0 {
		list = append(list, pages.Figure{Name: "tokens spent in failed calls", Text: units.Amount(r.spentFailed), Value: fmt.Sprint(r.spentFailed)})
	}
	return list
}
