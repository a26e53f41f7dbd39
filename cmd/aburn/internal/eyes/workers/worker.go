package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/attention"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/units"
	"aburn/supervisor/status"
	"aburn/web/pages"
	"aburn/web/show"
	"aburn/worker"
	"aburn/worker/board"
	"aburn/worker/describe"
)

// squadNamed is the project that an address names: by its key, or by its folder's name if only one project has that.
func (s *Pages) squadNamed(name string) (squad *board.ProjectWorkers, exact bool) {
	list := s.squads()
	var found *board.ProjectWorkers
	for i := range list {
		switch {
		case list[i].Key == name:
			return &list[i], true
		case filepath.Base(list[i].Root) == name && found != nil:
			return nil, false
		case filepath.Base(list[i].Root) == name:
			found = &list[i]
		}
	}
	return found, false
}

// named is the worker that a request is about; elsewhere is its address if another one was asked for.
func (s *Pages) named(r *http.Request) (key, name, elsewhere string, err error) {
	key, name = r.PathValue("project"), r.PathValue("name")
	if s.o.Board == nil {
		return "", "", "", show.NotFound("this page shows no workers")
	}
	squad, exact := s.squadNamed(key)
	switch {
	case squad != nil && !exact:
		at := workerPath(squad.Key, name)
		if _, rest, more := strings.Cut(strings.TrimPrefix(r.URL.Path, "/w/"+key+"/"), "/"); more {
			at += "/" + rest
		}
		if r.URL.RawQuery != "" {
			at += "?" + r.URL.RawQuery
		}
		return "", "", at, nil
	case squad == nil:
		s.o.Board.Refresh(r.Context(), true) // it may have just come
		if squad, _ = s.squadNamed(key); squad == nil {
			return "", "", "", show.NotFound("no trusted project with workers is called " + fault.Quote(key))
		}
	}
	return squad.Key, name, "", nil
}

// partsOf are the pages of a worker. A recorded one has no repository here, so there is no diff.
func (s *Pages) partsOf(w *board.Standing, current string) pages.Choice {
	at := workerPath(w.Key, w.Worker)
	said := "Terminal"
	if w.Lines {
		said = "Conversation"
	}
	list := []pages.Link{{Text: "Overview", Href: at}, {Text: said, Href: at + "/terminal"}}
	if !s.o.Board.Recorded() {
		list = append(list, pages.Link{Text: "Diff", Href: at + "/diff"})
	}
	for i := range list {
		list[i].Current = list[i].Href == at+current
	}
	return pages.Choice{Label: "Parts of this worker's page", Links: list}
}

func (s *Pages) crumbsOf(w *board.Standing) []pages.Link {
	return []pages.Link{{Text: "Now", Href: "/"}, {Text: plain.Line(filepath.Base(w.Root)), Href: s.o.Sessions(w.Root)}, {Text: w.Worker}}
}

func noWorker(name string, err error) error {
	if errors.Is(err, board.ErrNoWorker) {
		return show.NotFound("no worker is called " + fault.Quote(name))
	}
	return err
}

// Page is the page of a worker.
func (s *Pages) Page(ctx context.Context, v Known, values url.Values, r *http.Request) (*show.Page, error) {
	key, name, elsewhere, err := s.named(r)
	if err != nil || elsewhere != "" {
		return &show.Page{Elsewhere: elsewhere}, err
	}
	only := values.Get("only")
	d, err := s.o.Board.Detail(ctx, key, name, only)
	if err != nil {
		return nil, noWorker(name, err)
	}
	w := &d.Standing
	body := &pages.WorkerPage{Project: key, Name: name, Crumbs: s.crumbsOf(w), Parts: s.partsOf(w, ""),
		Worker: s.workerCard(v, w), More: d.More, Asks: questions(w)}
	items := v.Items()
	for i := range items {
		if items[i].Root == w.Root && slices.Contains(w.Sessions, string(items[i].Session)) && items[i].Group != attention.Living {
			tellOnCard(&body.Worker, &items[i])
		}
	}
	if len(body.Asks) > 0 { // they say it, with the buttons
		body.Worker.What, body.Worker.Quoted = "", ""
	}
	body.Acts, body.CanSend = s.acts(d), s.o.Act && !d.Over
	body.Facts = s.factsOf(d)
	for _, o := range [][2]string{{"", "All"}, {"log", "Agent"}, {"ledger", "aburn"}} {
		at := workerPath(key, name)
		if o[0] != "" {
			at += "?only=" + o[0]
		}
		body.Only.Links = append(body.Only.Links, pages.Link{Text: o[1], Href: at, Current: o[0] == only})
	}
	body.Only.Label = "Which entries"
	body.Why, body.Lines = s.moments(d.Why, false), s.moments(d.Timeline, true)
	body.Issues = s.issuesOf(w)
	body.Pull, body.Forge = pullFacts(d), s.moments(d.Forge, true)
	for _, l := range d.Letters {
		body.Messages = append(body.Messages, pages.Letter{ID: l.ID, Time: show.Time(l.At, s.o.Now()), From: "from " + cmp.Or(show.Scrubbed(l.From), "you or aburn"),
			How: l.How, Open: l.Open, Text: show.ScrubbedText(l.Text)})
	}
	for _, one := range slices.Backward(d.Snapshots) {
		body.Snapshots = append(body.Snapshots, s.snapshotOf(w, &one))
	}
	body.Copy = terminalWays(d)
	return &show.Page{Frame: s.workerFrame(body.Worker.Name, body.Worker.Words), Body: body}, nil
}

func (s *Pages) workerFrame(name, sub string) *pages.Frame {
	return &pages.Frame{Title: plain.Line(name), Page: "now", Heading: plain.Line(name), Total: 1}
}

func questions(w *board.Standing) (list []pages.Question) {
	for _, q := range w.Asks {
		if q.ID == "" { // its terminal is the place to answer
			continue
		}
		list = append(list, pages.Question{ID: q.ID, What: plain.Cut(show.Scrubbed(q.What), 1000)})
	}
	return list
}

// acts are the buttons of a worker, as far as they can do something now.
func (s *Pages) acts(d *board.Detail) (list []pages.Act) {
	if !s.o.Act {
		return nil
	}
	add := func(ok bool, do, label string) {
		if ok {
			list = append(list, pages.Act{Do: do, Label: label})
		}
	}
	add(!d.Over && d.State == worker.Working.String(), "interrupt", "Interrupt")
	add(!d.Gone, "merge", "Merge…")
	add(!d.Over, "kill", "Kill…")
	add(d.Over, "resume", "Resume")
	add(d.Over && !d.Gone, "cleanup", "Clean up…")
	return list
}

func (s *Pages) factsOf(d *board.Detail) (list []pages.Pair) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, pages.Pair{Name: name, Value: show.Scrubbed(value)})
		}
	}
	add("agent", units.Join(show.Agent(d.Agent), d.Via))
	add("session", d.Session)
	add("branch", d.Branch)
	add("from", strings.TrimSpace(d.BaseRef+" "+d.Base[:min(8, len(d.Base))]))
	where := d.Tree
	if d.Gone {
		where += " (removed)"
	}
	add("worktree", where)
	add("changed", d.Stat)
	if d.PID > 0 {
		add("process", fmt.Sprint(d.PID))
	}
	if d.Exit != nil {
		add("exit", fmt.Sprint(*d.Exit))
	}
	if d.Damaged > 0 {
		add("damage", plain.Plural(int64(d.Damaged), "line")+" of its ledger could not be read")
	}
	for _, c := range d.Overlaps {
		add(c.Kind, "with "+c.Worker+": "+strings.Join(c.Files, ", "))
	}
	return list
}

// pullFacts are what is known of a worker's pull request. What nobody said stays out.
func pullFacts(d *board.Detail) (list []pages.Pair) {
	p := &d.Standing.Pull
	add := func(name, value string) {
		if value != "" {
			list = append(list, pages.Pair{Name: name, Value: show.Scrubbed(value)})
		}
	}
	if p.Number == 0 {
		return nil
	}
	add("number", fmt.Sprintf("#%d, %s", p.Number, p.Is))
	add("commit", p.Head[:min(8, len(p.Head))])
	add("checks", p.Checks)
	add("failed checks", strings.Join(d.Failed, ", "))
	add("review", map[string]string{worker.ReviewApproved: "approved", worker.ReviewChanges: "changes requested", worker.ReviewAsked: "asked for"}[p.Review])
	if d.Threads > 0 {
		add("open threads", fmt.Sprint(d.Threads))
	}
	if p.Conflicts {
		add("merge", "conflicts with its base")
	}
	return list
}

// moments are lines of a timeline.
func (s *Pages) moments(list []board.Moment, days bool) (lines []pages.Line) {
	day := s.o.Now().Format(time.DateOnly)
	for i := range list {
		m := &list[i]
		line := pages.Line{Mark: cmp.Or(m.Mark, "·"), Word: cmp.Or(m.Name, "entry"), Name: show.Scrubbed(m.Name), Detail: plain.Cut(show.Scrubbed(m.Text), 300),
			Class: "dim"}
		if m.File == "ledger" {
			line.Took = fmt.Sprintf("ledger %d", m.Seq)
		} else if m.Seq > 0 {
			line.Took = fmt.Sprintf("entry %d", m.Seq)
		}
		if !m.At.IsZero() {
			at := m.At.In(s.o.Now().Location())
			line.Time = pages.Time{Text: at.Format("15:04:05"), Exact: at.Format(time.RFC3339)}
			if date := at.Format(time.DateOnly); days && date != day {
				day, line.Day = date, at.Format("Monday 2 January 2006")
			}
		}
		switch {
		case m.Failed:
			line.Kind, line.Class = "failed", "bad"
		case m.Prompt:
			line.Kind = "prompt"
		}
		lines = append(lines, line)
	}
	return lines
}

// issuesOf is what the supervisor says of a worker's sessions.
func (s *Pages) issuesOf(w *board.Standing) (list []pages.Finding) {
	p, ok := s.o.Projects.Get(w.Root)
	if !ok || p.Err != nil {
		return nil
	}
	for i := range p.Report.Issues {
		is := &p.Report.Issues[i]
		if !slices.Contains(w.Sessions, string(is.Session)) || is.Session == "" {
			continue
		}
		item := attention.Item{Proof: is.Evidence}
		list = append(list, pages.Finding{Word: status.IssueWord(is.Type, is.Confidence), Says: show.Scrubbed(is.Says), Suggest: show.Scrubbed(is.Suggest),
			Proof: item.ProofWords()})
	}
	return list
}

func (s *Pages) snapshotOf(w *board.Standing, one *describe.SnapshotReport) pages.Snapshot {
	p := pages.Snapshot{Number: one.Number, Time: show.Time(one.At, s.o.Now()), Commit: one.Commit[:min(10, len(one.Commit))], Changed: "unknown changes"}
	if one.Changes != nil {
		p.Changed = plain.Plural(int64(*one.Changes), "changed file")
	}
	if one.Kind == string(worker.Preserved) {
		p.Remark = "before its worktree was removed"
	}
	if len(one.Skipped) > 0 {
		p.Remark = units.Join(p.Remark, show.Scrubbed("without "+strings.Join(one.Skipped, "; ")))
	}
	p.Copy = []pages.Copy{{Label: "Copy command to get it back",
		Text: "cd " + shell.Quote(w.Root) + fmt.Sprintf(" && aburn snapshots %s --restore %d --into ../%s-%d", w.Worker, one.Number, w.Worker, one.Number)}}
	return p
}

// terminalWays are the commands of a terminal that go on from here.
func terminalWays(d *board.Detail) (list []pages.Copy) {
	there := "cd " + shell.Quote(d.Root) + " && aburn "
	if !d.Over {
		list = append(list, pages.Copy{Label: "Copy attach command", Text: there + "attach " + d.Worker})
	}
	if !d.Gone {
		list = append(list, pages.Copy{Label: "Copy path of its worktree", Text: "cd " + shell.Quote(d.Tree)})
	}
	return list
}

// signs are what stands before passages, as aburn attach has them.
var signs = map[string]string{"person": ">", "agent": "●", "tool": "⚙", "result": "↳", "asks": "?", "note": "·"}

// Terminal is the page of a worker's terminal, or of its conversation where it has none.
func (s *Pages) Terminal(ctx context.Context, v Known, _ url.Values, r *http.Request) (*show.Page, error) {
	key, name, elsewhere, err := s.named(r)
	if err != nil || elsewhere != "" {
		return &show.Page{Elsewhere: elsewhere}, err
	}
	w, said, more, errs, err := s.o.Board.Story(ctx, key, name)
	if err != nil {
		return nil, noWorker(name, err)
	}
	if !w.Lines {
		return s.terminalOf(ctx, v, w)
	}
	body := &pages.WorkerStory{Project: key, Name: name, Crumbs: s.crumbsOf(&w), Parts: s.partsOf(&w, "/terminal"), Worker: s.workerCard(v, &w), More: more,
		Errors: show.ScrubbedText(errs), Asks: questions(&w), CanSend: s.o.Act && !w.Over}
	for _, p := range said {
		text := show.ScrubbedText(p.Text)
		if p.Who == "result" {
			text = firstLines(text, 12)
		}
		body.Passages = append(body.Passages, pages.Passage{Time: show.Time(p.At, s.o.Now()), Who: p.Who, Sign: cmp.Or(signs[p.Who], "·"),
			Text: plain.Cut(text, 4000)})
	}
	return &show.Page{Frame: s.workerFrame(name, ""), Body: body}, nil
}

func firstLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	if len(lines) <= n {
		return text
	}
	return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n(%d more lines)", len(lines)-n)
}
