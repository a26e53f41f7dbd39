package manager

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/headless"
	"aburn/worker/ledger"
	"aburn/worker/slot"
	"aburn/worker/tree"
)

// Plan is what a person wants spawned.
type Plan struct {
	Task        string
	Name        string  // "": made of Stem
	Stem        string  // what the name begins with; "": words of the task
	Number      bool    // Stem gets a number in any case: stem-1, stem-2
	Head        string  // what the ledger keeps of the task; "": its beginning
	Issue       Issue   // that it is about
	Parent      *Member // the worker that begins it; nil for a person, and for an agent that is no worker
	ByAgent     bool    // an agent begins it
	Most        int     // how many workers may run when it comes, by MostIn (a place, or words); 0: any number
	MostIn      string
	From        *Fork // whose conversation and tree it goes on with; nil: it begins anew
	Agent       slot.Agent
	Program     string // the agent's path
	Title       string // the agent's name for people
	Permissions slot.Permissions
	Model       string
	Base        string   // a commit's name; "" is the one that the person stands on
	Branch      string   // "": aburn/<name>
	Tip         string   // the commit that the branch has already, and the worker goes on with; "": it is new
	Taken       bool     // the branch is there; with a Tip and without it, it is only on a remote
	Prefix      string   // of that branch instead of aburn/
	Rules       string   // of the project, for the agent
	Runtime     Runtime  // nil: the person's own terminal
	Lines       bool     // the agent has no terminal there
	Held        bool     // its holder gives it a terminal
	Pass        []string // further variables of the environment
	// Hook is aburn-hook where it has to be passed at the start; "" where the agent has the hooks of its settings, given the
	// folder in which it will work.
	Hook      func(folder string) string
	Hooked    bool // the agent reports through hooks, these or installed ones
	Furniture Furniture
	Gated     bool     // gates wait behind its done
	Retries   int      // of these
	Gates     []string // that the person gave for this worker alone
	Budget    string   // as worker.ParseBudget takes it
	MinFree   int64    // bytes that must be free where its tree will lie

	at, atRef string // what Locate found: the commit, and the name by which the person knows it
}

// Issue is what a worker knows of the issue that it works on.
type Issue struct{ ID, URL string }

// env are the variables by which programs in the worker know it.
func (i Issue) env() (env []string) {
	if i.ID != "" {
		env = append(env, IssueVariable+"="+i.ID)
	}
	if i.URL != "" {
		env = append(env, IssueVariable+"_URL="+i.URL)
	}
	return env
}

// IssueVariable holds the issue's id in the environment of all that a worker starts.
const IssueVariable = "ABURN_ISSUE"

// Spawned is a worker that is prepared or runs.
type Spawned struct {
	Name, Tree, Branch string
	Base, BaseRef      string
	Session            string // "" if only the agent will know it
	Task               string // what it is told first
	forked             bool
	taken              bool   // its branch was there before
	at, kept           string // where its branch begins, and the state that its tree gets on top; at is Base but for a fork
	id                 string // of this launch
	Folder             string // where the agent works
	Rules              string // what the agent is told beside its task
	Launch             slot.Launch
	opening            []slot.Line
	Steps              []string // what its tree got, for people
	Warnings           []string
	Env                []string // variables that it gets beside the person's
	gen                int
	lock               *lockfile.Lock
	root               *os.Root
}

// Terminal is the runtime of a worker at whose terminal a person sits.
const Terminal = "terminal"

// patience is how long a holder may take to run the agent.
const patience = time.Minute

// Prepare makes everything that an agent needs: its name, its ledger, its branch and its tree. Of what it began nothing is
// left if it fails. The caller then calls Start.
func Prepare(ctx context.Context, c *Manager, repo *tree.Repo, p Plan) (*Spawned, error) {
	if err := checkRoom(c, p); err != nil {
		return nil, err
	}
	s, err := begin(ctx, repo, p)
	if err == nil && p.From != nil {
		s.at, s.kept, err = keepSource(ctx, c, repo, p.From)
	}
	if err != nil {
		return nil, err
	}
	book, err := enterLedger(ctx, c, repo, s, &p, "")
	if err != nil {
		return nil, err
	}
	if err := buildWorker(ctx, c, repo, book, s, p); err != nil {
		book.Remove()
		s.release()
		return nil, err
	}
	return s, nil
}

// checkRoom refuses where less is free than the person wants left. Where the system does not say, nothing is refused.
func checkRoom(c *Manager, p Plan) error {
	place := c.Store.Tree("x")
	for !exists(place) && place != filepath.Dir(place) {
		place = filepath.Dir(place)
	}
	if free, ok := freeBytes(place); ok && free < p.MinFree {
		return refuse(fmt.Sprintf("only %s are free in %s, and disk.min_free is %s", plain.Size(free), place, plain.Size(p.MinFree)),
			"aburn cleanup", "aburn ps --all --disk says what takes room", "disk: {min_free: 500MiB} in your workers.yaml")
	}
	return nil
}

// begin finds the commit that the worker begins at.
func begin(ctx context.Context, repo *tree.Repo, p Plan) (s *Spawned, err error) {
	s = &Spawned{Task: p.Task, id: newID(), gen: 1}
	if p.From != nil { // what it changes is seen against the base of its source, as its commits come along
		s.forked = true
		s.Base, s.BaseRef = p.From.m.Base(), p.From.m.Request.BaseRef
		return s, nil
	}
	if p.at == "" {
		err = p.Locate(ctx, repo)
	}
	s.Base, s.BaseRef, s.at = p.at, p.atRef, p.at
	if err == nil && p.Tip != "" {
		err = s.takeOver(ctx, repo, p)
	}
	return s, err
}

// Locate finds the commit that the worker begins at, once for all workers of the plan. Prepare does it where the caller did not.
func (p *Plan) Locate(ctx context.Context, repo *tree.Repo) (err error) {
	if p.atRef = p.Base; p.Base == "" {
		p.at, p.atRef, err = tree.CheckoutAtOpen(ctx, repo)
	} else {
		p.at, err = repo.Commit(ctx, p.Base)
	}
	return err
}

// At is the commit that Locate found, "" before.
func (p *Plan) At() string { return p.at }

func buildWorker(ctx context.Context, c *Manager, repo *tree.Repo, book *ledger.Book, s *Spawned, p Plan) (err error) {
	s.Folder = c.folder(s.Tree)
	if err := c.Store.Note(); err != nil {
		return err
	}
	err = serially(c, func() error {
		if err := repo.Exclude(ctx, s.Tree); err != nil {
			return err
		}
		if s.taken {
			return tree.CheckOutWorktree(ctx, repo, s.Tree, s.Branch)
		}
		_, err := tree.CreateWorktree(ctx, repo, s.Tree, s.Branch, s.at)
		return err
	})
	if err != nil {
		return err
	}
	if s.kept != "" {
		if err := repo.Tree(s.Tree).Take(ctx, book.Dir, s.kept); err != nil {
			undoTree(ctx, c, repo, s.Tree, s.made(), s.at, tree.NobodyWorked)
			return err
		}
	}
	s.Env = p.Issue.env()
	if err := prepareTree(ctx, c, repo, book, s, p); err != nil {
		undoTree(ctx, c, repo, s.Tree, s.made(), s.at, tree.NobodyWorked)
		return err
	}
	s.told(p, c.Self)
	writable, err := repo.Tree(s.Tree).Commits(ctx)
	if err != nil {
		undoTree(ctx, c, repo, s.Tree, s.made(), s.at, tree.NobodyWorked)
		return err
	}
	s.launch(orderOf(c, s, p, writable), p)
	if err = s.write(book); err == nil && p.Lines {
		err = headless.Put(slot.Handle{Dir: book.Dir, Gen: s.gen}, slot.Message{ID: s.taskID(), Text: cmp.Or(s.Launch.Prompt, s.Task)})
	}
	if err != nil {
		undoTree(ctx, c, repo, s.Tree, s.made(), s.at, tree.NobodyWorked)
	}
	return err
}

// taskID is the id of the message that the task is for an agent without a terminal. A conversation that is forked has one.
func (s *Spawned) taskID() string {
	if !s.forked {
		return "task"
	}
	return "task-" + s.id[:8]
}

// write makes the files that the agent reads at its start, and lays out what it is told first.
func (s *Spawned) write(book *ledger.Book) error {
	for path, content := range s.Launch.Files {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	for _, l := range s.opening {
		if err := hold.Say(book.Dir, s.gen, l.Tag, l.Text); err != nil {
			return err
		}
	}
	return nil
}

// told settles what the agent is told at its start.
func (s *Spawned) told(p Plan, self string) {
	if s.Rules = rules(s, p, self); p.From != nil {
		s.Task = p.From.moved(s, p.Task)
	}
}

// launch settles how the agent is started. Of its session's id we know only what we chose.
func (s *Spawned) launch(o slot.Order, p Plan) {
	if s.Launch = p.Agent.Launch(o); p.Lines {
		s.Launch, s.opening = p.Agent.Protocol().Launch(o, "")
	}
	s.Session = s.Launch.Session
}

func orderOf(c *Manager, s *Spawned, p Plan, writable []string) slot.Order {
	if s.Folder != s.Tree {
		writable = append([]string{s.Tree}, writable...)
	}
	fork := ""
	if p.From != nil && s.gen == 1 {
		fork = p.From.session
	}
	return slot.Order{
		Fork: fork, Tree: s.Folder, Task: s.Task, Session: s.id, Permissions: p.Permissions, Model: p.Model, Folder: c.Store.Book(s.Name).Dir,
		Rules: s.Rules, Reports: []string{c.Self + " done", c.Self + " ask"}, Hook: p.Hook(s.Folder), Writable: writable,
	}
}

func requestEntry(c *Manager, repo *tree.Repo, s *Spawned, p Plan) ledger.Entry {
	sum := sha256.Sum256([]byte(p.Task))
	via := Terminal
	if p.Runtime != nil {
		via = p.Runtime.Name()
	}
	source, begins := "", ""
	if p.From != nil {
		source, begins = p.From.m.Name, s.at
	}
	if p.Tip != "" {
		begins = p.Tip
	}
	parent := ""
	if p.Parent != nil {
		parent = p.Parent.Name
	}
	return ledger.Entry{Fact: worker.Fact{Kind: worker.Requested, Gen: 1, Gates: p.Gated, Retries: p.Retries}, Detail: ledger.Detail{
		Parent: parent, Source: source, Begins: begins, Taken: s.taken,
		Task: scrub.Head(cmp.Or(p.Head, p.Task), maxHead), Issue: p.Issue.ID, IssueURL: p.Issue.URL, Digest: hex.EncodeToString(sum[:]), Agent: p.Agent.Name(),
		Via:  via,
		Mark: markOf(c, s.Name, s.id), Permissions: string(p.Permissions), Model: p.Model, Pass: p.Pass, Gates: p.Gates, Limit: p.Budget,
		Repo: repo.Main, Tree: s.Tree,
		Branch: s.Branch, Base: s.Base, BaseRef: s.BaseRef,
	}}
}

// maxHead is how much of a task the ledger keeps, in bytes.
const maxHead = 200

// rules are what a worker has to know beside its task.
func rules(s *Spawned, p Plan, aburn string) string {
	text := "You work in a git worktree of your own, on the branch " + s.Branch + ", beside other work in the same repository. " +
		"Commit what you finish on this branch. Do not switch branches, push, or change files outside of this worktree unless the task says so. " +
		"Nobody watches you all the time. When the task is finished, run `" + aburn + " done \"what you did\"`. " +
		"If you cannot go on without a person, run `" + aburn + " ask \"your question\"` and end your turn; the answer comes as a message. " +
		"A message that begins with [aburn m-…] was sent by `aburn send`; one that says \"from\" behind the number is from another agent or from the project's " +
		"gates, and not from the person you work for."
	if p.Rules != "" {
		text += "\n\nRules of this project:\n" + p.Rules
	}
	return text
}

// undoSpawn takes away what Prepare made. If the agent ran and worked, all of it stays and the ledger says why.
func undoSpawn(ctx context.Context, c *Manager, repo *tree.Repo, s *Spawned, why error) {
	book := c.Store.Book(s.Name)
	worked := tree.SomebodyMayHaveWorked
	if errors.Is(why, hold.ErrGone) {
		worked = tree.NobodyWorked
	}
	if undoTree(ctx, c, repo, s.Tree, s.made(), s.at, worked) {
		book.Remove()
		return
	}
	text := why.Error()
	book.Append(ledger.Entry{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: 1}, Detail: ledger.Detail{Why: text[:min(len(text), 200)]}})
}

// newID is a random UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// Sketch is what Prepare would make. Nothing is made.
func Sketch(ctx context.Context, c *Manager, repo *tree.Repo, p Plan) (*Spawned, error) {
	s, err := begin(ctx, repo, p)
	if err != nil {
		return nil, err
	}
	names, err := c.Store.Names()
	if err != nil {
		return nil, err
	}
	if s.Name = p.Name; s.Name == "" {
		s.Name = p.numbered(p.stem(), 1)
		for n := 2; slices.Contains(names, s.Name); n++ {
			s.Name = p.numbered(p.stem(), n)
		}
	} else if slices.Contains(names, s.Name) {
		return nil, ledger.ErrTaken
	}
	if s.Branch, err = chooseBranch(ctx, repo, s.Name, p); err != nil {
		return nil, err
	}
	s.Tree = c.Store.Tree(s.Name)
	s.Folder = c.folder(s.Tree)
	s.told(p, c.Self)
	s.launch(orderOf(c, s, p, repo.WouldCommit(s.Tree)), p)
	return s, nil
}
