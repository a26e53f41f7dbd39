package viewer

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/supervise"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/logfmt"
	"aburn/web/pages"
)

// statuses are what `aburn status` says of each vouched project.
type statuses struct {
	mu sync.Mutex
	of map[string]projectStatus // by root
}

type projectStatus struct {
	report supervise.StatusReport
	err    error
	gone   bool // its folder is not there
}

func (s *statuses) set(root string, one projectStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]projectStatus{}
	}
	s.of[root] = one
}

// keep forgets all projects but these.
func (s *statuses) keep(roots []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for root := range s.of {
		if !slices.Contains(roots, root) {
			delete(s.of, root)
		}
	}
}

func (s *statuses) get(root string) (projectStatus, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.of[root]
	return one, ok
}

// gone reports whether the project's folder is not there.
func (s *statuses) gone(root string) bool {
	one, _ := s.get(root)
	return one.gone
}

// all are the projects' statuses in the order of their roots.
func (s *statuses) all() (roots []string, list []projectStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for root := range s.of {
		roots = append(roots, root)
	}
	slices.Sort(roots)
	for _, root := range roots {
		list = append(list, s.of[root])
	}
	return roots, list
}

// waiting is how many things wait for the user.
func (s *statuses) waiting() (n int) {
	_, list := s.all()
	for i := range list {
		n += len(list[i].report.Waits)
	}
	return n
}

// look asks what the sessions of a project are doing.
func (s *Site) look(ctx context.Context, root string) {
	if st, err := os.Stat(root); err != nil || !st.IsDir() {
		s.status.set(root, projectStatus{gone: true})
		return
	}
	answer, err := supervise.StatusOf(ctx, s.caller(root), supervise.StatusQuery{Vouched: true})
	one := projectStatus{err: err}
	if err == nil {
		one.report = answer.Report()
	}
	if ctx.Err() == nil {
		s.status.set(root, one)
	}
}

// words in front of what is asked.
var waitWords = map[string]string{"permission": "Permission", "question": "Question", "turn_failed": "Its turn failed", "queue": "Advice that aburn did not sign"}

func (s *Site) nowPage(_ context.Context, v *view, _ url.Values, _ *http.Request) (*shown, error) {
	body := &pages.Now{}
	roots, list := s.status.all()
	var notes []pages.Note
	for i := range list {
		if err := list[i].err; err != nil {
			f := kit.FailureOf(err)
			notes = append(notes, note(filepath.Base(roots[i])+": "+f.Msg, f.Hints...))
			continue
		}
		s.addProject(body, v, roots[i], &list[i].report)
	}
	bySince := func(a, b pages.Card) int { return cmp.Compare(a.SinceMS, b.SinceMS) }
	slices.SortStableFunc(body.Waiting, bySince)
	slices.SortStableFunc(body.Living, func(a, b pages.Card) int { return cmp.Compare(b.SinceMS, a.SinceMS) })
	for i, cards := range [...][]pages.Card{body.Waiting, body.Stuck, body.Living} {
		for k := range cards {
			cards[k].ID = fmt.Sprintf("c%d-%d", i, k)
		}
	}
	s.addToday(body, v)
	frame := &pages.Frame{Title: "Now", Page: "now", Heading: "Now", Sub: kit.Join(s.projectsWord(filter{}), v.made.Format("Monday 2 January 2006")), Notes: notes, Total: len(body.Waiting)}
	return &shown{frame: frame, body: body}, nil
}

// endedShown is how many sessions that ended today are listed.
const endedShown = 20

func (s *Site) addToday(body *pages.Now, v *view) {
	ended := filter{ended: v.today}
	list := v.sessions(ended)
	for _, r := range list[:min(len(list), endedShown)] {
		body.Ended = append(body.Ended, s.rowOf(v, r))
	}
	if len(list) > endedShown {
		body.MoreEnded = pages.Link{Text: "all " + plain.Count(int64(len(list))), Href: ended.at("/sessions")}
	}
	failed := ended.with("outcome", "failed")
	answers := v.answers(filter{day: v.today})
	sum := total(answers)
	body.Today = []pages.Figure{
		money("list price", &sum, filter{day: v.today}.at("/cost")),
		count("sessions and sub-agents with answers", sessionsIn(answers), filter{day: v.today, kind: "all"}.at("/sessions")),
		count("sessions", len(list), ended.at("/sessions")),
		count("failed sessions", len(v.sessions(failed)), failed.at("/sessions")),
	}
	body.Today[2].Name = "sessions that ended"
	body.Archive = []pages.Note{{Text: plain.Plural(int64(len(v.sessions(filter{}))), "session") + ", as of " + v.made.Format("15:04:05")}}
}

// addProject adds the cards of a project.
func (s *Site) addProject(body *pages.Now, v *view, root string, r *supervise.StatusReport) {
	waits := map[logfmt.SessionID]bool{}
	for i := range r.Waits {
		w := &r.Waits[i]
		waits[w.Session] = true
		card := s.card(v, root, w.Source, w.Session, r.Branch)
		card.Class, card.Mark, card.Says = "asks", "◆", "waits"
		card.What = waitWords[w.Kind]
		switch {
		case w.Kind == "queue":
			card.Title, card.What = filepath.Base(root), plain.Plural(int64(w.Tasks), "task")+" in the queue that aburn did not sign"
			card.Copy = []pages.Copy{{Label: "Copy command", Text: "cd " + kit.ShellWord(root) + " && aburn queue list"}}
		case w.Error != "":
			card.Quoted = plain.Line(w.Error)
		default:
			card.What += ": " + cmp.Or(plain.Line(scope.ToolWord(w.Tool)), "of an unknown tool")
			card.Quoted = plain.Line(w.Input)
		}
		if w.Agent != "" {
			card.What += ", asked by the sub-agent " + plain.Line(w.Agent)
		}
		if w.Seq > 0 {
			card.Proof = fmt.Sprintf("entry %d of the log", w.Seq)
		}
		s.since(&card, w.Since)
		body.Waiting = append(body.Waiting, card)
	}
	for i := range r.Issues {
		is := &r.Issues[i]
		if is.Level != "queue" && is.Priority != "critical" {
			continue
		}
		card := s.card(v, root, "", is.Session, r.Branch)
		card.Class, card.Mark, card.Says = "stuck", "↻", fmt.Sprintf("%s, %.0f %% sure", strings.ReplaceAll(string(is.Type), "_", " "), min(99, is.Confidence*100))
		if is.Since != nil { // the words stand before the time
			card.Says += ","
		}
		card.What = shownText(is.Says)
		card.Proof = proofWords(is.Evidence)
		s.since(&card, is.Since)
		card.Copy = append([]pages.Copy{{Label: "Copy explain command", Text: "cd " + kit.ShellWord(root) + " && aburn supervisor --explain " + kit.ShellWord(string(is.Type))}}, card.Copy...)
		body.Stuck = append(body.Stuck, card)
	}
	for i := range r.Sessions {
		one := &r.Sessions[i]
		if waits[one.Session] || one.State == "ended" || one.State == "gone" || s.now().Sub(one.LastTime) > livingFor {
			continue
		}
		card := s.card(v, root, one.Source, one.Session, r.Branch)
		card.Class, card.Mark, card.Says = "works", "●", "works"
		if one.State != "working" {
			card.Class, card.Mark, card.Says = "idle", "○", map[string]string{"idle": "its turn is over"}[string(one.State)]
			if card.Says == "" {
				card.Says = "last sign of life"
			}
		}
		card.What = workWords(one.Cmd, one.Agents)
		if one.Phase != nil {
			card.What = kit.Join(card.What, fmt.Sprintf("%s for %s of %s", plain.Line(one.Phase.Name), kit.Milliseconds(one.Phase.WorkedMS), kit.Milliseconds(one.Phase.Timeout)))
		}
		since := one.Since
		if since == nil {
			since = &one.LastTime
		}
		if one.Last != nil {
			card.Proof = fmt.Sprintf("last entry %s, %s", plain.Line(string(one.Last.Event)), s.clockTime(one.Last.Time, v.made).Text)
		}
		s.since(&card, since)
		body.Living = append(body.Living, card)
	}
}

// livingFor is how long after its last sign of life a session counts as living.
const livingFor = 12 * time.Hour

func workWords(cmd string, agents int) string {
	text := plain.Line(cmd)
	if agents > 0 {
		text = kit.Join(text, plain.Plural(int64(agents), "sub-agent")+" at work")
	}
	return text
}

// shownText is a text of the log without secrets.
func shownText(text string) string {
	text, _ = scrub.Text(plain.Line(text))
	return text
}

func proofWords(seqs []logfmt.Seq) string {
	if len(seqs) == 0 {
		return ""
	}
	var words []string
	for i, n := range seqs {
		if i == 4 {
			words = append(words, fmt.Sprintf("and %d more", len(seqs)-i))
			break
		}
		words = append(words, fmt.Sprint(n))
	}
	return "entries " + strings.Join(words, ", ") + " of the log"
}

// card is a card of a session, with what the archive knows of it.
func (s *Site) card(v *view, root, source string, session logfmt.SessionID, branch string) pages.Card {
	card := pages.Card{Title: plain.Line(kit.Join(source, string(session)))}
	agent := agentTitle(source)
	for _, r := range [...]*row{v.byName[source+"/"+string(session)], v.find(string(session))} {
		if r == nil || session == "" {
			continue
		}
		card.Title, card.Href, agent = r.title(), r.address(), r.agent()
		if r.family.Responses > 0 {
			card.Cost = money("list price with sub-agents", &r.family, filter{family: r.head.name()}.at("/cost"))
		}
		if resume := resumeCommand(r.Source, r.ID, r.Project.Path); resume != "" {
			card.Copy = []pages.Copy{{Label: "Copy resume command", Text: resume}}
		}
		break
	}
	card.Where = plain.Line(kit.Join(filepath.Base(root), branch, agent))
	return card
}

// find is the session with this id, of whichever agent.
func (v *view) find(id string) *row {
	for _, source := range v.sources() {
		if r := v.byName[source+"/"+id]; r != nil && !r.subagent() {
			return r
		}
	}
	return nil
}

func (s *Site) since(card *pages.Card, at *time.Time) {
	if at == nil || at.IsZero() {
		return
	}
	card.Since, card.SinceMS = s.clockTime(*at, s.now()).Text, at.UnixMilli()
}
