package manager

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"aburn/internal/hold"
	"aburn/internal/plain"
	"aburn/internal/run"
	"aburn/internal/scrub"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/tree"
)

// Furniture is what a tree gets before the agent begins.
type Furniture struct {
	Copy    []string // patterns of files that git ignores
	Share   []string // folders that are copied whole
	Link    []string // paths that are linked to
	Ports   []Port
	EnvFile string   // where in the tree the ports are written too; "" for nowhere
	Setup   []string // command lines
	Timeout time.Duration
	Tell    func(string) // hears of each command of setup before it runs; may be nil
	// Carried puts the files into a tree of another repository; nil copies them from this one's main checkout.
	Carried func(context.Context, *tree.Tree) ([]tree.Copied, error)
	From    string // the checkout that Link is about; "" is the main one
}

// Files are those of the main checkout that a tree gets, and those that git does not ignore and it therefore does not get.
func (f *Furniture) Files(ctx context.Context, repo *tree.Repo, scratch string) (paths, others []string, err error) {
	patterns, err := included(repo.Main)
	if err != nil {
		return nil, nil, err
	}
	patterns = append(patterns, f.Copy...)
	for _, dir := range f.Share {
		patterns = append(patterns, "/"+strings.Trim(dir, "/"))
	}
	return tree.ChosenFiles(ctx, repo, scratch, patterns)
}

// includeFile lists, in the syntax of .gitignore, what a worktree gets of the files that git ignores. Other tools know it.
const includeFile = ".worktreeinclude"

// maxInclude bounds that file, in bytes.
const maxInclude = 1 << 20

// included are the lines of a checkout's own list. It came with a repository, so anything may stand there.
func included(main string) ([]string, error) {
	path := filepath.Join(main, includeFile)
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would block
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() > maxInclude {
		return nil, cmp.Or(err, refuse(path+" is no regular file of at most 1 MiB"))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxInclude))
	return strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), err
}

// prepareTree carries out the steps. Each stands in the ledger when it is done; whoever undoes the spawn removes the tree, and with
// it all of them.
func prepareTree(ctx context.Context, c *Manager, repo *tree.Repo, book *ledger.Book, s *Spawned, p Plan) error {
	t := repo.Tree(s.Tree)
	if n := t.Pointers(ctx); n > 0 {
		s.Warnings = append(s.Warnings, plain.Plural(int64(n), "file")+" of git-lfs not fetched: its tree has only pointers. git lfs install")
	}
	if n := t.Submodules(ctx); n > 0 {
		s.Warnings = append(s.Warnings, plain.Plural(int64(n), "submodule")+" not checked out in its tree")
	}
	var all []tree.Copied
	copied, err := copyFiles(ctx, c, repo, t, book, s, p.Furniture)
	if all = append(all, copied...); err != nil {
		return err
	}
	linked, err := linkPaths(ctx, t, book, s, p.Furniture)
	if all = append(all, linked...); err != nil {
		return err
	}
	if err := claimPorts(c, book, s, p.Furniture.Ports); err != nil {
		return err
	}
	if all, err = writeEnvFile(ctx, c, t, book, s, p.Furniture.EnvFile, all); err != nil {
		return err
	}
	if err := keepCopied(book, all); err != nil {
		return err
	}
	return runSetup(ctx, c, book, s, p)
}

func stepped(name string) ledger.Entry {
	e := ledger.Entry{Fact: worker.Fact{Kind: worker.Stepped, Gen: 1}}
	e.Step = name
	return e
}

func copyFiles(ctx context.Context, c *Manager, repo *tree.Repo, t *tree.Tree, book *ledger.Book, s *Spawned, f Furniture) (done []tree.Copied, err error) {
	if f.Carried != nil {
		done, err = f.Carried(ctx, t)
	} else {
		done, err = copyHere(ctx, repo, t, book, s, f)
	}
	if err != nil || len(done) == 0 {
		return done, err
	}
	var list []string
	for _, d := range done {
		list = append(list, d.Path)
	}
	s.Steps = append(s.Steps, "copied "+names(list))
	return done, book.Append(withFiles(stepped("copy"), list))
}

func copyHere(ctx context.Context, repo *tree.Repo, t *tree.Tree, book *ledger.Book, s *Spawned, f Furniture) ([]tree.Copied, error) {
	paths, others, err := f.Files(ctx, repo, book.Dir)
	if err != nil {
		return nil, err
	}
	s.NotCopied(others, nil)
	if len(paths) == 0 {
		return nil, nil
	}
	done, left, err := t.Copy(ctx, paths)
	s.NotCopied(nil, left)
	return done, err
}

// NotCopied says which files a tree did not get: those that git does not ignore, and those that are left.
func (s *Spawned) NotCopied(others, left []string) {
	if len(others) > 0 {
		s.Warnings = append(s.Warnings, "not copied, as git does not ignore them and the worker would commit them: "+names(others))
	}
	if len(left) > 0 {
		s.Warnings = append(s.Warnings, "not copied, as they lead out of the project or are no files: "+names(left))
	}
}

// withFiles names the first files in an entry of limited size.
func withFiles(e ledger.Entry, files []string) ledger.Entry {
	e.Count = len(files)
	for _, f := range files[:min(8, len(files))] {
		e.Files = append(e.Files, short(f))
	}
	return e
}

func linkPaths(ctx context.Context, t *tree.Tree, book *ledger.Book, s *Spawned, f Furniture) (done []tree.Copied, err error) {
	var list []string
	for _, p := range f.Link {
		why, one, err := t.Link(ctx, f.From, p)
		switch {
		case err != nil:
			return done, err
		case why != "":
			s.Warnings = append(s.Warnings, "not linked: "+p+" "+why)
		default:
			done, list = append(done, one), append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	s.Steps = append(s.Steps, "linked "+names(list))
	return done, book.Append(withFiles(stepped("link"), list))
}

const copiedFile = "copied"

func keepCopied(book *ledger.Book, list []tree.Copied) error {
	if len(list) == 0 {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(book.Dir, copiedFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	enc := json.NewEncoder(w)
	for _, c := range list {
		if err = enc.Encode(c); err != nil {
			break
		}
	}
	return errors.Join(err, w.Flush(), f.Close())
}

// treeOf is a worker's tree, which knows what was copied into it.
func treeOf(c *Manager, repo *tree.Repo, m *Member) *tree.Tree {
	t := repo.Tree(m.Request.Tree)
	f, err := os.Open(filepath.Join(c.Store.Book(m.Name).Dir, copiedFile))
	if err != nil {
		return t
	}
	defer f.Close()
	var list []tree.Copied
	for dec := json.NewDecoder(f); ; {
		var one tree.Copied
		if dec.Decode(&one) != nil {
			break
		}
		list = append(list, one)
	}
	t.Knows(list)
	return t
}

// defaultSetup is how long all of setup may take.
const defaultSetup = 10 * time.Minute

// runSetup runs the confirmed command lines in the tree, one after the other, without the agent's keys. A failure undoes the spawn.
func runSetup(ctx context.Context, c *Manager, book *ledger.Book, s *Spawned, p Plan) error {
	f := p.Furniture
	if len(f.Setup) == 0 {
		return nil
	}
	limit := f.Timeout
	if limit == 0 {
		limit = defaultSetup
	}
	began := time.Now()
	env := append(run.Clean(c.Environ, append(slices.Clone(toolVariables), p.Pass...)...), s.Env...)
	env = append(env, hold.MarkVariable+"="+markOf(c, s.Name, s.id))
	for _, line := range f.Setup {
		if f.Tell != nil {
			f.Tell(line)
		}
		rest := limit - time.Since(began)
		if rest <= 0 {
			rest = time.Nanosecond
		}
		r, err := run.Do(ctx, run.Program{Argv: []string{"/bin/sh", "-c", line}, Dir: s.Folder, Env: env, Timeout: rest})
		switch {
		case errors.Is(err, run.ErrTimeout):
			return refuse(fmt.Sprintf("setup did not end within %s: %s", plain.Duration(limit), line), tail(r)...)
		case err != nil:
			return err
		case r.Code != 0:
			return refuse(fmt.Sprintf("setup failed with %d: %s", r.Code, line), tail(r)...)
		}
	}
	var lines []string
	for _, line := range f.Setup {
		text, _ := scrub.Text(line)
		lines = append(lines, text)
	}
	e := withFiles(stepped("setup"), lines)
	e.Seconds = time.Since(began).Round(10 * time.Millisecond).Seconds()
	s.Steps = append(s.Steps, "setup "+plain.Duration(time.Since(began)))
	return book.Append(e)
}

// tail is the end of what a failed program said.
func tail(r run.Result) (lines []string) {
	text := strings.TrimSpace(string(r.Stderr))
	if text == "" {
		text = strings.TrimSpace(string(r.Stdout))
	}
	for line := range strings.Lines(text) {
		lines = append(lines, plain.Cut(plain.Line(strings.TrimSpace(line)), 200))
	}
	return lines[max(0, len(lines)-3):]
}
