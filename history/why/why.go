package why

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/story"
	"aburn/history"
	"aburn/history/commits"
	"aburn/insight/cost"
	"aburn/insight/cost/bill"
	"aburn/insight/failure"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/trace"
	"aburn/workflow"
)

// Asker answers about one repository.
type Asker struct {
	repo     *commits.Repo
	linker   *history.Linker
	arch     *archive.Archive
	caller   *lookup.Caller
	dir      string // the archive's
	sessions map[int64]*session
	texts    map[[2]int64]history.Texts

	prices   *cost.Prices
	currency *bill.Currency

	unreadable int
}

// New prepares answers about a repository, with these commits among others. The archive stays the caller's.
func New(ctx context.Context, c *lookup.Caller, arch *archive.Archive, repo *commits.Repo, hashes []string) (*Asker, error) {
	linker, err := repo.Linker(ctx, hashes)
	if err != nil {
		return nil, err
	}
	list, err := arch.Sessions(ctx, archive.Filter{Project: repo.Main()})
	if err != nil {
		return nil, err
	}
	a := &Asker{repo: repo, linker: linker, arch: arch, caller: c, dir: archive.Dir(c.Env), sessions: map[int64]*session{},
		texts: map[[2]int64]history.Texts{}, currency: bill.CurrencyOf(bill.SettingsOf(c.Caller))}
	for i := range list {
		a.sessions[list[i].Key] = &session{Session: list[i]}
	}
	if a.prices, err = bill.PricesOf(c.Caller, ""); err != nil {
		c.Warn("costs are left out: " + err.Error())
	}
	linker.Active = func(t time.Time) []*history.Session { return a.active(ctx, t) }
	linker.Texts = func(s *history.Session, call *history.Call) history.Texts { return a.textsOf(ctx, s, call) }
	return a, nil
}

// Looked says what the answers rest on.
func (a *Asker) Looked() Looked { return Looked{Sessions: len(a.sessions), Moves: len(a.linker.Moves)} }

// Unreadable counts the sessions that could not be read so far.
func (a *Asker) Unreadable() int { return a.unreadable }

// Commit answers about a commit. path, if any, is the file that the question is about.
func (a *Asker) Commit(ctx context.Context, hash, path string) Commit {
	c := a.linker.Commits[hash]
	if c == nil {
		return Commit{Hash: hash, Degree: history.None, Sessions: []Session{}}
	}
	found := a.linker.Of(hash)
	answer := Commit{Hash: hash, Subject: plain.Line(c.Subject), Author: plain.Line(c.Author), Time: c.Committed, Degree: found.Degree,
		Sessions: []Session{}}
	for _, said := range c.Stated {
		answer.Stated = append(answer.Stated, plain.Line(said.Text))
		if found.Degree == history.Stated && said.Session != "" {
			answer.Sessions = append(answer.Sessions, a.named(ctx, said.Session, c.Committed, path)...)
		}
	}
	for i := range found.Makers {
		m := &found.Makers[i]
		at := c.Committed
		if m.Original != "" {
			at = a.linker.Commits[m.Original].Committed
		}
		s := a.session(ctx, a.sessions[m.Session.Key], m.Call, at, path)
		s.Evidence, s.Original = m.Evidence, m.Original
		answer.Sessions = append(answer.Sessions, s)
	}
	return answer
}

// MadeBy answers about the commits that calls of a session made, the newest first.
func (a *Asker) MadeBy(ctx context.Context, key int64) (list []Commit) {
	s := a.sessions[key]
	if s == nil {
		return nil
	}
	for hash, c := range a.linker.Commits {
		if at := c.Committed; at.Before(s.Start.Add(-clockSlack)) || at.After(s.End.Add(clockSlack)) {
			continue
		}
		if slices.Contains(a.makersOf(hash, history.Made), key) {
			list = append(list, a.Commit(ctx, hash, ""))
		}
	}
	slices.SortFunc(list, func(x, y Commit) int { return cmp.Or(y.Time.Compare(x.Time), cmp.Compare(x.Hash, y.Hash)) })
	return list
}

// makersOf are the sessions that a commit is from in this degree, by key.
func (a *Asker) makersOf(hash string, degree history.Degree) (keys []int64) {
	if found := a.linker.Of(hash); found.Degree == degree {
		for i := range found.Makers {
			keys = append(keys, found.Makers[i].Session.Key)
		}
	}
	return keys
}

// Made is a commit that a session made.
type Made struct {
	Hash    string // as it was made
	Now     string // its newest rewritten form, itself if there is none
	Subject string
	Time    time.Time
}

// Made lists the commits of each session by the session's source/id, the oldest first.
func (a *Asker) Made() map[string][]Made {
	now := map[string]*history.Commit{} // an original → its newest rewritten form
	list := map[string][]Made{}
	for hash, c := range a.linker.Commits {
		found := a.linker.Of(hash)
		for i := range found.Makers {
			switch m := &found.Makers[i]; {
			case found.Degree == history.Made:
				name := m.Session.Source + "/" + m.Session.ID
				list[name] = append(list[name], Made{hash, hash, plain.Line(c.Subject), c.Committed})
			case found.Degree == history.Rewritten && (now[m.Original] == nil || now[m.Original].Committed.Before(c.Committed)):
				now[m.Original] = c
			}
		}
	}
	for _, made := range list {
		for i := range made {
			if c := now[made[i].Hash]; c != nil {
				made[i].Now, made[i].Subject = c.Hash, plain.Line(c.Subject)
			}
		}
		slices.SortFunc(made, func(x, y Made) int { return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Hash, y.Hash)) })
	}
	return list
}

// named are the sessions that a trailer names, if the archive has them.
func (a *Asker) named(ctx context.Context, id string, at time.Time, path string) []Session {
	list, err := a.arch.Lookup(ctx, id)
	if err != nil || len(list) != 1 {
		return nil
	}
	s := a.sessions[list[0].Key]
	if s == nil {
		s = &session{Session: list[0]}
		a.sessions[s.Key] = s
	}
	if a.read(ctx, s) != nil {
		a.unreadable++
		return nil
	}
	d := a.session(ctx, s, nil, at, path)
	d.Evidence = "its message names the session"
	return []Session{d}
}

// session describes a session at the moment of a call, or at a time in it.
func (a *Asker) session(ctx context.Context, s *session, call *history.Call, at time.Time, path string) Session {
	d := Session{Source: s.Source, Session: s.ID, Agent: agentcli.Of(s.Source).Title, Subagent: s.Relation == trace.Subagent}
	for i := range s.trace.Relationships {
		if r := &s.trace.Relationships[i]; r.Kind == trace.Subagent {
			d.Parent = r.Related
		}
	}
	moment := len(s.trace.Events) // the number of the last event that counts
	if call != nil {
		d.Event, moment = call.Event, call.Event
	} else if i := slices.IndexFunc(s.trace.Events, func(e trace.Event) bool { return e.Time.After(at.Add(time.Second)) }); i >= 0 {
		moment = i
	}
	if path != "" {
		d.Edit = lastEdit(s.trace, moment, a.namesOf(path, s))
	}
	asked := moment
	if d.Edit != 0 {
		asked = d.Edit
	}
	for i := asked - 1; i >= 0; i-- {
		if e := &s.trace.Events[i]; story.IsPrompt(e) {
			d.Prompt, d.PromptEvent = e.Body.(*trace.UserMessage).Head, e.Seq
			break
		}
	}
	d.Checks = ChecksOf(s.trace, d.PromptEvent, moment)
	a.costOf(&d, s.trace, s.Source)
	return d
}

// lastEdit is the number of the last change of a file that has one of these names, up to an event; 0 if there is none.
func lastEdit(t *trace.SessionTrace, moment int, names []string) int {
	for i := min(moment, len(t.Events)) - 1; i >= 0; i-- {
		if c, ok := t.Events[i].Body.(*trace.FileChange); ok && (slices.Contains(names, c.Path) || slices.Contains(names, c.From)) && t.Events[i].Copied == "" {
			return t.Events[i].Seq
		}
	}
	return 0
}

// mostChecks bounds the checks of an answer.
const mostChecks = 4

// ChecksOf are the last checks of each kind that a session ran from a prompt on until the end of the next turn.
func ChecksOf(t *trace.SessionTrace, from, moment int) (list []Check) {
	prompts := 0
	model, calls := workflow.Default(), t.Calls()
	next := len(t.Events) + 1
	for i := moment; i < len(t.Events); i++ {
		if story.IsPrompt(&t.Events[i]) {
			if prompts++; prompts == 2 {
				next = t.Events[i].Seq
				break
			}
		}
	}
	for i := range calls {
		c := &calls[i]
		if c.Event.Seq < from || c.Event.Seq >= next || c.Call.Type != trace.ShellTool || !c.Counts() {
			continue
		}
		if kind, _ := model.Check(c.Call.Head); kind == workflow.NoCheck {
			continue
		}
		word := checkWord(&model, c.Call.Head)
		check := Check{Command: word, Event: c.Event.Seq, Time: c.Event.Time, Result: "unknown", After: c.Event.Seq > moment}
		if last := c.Last(); last != nil && last.Denied == "" {
			switch {
			case last.Failed():
				check.Result = "failed"
			case last.Status == trace.StatusCompleted:
				check.Result = "passed"
			}
		}
		list = slices.DeleteFunc(list, func(o Check) bool { return o.Command == word })
		list = append(list, check)
	}
	return list[max(len(list)-mostChecks, 0):]
}

// costOf adds what the turn's answers cost, and their model.
func (a *Asker) costOf(d *Session, t *trace.SessionTrace, source string) {
	if d.PromptEvent == 0 {
		return
	}
	until := len(t.Events) + 1
	if i := slices.IndexFunc(t.Events[d.PromptEvent:], func(e trace.Event) bool { return story.IsPrompt(&e) }); i >= 0 {
		until = d.PromptEvent + i + 1
	}
	var answers []archive.Answer
	for i := range t.Responses {
		if r := &t.Responses[i]; r.Copied == "" && r.Event > d.PromptEvent && r.Event < until {
			answers = append(answers, archive.Answer{Time: r.Time, Model: r.Model, Tier: r.Tier, Geo: r.Geo, Usage: r.Usage})
			d.Model = r.Model
		}
	}
	if a.prices == nil || len(answers) == 0 {
		return
	}
	hides, sum := bill.HidesCacheWrites(source, answers), &cost.Sum{}
	for i := range answers {
		sum.Add(a.prices.Price(bill.ResponseOf(&answers[i], hides)))
	}
	d.Turn, d.Cost = bill.PricedOf(sum), a.currency.Words(sum)
}

// checkWord names the check that a command line runs: "go test".
func checkWord(model *workflow.Model, line string) string {
	for _, c := range shell.Commands(line) {
		one := strings.Join(c.Words, " ")
		if kind, _ := model.Check(one); kind != workflow.NoCheck {
			return failure.CommandWord(one)
		}
	}
	return failure.CommandWord(line)
}
