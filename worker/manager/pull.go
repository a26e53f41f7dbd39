package manager

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// PullOptions are a person's wishes.
type PullOptions struct {
	Base  string // "" is the branch that the worker began from, if the remote has it, else the remote's default
	Title string // "" is the only commit's subject, or the task's first line
	Body  string // "" lists the commits
	Draft bool
	Check bool // only ask how it stands
	Hooks bool // run the repository's hooks
	Gates Gates
}

// PullRequest is what a push and an opening did, or how the pull request stands.
type PullRequest struct {
	Worker  string   `json:"worker"`
	Number  int      `json:"number,omitempty"`
	URL     string   `json:"url,omitempty"`
	State   string   `json:"state,omitempty"` // open, merged, closed; "" if there is none
	Draft   bool     `json:"draft,omitempty"`
	Branch  string   `json:"branch"`
	Behind  []string `json:"behind,omitempty"` // the worker's former branches with commits that it does not have
	Base    string   `json:"base,omitempty"`
	Head    string   `json:"head,omitempty"`
	Commits int      `json:"commits,omitempty"`
	Pushed  bool     `json:"pushed"`
	Opened  bool     `json:"opened"`
	Checks  string   `json:"checks,omitempty"`
	Review  string   `json:"review,omitempty"`
	Clash   *bool    `json:"conflicts,omitempty"`
	Threads int      `json:"threads,omitempty"`  // open and unanswered
	LeftOut int      `json:"left_out,omitempty"` // comments of people who may not write to the repository
	Left    []string `json:"left,omitempty"`     // files in its tree that are in no commit
	Works   bool     `json:"works,omitempty"`
}

// networkVariables are those with which a push finds its way, and its right to push.
var networkVariables = []string{
	"SSH_AGENT_PID", "GIT_SSH", "GIT_SSH_COMMAND", "GH_*", "GITHUB_TOKEN", "DBUS_SESSION_BUS_ADDRESS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"http_proxy",
	"https_proxy", "no_proxy", "all_proxy", "SSL_CERT_*",
}

// pulling is one pull request on its way.
type pulling struct {
	*merge
	f      forge.Forge
	remote tree.Remote
	owner  string // of the branch
	po     PullOptions
	pr     PullRequest
}

// OpenPull pushes a worker's branch and opens a pull request, or brings an open one up to date. Whatever could refuse is asked before
// anything is pushed; gates run before.
func OpenPull(ctx context.Context, c *Manager, repo *tree.Repo, m *Member, f forge.Forge, remote tree.Remote, owner string, o PullOptions) (
	PullRequest, error) {
	x := &pulling{&merge{c: c, repo: repo, m: m, o: MergeOptions{Gates: o.Gates}}, f, remote, owner, o, PullRequest{Worker: m.Name, Branch: m.Request.Branch}}
	if o.Check {
		p, err := x.ask(ctx, m.Branches()...)
		if err == nil && p != nil {
			x.stands(p)
			err = RecordPull(c, m, p.Known()) // what strangers wrote moves no worker
		}
		return x.pr, err
	}
	unlock, err := lockMember(c, c.Store.Book(m.Name), m)
	if err != nil {
		return x.pr, err
	}
	defer unlock()
	return x.pr, x.do(ctx)
}

// ask is the pull request of the first of some branches that has one.
func (x *pulling) ask(ctx context.Context, branches ...string) (*forge.Pull, error) {
	pulls, err := x.f.Pulls(ctx, x.owner, branches)
	if err != nil {
		return nil, err
	}
	return FirstPull(pulls, branches), nil
}

// FirstPull is the pull request of the first of some branches that has one; nil if none has.
func FirstPull(pulls map[string]*forge.Pull, branches []string) *forge.Pull {
	for _, b := range branches {
		if p := pulls[b]; p != nil {
			return p
		}
	}
	return nil
}

// stands takes what the forge says.
func (x *pulling) stands(p *forge.Pull) {
	x.pr.Branch = p.Branch
	x.pr.Number, x.pr.URL, x.pr.State, x.pr.Draft, x.pr.Base, x.pr.Head = p.Number, p.URL, p.Is, p.Draft, p.Base, p.Head
	k := p.Known()
	if p.Is == worker.PullOpen {
		x.pr.Checks, x.pr.Review, x.pr.Clash, x.pr.Threads, x.pr.LeftOut = p.CI(), k.Review(), p.Conflicts, len(k.Unanswered(true))+len(k.Unanswered(false)),
			k.LeftOut
	}
}

func (x *pulling) do(ctx context.Context) error {
	if err := x.source(ctx); err != nil {
		return err
	}
	x.pr.Left, x.pr.Works, x.pr.Behind = x.r.Left, x.r.Works, x.m.Behind(ctx, x.repo)
	if x.head == x.m.Base() || x.unchangedSince(ctx) {
		return refuse("it changed nothing that a pull request could show", "aburn diff "+x.m.Name)
	}
	now, err := x.ask(ctx, x.m.Request.Branch)
	if err != nil {
		return err
	}
	if now != nil && now.Is == worker.PullMerged && now.Head == x.head {
		return refuse(fmt.Sprintf("its pull request #%d is merged already, with all of its commits", now.Number))
	}
	p := tree.Pushing{Remote: x.remote.Name, Branch: x.m.Request.Branch, Head: x.head, Env: run.Clean(x.c.Environ, networkVariables...), Hooks: x.po.Hooks}
	there, err := x.base(ctx, p, now)
	if err != nil {
		return err
	}
	if err := x.gates(ctx); err != nil {
		return err
	}
	if err := x.push(ctx, p, there); err != nil {
		return err
	}
	if now == nil || now.Is != worker.PullOpen {
		if now, err = x.open(ctx); err != nil {
			return err
		}
	}
	x.stands(now)
	x.pr.Head, now.Head = x.head, x.head
	if x.pr.Pushed || x.pr.Opened { // of what was pushed just now nobody has said anything
		x.pr.Checks, x.pr.Review, x.pr.Clash, x.pr.Threads = "", "", nil, 0
		now = &forge.Pull{Number: now.Number, URL: now.URL, Is: now.Is, Draft: now.Draft, Head: x.head}
	}
	return recordPull(x.c, x.m, now, now.Facts()[:1])
}

func (x *pulling) unchangedSince(ctx context.Context) bool {
	a := &attempt{c: x.c, m: x.m, repo: x.repo, g: Gates{}}
	return x.m.Base() != "" && a.unchanged(ctx, x.head)
}

// base finds the branch that the pull request is against, and where the worker's branch stands there.
func (x *pulling) base(ctx context.Context, p tree.Pushing, now *forge.Pull) (there string, err error) {
	want := x.po.Base
	if want == "" {
		want = strings.TrimPrefix(x.m.Request.BaseRef, x.remote.Name+"/")
	}
	heads, fallback, err := tree.RemoteHeads(ctx, x.repo, p, want, p.Branch)
	switch {
	case err != nil:
		return "", err
	case now != nil && now.Is == worker.PullOpen && x.po.Base != "" && x.po.Base != now.Base:
		return "", &tree.Problem{Text: fmt.Sprintf("its pull request #%d is against %s", now.Number, now.Base),
			Advice: "leave out --base, or change it on " + now.URL}
	case now != nil && now.Is == worker.PullOpen:
		x.pr.Base = now.Base
	case heads[want] != "" && want != p.Branch:
		x.pr.Base = want
	case x.po.Base != "":
		return "", &tree.Problem{Text: x.remote.Name + " has no branch " + x.po.Base, Advice: "--base BRANCH"}
	case fallback == "" || fallback == p.Branch:
		return "", &tree.Problem{Text: x.remote.Name + " does not say which branch is its default", Advice: "--base BRANCH"}
	default:
		x.pr.Base = fallback
	}
	x.pr.Commits, _ = x.repo.Ahead(ctx, x.m.Base(), x.head)
	return heads[p.Branch], nil
}

func (x *pulling) push(ctx context.Context, p tree.Pushing, there string) error {
	if there == x.head {
		return nil
	}
	err := tree.Push(ctx, x.repo, p, there)
	switch {
	case errors.Is(err, tree.ErrForeign):
		return refuse(x.remote.Name+"/"+p.Branch+" has commits that its branch never had; aburn does not write over them", "git fetch "+x.remote.Name+" "+p.Branch,
			"git log "+p.Branch+".."+x.remote.Name+"/"+p.Branch)
	case errors.Is(err, tree.ErrMoved):
		return refuse(x.remote.Name+"/"+p.Branch+" moved meanwhile", "try again")
	}
	x.pr.Pushed = err == nil
	return err
}

func (x *pulling) open(ctx context.Context) (*forge.Pull, error) {
	subjects, err := tree.Subjects(ctx, x.repo, x.head, x.m.Base())
	if err != nil {
		return nil, err
	}
	n := forge.New{Branch: x.m.Request.Branch, Base: x.pr.Base, Title: x.po.Title, Body: x.po.Body, Owner: x.owner, Draft: x.po.Draft}
	if n.Title == "" && len(subjects) == 1 {
		n.Title = subjects[0]
	} else if n.Title == "" {
		n.Title = x.subject()
	}
	n.Title, _ = scrub.Text(plain.Line(n.Title))
	if n.Body == "" {
		for _, s := range slices.Backward(subjects) {
			n.Body += "* " + s + "\n"
		}
		n.Body, _ = scrub.Text(plain.Text(n.Body))
	}
	p, err := x.f.Open(ctx, n)
	x.pr.Opened = err == nil
	return p, err
}

// RecordPull writes down what the forge says of a member's pull request, as far as it is news. What the forge says of a pull request
// that is not the worker's newest is none.
func RecordPull(c *Manager, m *Member, p *forge.Pull) error { return recordPull(c, m, p, p.Facts()) }

func recordPull(c *Manager, m *Member, p *forge.Pull, facts []worker.Fact) error {
	_, err := c.Store.Book(m.Name).Update(func(l *ledger.Contents) (fresh []ledger.Entry, err error) {
		w := worker.Reduce(l.Facts(m.others...))
		seq := uint64(0)
		if n := len(l.Entries); n > 0 {
			seq = l.Entries[n-1].Seq
		}
		for _, f := range facts {
			f.Gen, f.File, f.Seq = max(1, l.Gen()), worker.Ledger, seq+1
			e := ledger.Entry{Fact: f}
			switch f.Kind {
			case worker.Pulled:
				e.URL = p.URL
			case worker.Checked:
				e.Failed = failedNames(p)
			}
			if !w.Worth(f) && !otherFailed(l, &e) {
				continue
			}
			w.Apply(f)
			seq++
			fresh = append(fresh, e)
		}
		return fresh, nil
	})
	return err
}

// mostFailed is how many failed checks an entry names, and mostName how long each name may be, in bytes.
const (
	mostFailed = 12
	mostName   = 100
)

// failedNames are the names of the checks that failed, for a person: a forge lets anybody who changes a workflow choose them.
func failedNames(p *forge.Pull) (names []string) {
	failing := p.Failing()
	for _, c := range failing[:min(len(failing), mostFailed)] {
		name, _ := scrub.Text(plain.Line(c.Name))
		names = append(names, plain.Cut(name, mostName))
	}
	return names
}

// otherFailed reports whether e says of the same checks of the same head only that others failed. The state does not follow from that,
// but people are shown it.
func otherFailed(l *ledger.Contents, e *ledger.Entry) bool {
	last := l.Last(worker.Checked)
	return e.Kind == worker.Checked && last != nil && last.Is == e.Is && last.Head == e.Head && !slices.Equal(last.Failed, e.Failed)
}
