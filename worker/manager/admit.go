package manager

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lockfile"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// mostByAgents is how many workers of a project may run when an agent begins one more.
const mostByAgents = 8

// enterLedger takes a name for a worker and writes down what is wanted. far is the repository on the machine where it will run; "" is here.
//
// Of two at once the second one sees the request of the first: otherwise both would take the last place, or the same part of their
// parent's budget.
func enterLedger(ctx context.Context, c *Manager, repo *tree.Repo, s *Spawned, p *Plan, far string) (book *ledger.Book, err error) {
	err = projectLock(c, "begin.lock", patience, func() error {
		if err := admitCounted(ctx, c, p, c.LoadCached); err != nil { // another machine is not waited for with the lock in hand
			return err
		}
		if book, err = claimName(c, *p, s); err != nil {
			return err
		}
		s.Name = book.Name
		if err = writeRequest(ctx, c, repo, book, s, p, far); err != nil {
			book.Remove()
			s.release()
		}
		return err
	})
	if p.ByAgent && journal.ReadOnly(err) {
		err = refuse("no worker can be made inside of this sandbox: "+c.Store.Dir+" is read-only here",
			"run the same command outside of the sandbox, if your client has a way to ask the person for that", "the person can: aburn spawn")
	}
	return book, err
}

// writeRequest writes the request into a worker's ledger, which is empty.
func writeRequest(ctx context.Context, c *Manager, repo *tree.Repo, book *ledger.Book, s *Spawned, p *Plan, far string) (err error) {
	if s.Branch, err = chooseBranch(ctx, repo, s.Name, *p); err != nil {
		return err
	}
	s.Tree = c.Store.Tree(s.Name)
	// Before the request stands in the ledger: whoever undoes this spawn may remove what lies there.
	if _, err := os.Lstat(s.Tree); err == nil && far == "" {
		return &tree.Problem{Text: s.Tree + " exists already, and no worker is known to own it", Advice: "move it away, or choose another --name"}
	}
	e := requestEntry(c, repo, s, *p)
	e.Address = far
	return book.Append(e)
}

// Admit refuses a worker where enough of them run, or where the worker that asks for it may not begin it or has too little of its
// budget left to give. Others may come before it is entered, which asks the ledgers again.
func Admit(ctx context.Context, c *Manager, p *Plan) error { return admitCounted(ctx, c, p, c.Load) }

func admitCounted(ctx context.Context, c *Manager, p *Plan, look func(context.Context, ...string) ([]*Member, error)) error {
	if p.Parent != nil && p.Parent.Request.Parent != "" {
		return refuse("the worker "+p.Parent.Name+" was begun by the worker "+p.Parent.Request.Parent+", and may not spawn workers itself", "aburn ask: a person can")
	}
	most := p.most()
	if p.Parent == nil {
		if names, err := c.Store.Names(); most == 0 || err != nil || len(names) < most {
			return err
		}
	}
	all, err := look(ctx)
	if err != nil {
		return err
	}
	if n := running(all); most > 0 && n >= most {
		if most == p.Most {
			return refuse(fmt.Sprintf("max_workers is %d (%s), and so many run", most, p.MostIn), "aburn ps", "aburn kill NAME",
				"max_workers: "+strconv.Itoa(2*most)+" in aburn.yaml lets more run")
		}
		hint := "the person can: aburn spawn"
		if p.Parent != nil {
			hint = "aburn ask: a person can"
		}
		return refuse(fmt.Sprintf("%d workers run, and an agent begins no more", n), hint)
	}
	return portion(all, p.Parent, p.Budget)
}

// most is how many workers may run when this one comes; 0 is any number.
func (p *Plan) most() int {
	if byAgent := p.ByAgent || p.Parent != nil; byAgent && (p.Most == 0 || p.Most > mostByAgents) {
		return mostByAgents
	}
	return p.Most
}

// running is how many agents have not ended. One that nobody can see counts.
func running(all []*Member) (n int) {
	for _, m := range all {
		if m.Err == nil && !m.Over() {
			n++
		}
	}
	return n
}

// portion refuses a budget for a worker of parent that is more than parent has left to give. A parent without a budget gives any.
func portion(all []*Member, parent *Member, text string) error {
	if parent == nil || parent.Limit() == (worker.Budget{}) {
		return nil
	}
	has := parent.Limit()
	left := has.Less(Given(all, parent.Name))
	want, err := worker.ParseBudget(text)
	if err != nil || want == (worker.Budget{}) || (want.Cents > 0) != (has.Cents > 0) || want.Cents > left.Cents || want.Tokens > left.Tokens {
		return refuse("a worker gives of its own budget, and of yours "+left.String()+" is not given away yet", "--budget "+left.String()+", or less")
	}
	return nil
}

// treesWait is how long one waits for others that make or remove worktrees.
const treesWait = 5 * time.Minute

// serially makes this process the only one of the project's that makes or removes a worktree: of two at once, git 2.39 refuses
// one that reads the other's half-written bookkeeping. What only reads is not alone, and is tried again (internal/git).
func serially(c *Manager, do func() error) error { return projectLock(c, "trees.lock", treesWait, do) }

// projectLock holds a lock of the project's. Who holds begin.lock may wait for trees.lock, and never the other way round.
func projectLock(c *Manager, name string, wait time.Duration, do func() error) error {
	if err := os.MkdirAll(c.Store.Dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(c.Store.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, name, wait)
	if err != nil {
		return err
	}
	defer lock.Release()
	return do()
}
