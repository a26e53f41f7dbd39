package crew

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lockfile"
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
	Name        string // "": made of the task
	Agent       slot.Agent
	Program     string // the agent's path
	Title       string // the agent's name for people
	Permissions slot.Permissions
	Model       string
	Base        string   // a commit's name; "" is the one that the person stands on
	Branch      string   // "": aburn/<name>
	Prefix      string   // of that branch instead of aburn/
	Rules       string   // of the project, for the agent
	Runtime     Runtime  // nil: the person's own terminal
	Lines       bool     // the agent has no terminal there
	Pass        []string // further variables of the environment
	// Hook is aburn-hook where it has to be passed at the start; "" where the agent has the hooks of its settings, given the
	// folder in which it will work.
	Hook      func(folder string) string
	Hooked    bool // the agent reports through hooks, these or installed ones
	Furniture Furniture
	Gated     bool     // gates wait behind its done
	Retries   int      // of these
	Gates     []string // that the person gave for this worker alone
}

// Spawned is a worker that is prepared or runs.
type Spawned struct {
	Name, Tree, Branch string
	Base, BaseRef      string
	Session            string // "" if only the agent will know it
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
const patience = 20 * time.Second

// Prepare makes everything that an agent needs: its name, its ledger, its branch and its tree. Of what it began nothing is
// left if it fails. The caller then calls Start.
func (c *Crew) Prepare(ctx context.Context, repo *tree.Repo, p Plan) (*Spawned, error) {
	s, err := begin(ctx, repo, p)
	if err != nil {
		return nil, err
	}
	book, err := c.claim(p, s)
	if err != nil {
		return nil, err
	}
	s.Name = book.Name
	if err := c.build(ctx, repo, book, s, p); err != nil {
		book.Remove()
		s.release()
		return nil, err
	}
	return s, nil
}

// begin finds the commit that the worker begins at.
func begin(ctx context.Context, repo *tree.Repo, p Plan) (s *Spawned, err error) {
	s = &Spawned{BaseRef: p.Base, id: newID(), gen: 1}
	at := p.Base
	if at == "" {
		at, s.BaseRef = "HEAD", repo.Branch(ctx)
	}
	s.Base, err = repo.Commit(ctx, at)
	return s, err
}

func (c *Crew) build(ctx context.Context, repo *tree.Repo, book *ledger.Book, s *Spawned, p Plan) (err error) {
	if s.Branch, err = chooseBranch(ctx, repo, s.Name, p); err != nil {
		return err
	}
	s.Tree = c.Store.Tree(s.Name)
	s.Folder = c.folder(s.Tree)
	// Before the request stands in the ledger: whoever undoes this spawn may remove what lies there.
	if _, err := os.Lstat(s.Tree); err == nil {
		return &tree.Problem{Text: s.Tree + " exists already, and no worker is known to own it", Advice: "move it away, or choose another --name"}
	}
	if err := book.Append(c.request(repo, s, p)); err != nil {
		return err
	}
	err = c.serially(func() error {
		_, err := repo.Create(ctx, s.Tree, s.Branch, s.Base)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.furnish(ctx, repo, book, s, p); err != nil {
		c.takeBack(ctx, repo, s.Tree, s.Branch, s.Base, tree.NobodyWorked)
		return err
	}
	s.Rules = rules(s, p, c.Self)
	writable, err := repo.Tree(s.Tree).Commits(ctx)
	if err != nil {
		c.takeBack(ctx, repo, s.Tree, s.Branch, s.Base, tree.NobodyWorked)
		return err
	}
	s.launch(c.order(s, p, writable), p)
	if err = s.write(book); err == nil && p.Lines {
		err = headless.Put(slot.Handle{Dir: book.Dir, Gen: s.gen}, slot.Message{ID: taskID, Text: p.Task})
	}
	if err != nil {
		c.takeBack(ctx, repo, s.Tree, s.Branch, s.Base, tree.NobodyWorked)
	}
	return err
}

// taskID is the id of the message that the task is for an agent without a terminal.
const taskID = "task"

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

// chooseBranch is the branch that the person wants, which must be new, or a free one of the worker's name.
func chooseBranch(ctx context.Context, repo *tree.Repo, name string, p Plan) (string, error) {
	want, wanted := p.Branch, p.Branch
	if want == "" {
		want = cmp.Or(p.Prefix, "aburn/") + name
	}
	free, err := repo.FreeBranch(ctx, want)
	if err == nil && wanted != "" && free != wanted {
		err = &tree.Problem{Text: fmt.Sprintf("the branch %q exists already", wanted), Advice: "--branch with another name"}
	}
	return free, err
}

// launch settles how the agent is started. Of its session's id we know only what we chose.
func (s *Spawned) launch(o slot.Order, p Plan) {
	if s.Launch = p.Agent.Launch(o); p.Lines {
		s.Launch, s.opening = p.Agent.Protocol().Launch(o, "")
	}
	s.Session = s.Launch.Session
}

func (c *Crew) order(s *Spawned, p Plan, writable []string) slot.Order {
	if s.Folder != s.Tree {
		writable = append([]string{s.Tree}, writable...)
	}
	return slot.Order{
		Tree: s.Folder, Task: p.Task, Session: s.id, Permissions: p.Permissions, Model: p.Model, Folder: c.Store.Book(s.Name).Dir,
		Rules: s.Rules, Reports: []string{c.Self + " done", c.Self + " ask"}, Hook: p.Hook(s.Folder), Writable: writable,
	}
}

func (c *Crew) request(repo *tree.Repo, s *Spawned, p Plan) ledger.Entry {
	sum := sha256.Sum256([]byte(p.Task))
	via := Terminal
	if p.Runtime != nil {
		via = p.Runtime.Name()
	}
	return ledger.Entry{Fact: worker.Fact{Kind: worker.Requested, Gen: 1, Gates: p.Gated, Retries: p.Retries}, Detail: ledger.Detail{
		Task: scrub.Head(p.Task, maxHead), Digest: hex.EncodeToString(sum[:]), Agent: p.Agent.Name(), Via: via,
		Permissions: string(p.Permissions), Model: p.Model, Pass: p.Pass, Gates: p.Gates, Repo: repo.Main, Tree: s.Tree, Branch: s.Branch, Base: s.Base, BaseRef: s.BaseRef,
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
		"A message that begins with [aburn m-…] was sent by `aburn send`; one that says \"from\" behind the number is from another agent or from the project's gates, and not from the person you work for."
	if p.Rules != "" {
		text += "\n\nRules of this project:\n" + p.Rules
	}
	return text
}

// claim takes a name, and the lock that says that this process still spawns. A name that the person chose must be free; one
// that is made of the task gets a number.
func (c *Crew) claim(p Plan, s *Spawned) (*ledger.Book, error) {
	name := p.Name
	if name == "" {
		name = Slug(p.Task)
	}
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try += "-" + strconv.Itoa(n)
		}
		book := c.Store.Book(try)
		err := book.Create(s.hold)
		if err == nil {
			return book, nil
		}
		s.release()
		switch {
		case !errors.Is(err, ledger.ErrTaken) || p.Name != "" || n > 1000:
			return nil, err
		}
	}
}

// Slug is a name made of the first words of a task.
func Slug(task string) string {
	const most = 28 // leaves room for a number
	words := strings.FieldsFunc(strings.ToLower(task), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	name := ""
	for _, w := range words {
		if len(name)+1+len(w) > most || strings.Count(name, "-") > 3 {
			break
		}
		name += "-" + w
	}
	if name == "" && len(words) > 0 {
		name = "-" + words[0][:most-1]
	}
	if name == "" {
		return "worker"
	}
	return name[1:]
}

func (s *Spawned) hold(dir string) (err error) {
	if s.root, err = os.OpenRoot(dir); err != nil {
		return err
	}
	s.lock, err = lockfile.Acquire(s.root, spawnLock, patience)
	return err
}

func (s *Spawned) release() {
	if s.lock != nil {
		s.lock.Release()
		s.lock = nil
	}
	if s.root != nil {
		s.root.Close()
		s.root = nil
	}
}

// undo takes away what Prepare made. If the agent ran and worked, all of it stays and the ledger says why.
func (c *Crew) undo(ctx context.Context, repo *tree.Repo, s *Spawned, why error) {
	book := c.Store.Book(s.Name)
	worked := tree.SomebodyMayHaveWorked
	if errors.Is(why, hold.ErrGone) {
		worked = tree.NobodyWorked
	}
	if c.takeBack(ctx, repo, s.Tree, s.Branch, s.Base, worked) {
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
func (c *Crew) Sketch(ctx context.Context, repo *tree.Repo, p Plan) (*Spawned, error) {
	s, err := begin(ctx, repo, p)
	if err != nil {
		return nil, err
	}
	names, err := c.Store.Names()
	if err != nil {
		return nil, err
	}
	if s.Name = p.Name; s.Name == "" {
		s.Name = Slug(p.Task)
		for n := 2; slices.Contains(names, s.Name); n++ {
			s.Name = Slug(p.Task) + "-" + strconv.Itoa(n)
		}
	} else if slices.Contains(names, s.Name) {
		return nil, ledger.ErrTaken
	}
	if s.Branch, err = chooseBranch(ctx, repo, s.Name, p); err != nil {
		return nil, err
	}
	s.Tree = c.Store.Tree(s.Name)
	s.Folder = c.folder(s.Tree)
	s.Rules = rules(s, p, c.Self)
	writable, err := repo.WouldCommit(ctx, s.Tree)
	if err != nil {
		return nil, err
	}
	s.launch(c.order(s, p, writable), p)
	return s, nil
}
