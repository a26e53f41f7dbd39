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
	"aburn/cmd/aburn/internal/bill"
	"aburn/cmd/aburn/internal/sessions"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/trace"
	"aburn/web/pages"
)

// linesPerPage is how many lines of a story a page has.
const linesPerPage = 100

// opened is a session with all that its page shows.
type opened struct {
	*row
	story  *sessions.Story
	digest *insight.Digest // nil if there is none
}

func (s *Site) open(ctx context.Context, v *view, r *row) (*opened, error) {
	arch, err := archive.View(ctx, s.dir)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	o := &opened{row: r}
	if o.story, err = sessions.StoryOf(ctx, arch, r.Session, v.names, v.bySource[r.Source], v.verdicts); err != nil {
		return nil, err
	}
	if list, err := digests.Of(ctx, s.dir, []int64{r.Key}, nil); err == nil && len(list) == 1 {
		o.digest = list[0].Digest
	}
	return o, nil
}

func (s *Site) sessionPage(ctx context.Context, v *view, values url.Values, req *http.Request) (*shown, error) {
	r := v.byName[req.PathValue("source")+"/"+req.PathValue("id")]
	if r == nil {
		return nil, notFound("no session of a project that you have vouched for is called " + kit.Quote(req.PathValue("source")+"/"+req.PathValue("id")))
	}
	o, err := s.open(ctx, v, r)
	if err != nil {
		return nil, err
	}
	name := v.names.Of(r.Source, r.ID)
	body := &pages.Session{Name: name, Agent: s.agentLine(v, r), When: s.when(r), Branch: plain.Line(o.branch()), Outcome: outcomeOf(r.verdict), Why: why(r), Proof: proof(r), Live: r.Live,
		Tiles: o.tiles(v), Lanes: s.lanes(o.story), Gone: o.gone(), Hooks: o.hooks(name)}
	body.Crumbs = []pages.Link{{Text: "Sessions", Href: "/sessions"}, projectLink(r), {Text: plain.Line(r.Source + " / " + name)}}
	lines := s.tell(body, o, values)
	body.Error = o.mainError(v)
	body.Files, body.More = o.files()
	body.Family = s.familyOf(v, r)
	body.Kinds, body.Prices = o.kinds(v)
	body.Copy = o.copies()
	frame := &pages.Frame{Title: plain.Cut(r.title(), 60), Page: "sessions", Heading: r.title(), Total: lines, Dollars: r.own.Amount.Decimal()}
	return &shown{frame: frame, body: body}, nil
}

func (s *Site) agentLine(v *view, r *row) string {
	models := map[string]bool{}
	var names []string
	for i := range v.cells {
		if c := &v.cells[i]; c.row == r && c.model != "" && !models[c.model] {
			models[c.model] = true
			names = append(names, c.model)
		}
	}
	return plain.Line(kit.Join(strings.TrimSpace(r.agent()+" "+r.Agent.Version), plain.Cut(strings.Join(names, ", "), 60)))
}

func (s *Site) when(r *row) string {
	if r.Start.IsZero() {
		return "at an unknown time"
	}
	start, end := r.Start.In(s.zone), r.End.In(s.zone)
	layout := "2 January 2006, 15:04"
	text := start.Format("2 January 2006, 15:04")
	if start.Format(time.DateOnly) == end.Format(time.DateOnly) {
		layout = "15:04"
	}
	return text + " to " + end.Format(layout) + ", active " + kit.Milliseconds(max(r.ActiveMS, 1))
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
	text := agentTitle(o.Source) + " has deleted its own file of this session, or it was moved. What aburn kept of it is below."
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
		return "Also recorded by aburn's hooks, with " + plain.Plural(int64(o.story.Differences), "difference") + ": aburn show " + plain.Line(name) + " --differences lists them. + marks what only they know."
	}
	return "Also recorded by aburn's hooks, without a difference. + marks what only they know."
}

func (o *opened) tiles(v *view) []pages.Figure {
	r := o.row
	cost := money("list price of the session", &r.own, filter{session: r.name()}.at("/cost"))
	if r.subagent() {
		cost.Name = "list price of the sub-agent"
	}
	cost.Small = unpriced(&r.own)
	if len(r.below) > 0 {
		cost.Small = kit.Join(cost.Small, bill.Dollars(&r.family)+" with "+plain.Plural(int64(len(r.below)), "sub-agent"))
	}
	list := []pages.Figure{cost}
	if r.ended > 0 {
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
	tokens := r.own.Tokens
	list = append(list, pages.Figure{Name: "tokens", Text: kit.Amount(tokens.Total()), Value: fmt.Sprint(tokens.Total()), Small: kit.Amount(tokens.CacheRead) + " from cache"})
	if r.spent > 0 {
		list = append(list, pages.Figure{Name: "tokens spent in failed calls", Text: kit.Amount(r.spent), Value: fmt.Sprint(r.spent)})
	}
	return list
}

// onlys are the parts of a story that can be chosen.
var onlys = [][2]string{{"", "All"}, {"prompts", "Prompts"}, {"calls", "Calls"}, {"failed", "Failed"}}

func holdsLine(only string, l *sessions.StoryLine) bool {
	switch only {
	case "prompts":
		return l.Prompt
	case "calls":
		return l.Call
	case "failed":
		return l.Failed
	}
	return true
}

// tell puts the chosen part of the story into the page: from the event that ?at= names, else from the start, or of a running
// session the end. It returns how many lines were chosen.
func (s *Site) tell(body *pages.Session, o *opened, values url.Values) (lines int) {
	only := values.Get("only")
	body.Only = pages.Choice{Label: "Which events"}
	var list []*sessions.StoryLine
	counts := map[string]int{}
	for i := range o.story.Lines {
		l := &o.story.Lines[i]
		for _, w := range onlys {
			if holdsLine(w[0], l) {
				counts[w[0]]++
			}
		}
		if holdsLine(only, l) {
			list = append(list, l)
		}
	}
	for _, w := range onlys {
		href := o.address()
		if w[0] != "" {
			href += "?only=" + w[0]
		}
		body.Only.Links = append(body.Only.Links, pages.Link{Text: w[1] + " " + plain.Count(int64(counts[w[0]])), Href: href, Current: only == w[0]})
	}
	from := beginning(list, values, o.Live)
	to := min(from+linesPerPage, len(list))
	body.Range = fmt.Sprintf("%s to %s of %s", plain.Count(int64(min(from+1, len(list)))), plain.Count(int64(to)), plain.Count(int64(len(list))))
	at := func(line int) string {
		q := url.Values{"line": {strconv.Itoa(line + 1)}}
		if only != "" {
			q.Set("only", only)
		}
		return o.address() + "?" + q.Encode()
	}
	if from > 0 {
		body.Earlier = at(max(from-linesPerPage, 0))
	}
	if to < len(list) {
		body.Later = at(to)
	}
	body.Lines = s.linesOf(o, list, from, to)
	return len(list)
}

// beginning is the first line that is shown.
func beginning(list []*sessions.StoryLine, values url.Values, live bool) int {
	last := max(len(list)-linesPerPage, 0)
	if n, err := strconv.Atoi(values.Get("line")); err == nil {
		return min(max(n-1, 0), max(len(list)-1, 0))
	}
	n, err := strconv.Atoi(values.Get("at"))
	if err != nil {
		if live {
			return last
		}
		return 0
	}
	for i, l := range list {
		if l.Event >= n {
			return max(min(i-linesPerPage/4, last), 0) // with what led to it
		}
	}
	return last
}

func (s *Site) linesOf(o *opened, list []*sessions.StoryLine, from, to int) (lines []pages.Line) {
	where, day := "", ""
	for i, l := range list[from:to] {
		one := s.lineOf(o, l)
		if l.Where != where {
			one.Where = plain.Line(l.Where)
			if l.Where == "" {
				one.Where = "its own events from here"
			}
			where = l.Where
		}
		if !l.Time.IsZero() {
			if d := l.Time.In(s.zone).Format("Monday 2 January 2006"); d != day {
				if i > 0 || from > 0 {
					one.Day = d
				}
				day = d
			}
		}
		lines = append(lines, one)
	}
	return lines
}

func (s *Site) lineOf(o *opened, l *sessions.StoryLine) pages.Line {
	one := pages.Line{Number: l.Event, Mark: l.Mark, Word: plain.Line(l.Name), Class: classOf(l), Name: plain.Line(l.Name), Took: plain.Line(l.Took), Path: plain.Line(l.Path),
		Detail: plain.Cut(plain.Line(l.Detail), 600), Indent: l.Indent}
	if l.Event > 0 {
		one.Href = o.eventAt(l.Event)
	}
	if !l.Time.IsZero() {
		one.Time = pages.Time{Text: l.Time.In(s.zone).Format("15:04:05"), Exact: l.Time.In(s.zone).Format(time.RFC3339)}
	}
	switch {
	case l.Prompt:
		one.Kind, one.Word = "prompt", "your prompt"
	case l.Failed:
		one.Kind, one.Word = "failed", "failed"
	case l.Where != "":
		one.Kind = "aside"
	}
	if l.Session != "" {
		if v := s.view.Load(); v != nil && v.byName[o.Source+"/"+l.Session] != nil {
			one.Link = pages.Link{Text: "open the sub-agent", Href: v.byName[o.Source+"/"+l.Session].address()}
		}
	}
	return one
}

// classOf is the colour of a line's mark: the one that a terminal has.
func classOf(l *sessions.StoryLine) string {
	switch l.Style {
	case term.Red, term.BoldRed:
		return "bad"
	case term.Yellow, term.BoldYellow:
		return "held"
	case term.Green, term.BoldGreen:
		return "good"
	case term.Blue, term.Cyan, term.BoldCyan:
		return "live"
	case term.Magenta:
		return "cut"
	}
	return "dim"
}

func (o *opened) mainError(v *view) *pages.MainError {
	if o.main == nil {
		return nil
	}
	f := filter{key: o.keys.Fine, kind: "all"}
	n := len(v.sessions(f)) - 1
	if !o.over() { // it is not counted yet
		n++
	}
	return &pages.MainError{Text: plain.Line(o.main.Text), Class: kit.Join(string(o.main.Class), insight.Times(o.main.Count)), Key: o.keys.Fine, Href: "/failures/" + o.keys.Fine,
		At: pages.Link{Text: "event " + strconv.Itoa(o.main.First), Href: o.eventAt(o.main.First)}, Others: pages.Figure{Text: plain.Count(int64(n)), Small: "other sessions and sub-agents"}}
}

// filesShown is how many changed files are listed.
const filesShown = 12

func (o *opened) files() (list []pages.FileChange, more int) {
	if o.digest == nil {
		return nil, 0
	}
	for i, c := range o.digest.Changes {
		if i == filesShown {
			break
		}
		one := pages.FileChange{Path: plain.CutStart(plain.Line(c.Path), 46), Href: o.eventAt(c.Event)}
		if c.Added != nil {
			one.Added = "+" + strconv.Itoa(*c.Added)
		}
		if c.Removed != nil {
			one.Removed = "−" + strconv.Itoa(*c.Removed)
		}
		list = append(list, one)
	}
	return list, len(o.digest.Changes) - len(list) + o.digest.More.Changes
}

// relativesShown is how many relatives are listed.
const relativesShown = 12

// familyOf are the sessions that a session belongs together with.
func (s *Site) familyOf(v *view, r *row) (list []pages.Relative) {
	add := func(sign, word string, o *row, detail string) {
		one := pages.Relative{Sign: sign, Word: word, Detail: detail, Link: pages.Link{Text: plain.Cut(o.title(), 44), Href: o.address()}}
		if o.own.Responses > 0 {
			one.Cost = pages.Figure{Text: bill.Dollars(&o.own)}
		}
		list = append(list, one)
	}
	if r.parent != nil {
		add("↑", "started by", r.parent, "")
	}
	for i := range v.rows {
		if len(list) >= relativesShown {
			break
		}
		if o := v.rows[i]; o.parent == r {
			add("↳", "sub-agent", o, outcomeOf(o.verdict).Word)
		}
	}
	return append(list, s.relations(v, r)...)
}

// relations are the forks and continuations of a session, both ways.
func (s *Site) relations(v *view, r *row) (list []pages.Relative) {
	for _, tie := range v.ties {
		if tie.Kind == trace.Subagent || tie.Key != r.Key && tie.RelatedKey != r.Key || len(list) >= relativesShown {
			continue
		}
		other, sign, word := v.byKey[tie.RelatedKey], "↑", string(tie.Kind)+" of"
		if tie.RelatedKey == r.Key {
			other, sign, word = v.byKey[tie.Key], "↗", string(tie.Kind)
		}
		if other == nil {
			continue
		}
		list = append(list, pages.Relative{Sign: sign, Word: word, Link: pages.Link{Text: plain.Cut(other.title(), 44), Href: other.address()}})
	}
	return list
}

func (o *opened) kinds(v *view) (list []pages.Pair, note string) {
	t := &o.own.Tokens
	for _, k := range []struct {
		name string
		n    int64
	}{{"input", t.Input}, {"read from cache", t.CacheRead}, {"written to cache, 5 min", t.Write5m}, {"written to cache, 1 h", t.Write1h}, {"written to cache", t.Write}, {"output", t.Output}, {"web searches", o.own.Searches}} {
		if k.n > 0 {
			list = append(list, pages.Pair{Name: k.name, Value: kit.Amount(k.n)})
		}
	}
	return list, "Priced with list prices as known on " + string(v.prices.Made) + "."
}

// copies are the commands that go on with a session.
func (o *opened) copies() (list []pages.Copy) {
	if resume := resumeCommand(o.Source, o.head.ID, o.head.Project.Path); resume != "" {
		list = append(list, pages.Copy{Label: "Copy resume command", Text: resume})
	}
	return append(list, pages.Copy{Label: "Copy show command", Text: "aburn show " + kit.ShellWord(o.Source+"/"+o.ID)})
}

// resumeCommand is how a person takes a session up again, "" where that is not known.
func resumeCommand(source, id, dir string) string {
	with := agentcli.Of(source).Resume
	if with == "" || id == "" || plain.Line(id) != id || plain.Line(dir) != dir {
		return ""
	}
	text := with + " " + kit.ShellWord(id)
	if dir != "" {
		text = "cd " + kit.ShellWord(dir) + " && " + text
	}
	return text
}

// longestPause is what the lanes show of a pause.
const longestPause = 45 * time.Second

// laneKinds are the kinds of tools by lane, with the words of the legend.
var laneKinds = []struct {
	kind trace.ToolType
	lane int
}{{trace.ReadTool, 0}, {trace.SearchTool, 0}, {trace.WebTool, 0}, {trace.EditTool, 1}, {trace.MCPTool, 1}, {trace.OtherTool, 1}, {trace.ShellTool, 2}, {trace.AgentTool, 3}}

// lanes draws the calls of a session over its working time.
func (s *Site) lanes(story *sessions.Story) *pages.Lanes {
	t := story.Trace
	scale := newScale(t)
	if scale == nil {
		return nil
	}
	l := &pages.Lanes{}
	seen := map[trace.ToolType]bool{}
	failed := 0
	calls := t.Calls()
	for i := range calls {
		c := &calls[i]
		if !c.Counts() || c.Event.Time.IsZero() {
			continue
		}
		span, bad := scale.span(c)
		if bad {
			failed++
			span.Class = "c-bad"
		}
		seen[c.Call.Type] = true
		l.Spans = append(l.Spans, span)
	}
	if len(l.Spans) == 0 || len(l.Spans) > mostSpans {
		return nil
	}
	prompts := 0
	for i := range t.Events {
		if e := &t.Events[i]; sessions.IsPrompt(e) && !e.Time.IsZero() {
			prompts++
			l.Lines = append(l.Lines, strconv.FormatFloat(scale.at(e.Time), 'f', 1, 64))
		}
	}
	for _, k := range laneKinds {
		if seen[k.kind] {
			l.Kinds = append(l.Kinds, pages.Part{Class: "c-" + string(k.kind), Name: string(k.kind)})
		}
	}
	if failed > 0 {
		l.Kinds = append(l.Kinds, pages.Part{Class: "c-bad", Name: "failed"})
	}
	l.Ends = []string{scale.first.In(s.zone).Format("15:04") + ", " + plain.Plural(int64(prompts), "prompt"), "pauses are cut short", scale.last.In(s.zone).Format("15:04")}
	l.Label = fmt.Sprintf("%s, %d failed, in %s", plain.Plural(int64(len(l.Spans)), "call"), failed, plain.Plural(int64(prompts), "prompt"))
	return l
}

// mostSpans bounds what is drawn: a page has at most 150 KB.
const mostSpans = 700

// scale maps times to places between 0 and 1000, with pauses cut short.
type scale struct {
	times       []time.Time
	places      []float64
	first, last time.Time
}

func newScale(t *trace.SessionTrace) *scale {
	s := &scale{}
	total := time.Duration(0)
	for i := range t.Events {
		e := &t.Events[i]
		if e.Copied != "" || e.Time.IsZero() || !s.last.IsZero() && e.Time.Before(s.last) {
			continue
		}
		if !s.last.IsZero() {
			total += min(e.Time.Sub(s.last), longestPause)
		} else {
			s.first = e.Time
		}
		s.last = e.Time
		s.times, s.places = append(s.times, e.Time), append(s.places, float64(total))
	}
	if total <= 0 {
		return nil
	}
	for i := range s.places {
		s.places[i] *= pages.PlotWidth / float64(total)
	}
	return s
}

// at is the place of a time: that of the last event before it.
func (s *scale) at(t time.Time) float64 {
	low, high := 0, len(s.times)
	for low < high {
		if mid := (low + high) / 2; s.times[mid].After(t) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return s.places[max(low-1, 0)]
}

func (s *scale) span(c *trace.Call) (span pages.Span, failed bool) {
	span.Class, span.Lane = "c-"+string(c.Call.Type), 1
	for _, k := range laneKinds {
		if k.kind == c.Call.Type {
			span.Lane = k.lane
		}
	}
	span.X = s.at(c.Event.Time)
	if last := c.Last(); last != nil && !last.Time.IsZero() {
		span.W = s.at(last.Time) - span.X
		failed = last.Status != trace.StatusRunning && last.Failed()
	}
	span.W = max(min(span.W, pages.PlotWidth-span.X), 2)
	span.X = min(span.X, pages.PlotWidth-span.W)
	return span, failed
}
