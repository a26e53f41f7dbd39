package site

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
	"aburn/web/site/snapshot"
)

// sessionPages are the pages of one session, and of one of its events.
type sessionPages struct {
	*snapshot.Scope
	seen *seenMarks
	act  bool // the pages have buttons

	living func(v *snapshot.View) map[string]bool
}

// opened is a session with all that its page shows.
type opened struct {
	*snapshot.Row
	v      *snapshot.View
	story  *story.Story
	digest *insight.Digest // nil if there is none
}

func (s *sessionPages) open(ctx context.Context, v *snapshot.View, r *snapshot.Row) (*opened, error) {
	arch, err := archive.View(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	o := &opened{Row: r, v: v}
	if o.story, err = story.Of(ctx, arch, r.Session, v.Names, v.BySource[r.Source], v.Verdicts); err != nil {
		return nil, err
	}
	if list, err := digests.Of(ctx, s.Dir, []int64{r.Key}, nil); err == nil && len(list) == 1 {
		o.digest = list[0].Digest
	}
	return o, nil
}

func (s *sessionPages) page(ctx context.Context, v *snapshot.View, values url.Values, req *http.Request) (*show.Page, error) {
	name := req.PathValue("source") + "/" + req.PathValue("id")
	r := v.ByName[name]
	if of, n, ok := eventOf(name); r == nil && ok && v.ByName[of] != nil {
		return s.eventPage(ctx, v, v.ByName[of], n, values)
	}
	if r == nil {
		return nil, show.NotFound("no session is called " + fault.Quote(name))
	}
	o, err := s.open(ctx, v, r)
	if err != nil {
		return nil, err
	}
	name = v.Names.Of(r.Source, r.ID)
	body := &pages.Session{Name: name, Agent: agentLine(v, r), When: s.when(r), Branch: plain.Line(o.branch()), Outcome: snapshot.OutcomeOf(r.Verdict),
		Why:   why(r),
		Proof: proof(r), Live: r.Live,
		Tiles: o.tiles(), Lanes: lanesOf(o.story, s.Zone), Gone: o.gone(), Hooks: o.hooks(name)}
	if stillRuns(r, s.living(v)) {
		body.Outcome, body.Why, body.Proof = snapshot.OutcomeOf(running), "hooks saw no end of it", nil
	}
	body.Crumbs = []pages.Link{{Text: "Sessions", Href: "/sessions"}, snapshot.ProjectLink(r), {Text: plain.Line(r.AgentTitle() + " / " + name)}}
	lines := s.tell(ctx, body, o, values)
	body.Find = &pages.Find{Session: r.Name()}
	if s.act {
		body.Seen = pages.Seen{Session: r.Name(), Events: o.story.Stored.Count().Events}
	}
	body.Error = o.errorPart()
	body.Files, body.More = o.files()
	body.Family = familyOf(v, r)
	body.Kinds, body.Prices = o.kinds()
	body.Copy = o.copies()
	frame := &pages.Frame{Title: plain.Cut(r.Title(), 60), Page: "sessions", Heading: r.Title(), Total: lines, Dollars: r.Cost.Amount.Decimal()}
	return &show.Page{Frame: frame, Body: body}, nil
}

func agentLine(v *snapshot.View, r *snapshot.Row) string {
	models := map[string]bool{}
	var names []string
	for i := range v.Cells {
		if c := &v.Cells[i]; c.Row == r && c.Model != "" && !models[c.Model] {
			models[c.Model] = true
			names = append(names, c.Model)
		}
	}
	return plain.Line(units.Join(strings.TrimSpace(r.AgentTitle()+" "+r.Agent.Version), plain.Cut(strings.Join(names, ", "), 60)))
}

func (s *sessionPages) when(r *snapshot.Row) string {
	if r.Start.IsZero() {
		return "at an unknown time"
	}
	start, end := r.Start.In(s.Zone), r.End.In(s.Zone)
	layout := "2 January 2006, 15:04"
	text := start.Format("2 January 2006, 15:04")
	if start.Format(time.DateOnly) == end.Format(time.DateOnly) {
		layout = "15:04"
	}
	return text + " to " + end.Format(layout) + ", active " + units.Milliseconds(max(r.ActiveMS, 1))
}

// why is the reason of an outcome, without the numbers of events, to which links lead.
func why(r *snapshot.Row) string {
	reason, _, _ := strings.Cut(plain.Line(r.Verdict.Reason), " (event")
	return reason
}

// proof are the events that an outcome stands on.
func proof(r *snapshot.Row) (list []pages.Link) {
	for _, n := range r.Verdict.Events {
		list = append(list, pages.Link{Text: "event " + strconv.Itoa(n), Href: r.EventAt(n)})
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
	text := show.Agent(o.Source) + " has deleted its own file of this session, or it was moved. Below is what aburn saved of it."
	if keeps := agentcli.Of(o.Source).Store.Keeps; keeps.Days > 0 {
		text += fmt.Sprintf(" It keeps sessions for %d days, unless %s in its %s says otherwise.", keeps.Days, keeps.Setting, keeps.File)
	}
	return text
}

func (o *opened) hooks(name string) string {
	switch {
	case o.story.Problem != nil:
		return plain.Line("The hooks' records of it are left out: " + o.story.Problem.Error())
	case !o.story.Hooked:
		return ""
	case o.story.Differences > 0:
		return "Also recorded by aburn's hooks, with " + plain.Plural(int64(o.story.Differences), "difference") + ": aburn show " + plain.Line(name) +
			" --differences lists them. + marks what only hooks recorded."
	}
	return "Also recorded by aburn's hooks, without a difference. + marks what only hooks recorded."
}

func (o *opened) tiles() []pages.Figure {
	r, v := o.Row, o.v
	cost := v.SessionsMoney(" of the session", &r.Cost, 1, snapshot.Filter{Session: r.Name()}.Address("/cost"))
	if r.IsSubagent() {
		cost.Name = v.Amounts + " of the sub-agent"
	}
	cost.Small = snapshot.Unpriced(&r.Cost)
	if len(r.Subagents) > 0 && r.FamilyCost.Tokens.Total() > 0 {
		cost.Small = units.Join(cost.Small, v.Currency.Says(r.FamilyCost)+" with "+plain.Plural(int64(len(r.Subagents)), "sub-agent"))
	}
	list := []pages.Figure{cost}
	if r.EndedCalls > 0 {
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
	if tokens := r.Cost.Tokens; tokens.Total() == 0 {
		list = append(list, pages.Figure{Name: "tokens", Text: "–"})
	} else {
		list = append(list, pages.Figure{Name: "tokens", Text: units.Amount(tokens.Total()), Value: fmt.Sprint(tokens.Total()),
			Small: units.Amount(tokens.CacheRead) + " from cache"})
	}
	if r.SpentFailed > 0 {
		list = append(list, pages.Figure{Name: "tokens spent in failed calls", Text: units.Amount(r.SpentFailed), Value: fmt.Sprint(r.SpentFailed)})
	}
	return list
}
