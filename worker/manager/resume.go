package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/activity"
	"aburn/worker/headless"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

// The reasons why an agent does not go on.
var (
	ErrRuns      = errors.New("its agent runs")
	ErrNoSession = errors.New("nobody knows the session of its agent")
	ErrNoTree    = errors.New("its tree is gone")
)

// SessionOf is the agent's id of the member's session, "" if nobody knows it. An agent can write into the log and say anything: what no
// id is, and would be a flag of its next start, is none.
func SessionOf(c *Manager, m *Member) string {
	id := sessionOfLedger(c, m)
	if strings.HasPrefix(id, "-") || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return ""
	}
	return id
}

func sessionOfLedger(c *Manager, m *Member) string {
	if l := m.Ledger.Last(worker.Launched); l != nil && l.Session != "" {
		return l.Session
	}
	if m.Talk != nil && m.Talk.Session != "" {
		return m.Talk.Session
	}
	if c.Log == nil {
		return ""
	}
	return activity.Session(c.Log, m.Asked, c.wt(m.Request.Tree))
}

// Resume starts a member's agent again, with its conversation and in its tree, where p says. The agent must have ended. Of
// the plan it takes what is not in the ledger: agent, program, runtime, hooks, and further variables of the environment.
func Resume(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, p Plan) (*Member, error) {
	book := c.Store.Book(m.Name)
	s := &Spawned{Name: m.Name, Tree: m.Request.Tree, Branch: m.Request.Branch, Base: m.Request.Base, id: newID(), Folder: c.folder(m.Request.Tree)}
	if err := s.hold(book.Dir); err != nil {
		s.release()
		return m, err
	}
	defer s.release()
	session := SessionOf(c, m)
	if err := mayResume(ctx, repo, book, m, session); err != nil {
		return m, err
	}
	passed := m.Passed()
	added := slices.DeleteFunc(slices.Clone(p.Pass), func(name string) bool { return slices.Contains(passed, name) })
	p.Permissions, p.Model, p.Pass = slot.Permissions(m.Request.Permissions), m.Request.Model, append(passed, added...)
	s.gen, s.Env, s.Rules = m.Ledger.Gen()+1, append(Issue{m.Request.Issue, m.Request.IssueURL}.env(), portEnv(c, book)...), rules(s, p, c.Self)
	writable, err := repo.Tree(s.Tree).Commits(ctx)
	if err != nil {
		return m, err
	}
	if o := orderOf(c, s, p, writable); p.Lines {
		s.Launch, s.opening = p.Agent.Protocol().Launch(o, session)
	} else {
		s.Launch = p.Agent.Resume(o, session)
	}
	s.Session = session
	again := ledger.Entry{Fact: worker.Fact{Kind: worker.Restored, Gen: s.gen}, Detail: ledger.Detail{Via: p.Runtime.Name(), Pass: added}}
	if err := book.Append(again); err != nil {
		return m, err
	}
	if err = s.write(book); err == nil {
		_, err = runAgent(ctx, c, s, p)
	}
	if err != nil {
		book.Append(notResumed(s.gen, err.Error()))
		return m, err
	}
	if m, err = memberNamed(ctx, c, m.Name); err == nil {
		err = carryMessages(ctx, c, m, p.Lines)
	}
	return m, err
}

// carryMessages gives messages that wait to the agent where it runs now, its lines or its hooks: each may be told in one way only.
func carryMessages(ctx context.Context, c *Manager, m *Member, lines bool) error {
	ids := waiting(m)
	s := &sender{c, m.Name, c.Store.Book(m.Name), SendOptions{NoKeys: true}, map[string]bool{}}
	return s.alone(func() error {
		if lines && len(ids) > 0 {
			_, err := s.bring(ctx, "")
			return err
		}
		if lines {
			return nil
		}
		headless.Drop(slot.Handle{Dir: s.book.Dir}, func(id string) bool {
			return slices.ContainsFunc(m.Worker.Messages, func(w worker.Message) bool { return w.ID == id })
		})
		if len(ids) == 0 {
			return nil
		}
		_, err := s.enqueue(m, m.Ledger.Last(worker.Launched))
		return err
	})
}

// Runs reports whether a holder has the member's agent, as far as that can be seen.
func Runs(c *Manager, m *Member) bool {
	held, err := hold.Held(c.Store.Book(m.Name).Dir, max(1, m.Ledger.Gen()))
	return held || err != nil
}

func mayResume(ctx context.Context, repo *tree.Repo, book *ledger.Book, m *Member, session string) error {
	l, err := book.Read()
	if err != nil {
		return err
	}
	m.Ledger = l // somebody else may have been first
	held, err := hold.Held(book.Dir, max(1, l.Gen()))
	switch launch := l.Last(worker.Launched); {
	case err != nil:
		return err
	case held:
		return ErrRuns
	case launch != nil && launch.Proc != nil && proc.Of(proc.Process{PID: launch.Proc.PID, Start: launch.Proc.Start}, launch.Host) == proc.Runs:
		return ErrRuns // its holder was killed
	case session == "":
		return ErrNoSession
	case !repo.Tree(m.Request.Tree).Exists(ctx):
		return ErrNoTree
	}
	return nil
}

func notResumed(gen int, why string) ledger.Entry {
	return ledger.Entry{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: gen}, Detail: ledger.Detail{Why: why[:min(len(why), 200)]}}
}

// settleResume writes down that a resume was killed before the agent ran.
func settleResume(book *ledger.Book, l *ledger.Contents, gen int) (*ledger.Contents, error) {
	for _, k := range []worker.Kind{worker.Launched, worker.LaunchFailed} {
		if e := l.Last(k); e != nil && e.Gen == gen {
			return l, nil
		}
	}
	unlock, ok, err := forsaken(book, gen)
	if !ok {
		return l, err
	}
	defer unlock()
	return book.Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		if late := late(book, l); len(late) > 0 {
			return late, nil
		}
		return []ledger.Entry{notResumed(gen, "it was ended before the agent ran")}, nil
	})
}

// Handover ends a member's agent at the end of its turn and has it go on where p says, with the same conversation. Two never
// run at once: the second begins when the holder of the first is gone.
func Handover(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, p Plan) (*Member, error) {
	for !m.Over() && Runs(c, m) && !isResting(c, m) {
		if m.Worker.State == worker.NeedsInput {
			return m, errors.New("it waits for an answer")
		}
		select {
		case <-ctx.Done():
			return m, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		var err error
		if m, err = memberNamed(ctx, c, m.Name); err != nil {
			return m, err
		}
	}
	if !m.Over() {
		var err error
		if m, err = Kill(ctx, c, m); err != nil && !errors.Is(err, ErrOver) {
			return m, fmt.Errorf("its agent did not end: %w", err)
		}
	}
	return Resume(ctx, c, repo, m, p)
}

// isResting reports whether no turn of the member's runs, and none is due. An agent that went on in a terminal may say nothing
// before its first turn there.
func isResting(c *Manager, m *Member) bool {
	if _, h, ok := c.Channel(m); ok && headless.Waiting(h) > 0 {
		return false
	}
	return m.Quiet() || m.Worker.State == worker.NotStarted && m.Ledger.Gen() > 1
}

func memberNamed(ctx context.Context, c *Manager, name string) (*Member, error) {
	list, err := c.Load(ctx, name)
	if err == nil {
		err = list[0].Err
	}
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

var _ slot.Channel = headless.Channel{}
