package instrument

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"aburn/instrument/jsast"
	"aburn/instrument/rules"
	"aburn/internal/git"
)

// Branch are the files below a folder that a branch changed.
type Branch struct {
	Base string `json:"base"` // the commit with the originals: where the branch left the base
	Head string `json:"head"` // the commit with the later files; "" for the working tree
	// Files were judged, by path.
	Files []BranchFile `json:"files"`
	// New have no original.
	New []string `json:"new"`
	// SetUp is the file that sets up telemetry, if it changed: it is the author's. Else "".
	SetUp string `json:"setUp"`
	// Unjudged changed, and nobody knows how.
	Unjudged []Skipped `json:"unjudged"`
	// Prefix is the folder's path in the repository; "" or with a / at its end.
	Prefix string `json:"-"`
}

// BranchFile is one file that a branch changed.
type BranchFile struct {
	Path     string          `json:"path"`
	Original string          `json:"original"` // its path in Base
	Findings []rules.Finding `json:"findings"`
	Text     []byte          `json:"-"` // of the later file
}

// Findings are those of all files.
func (b *Branch) Findings() (list []rules.Finding) {
	for _, f := range b.Files {
		list = append(list, f.Findings...)
	}
	return list
}

// addFindings adds findings of files that are no code, such as package.json.
func (b *Branch) addFindings(list []rules.Finding) {
	for _, f := range list {
		i := slices.IndexFunc(b.Files, func(file BranchFile) bool { return file.Path == f.File })
		if i < 0 {
			b.Files = append(b.Files, BranchFile{Path: f.File, Original: f.File})
			i = len(b.Files) - 1
		}
		b.Files[i].Findings = append(b.Files[i].Findings, f)
	}
}

// RefError says why the commits of a branch cannot be compared.
type RefError struct {
	Msg, Hint string
}

func (e *RefError) Error() string { return e.Msg }

// change is one line of git's raw diff.
type change struct {
	status         byte
	oldMode, mode  string
	oldBlob, blob  string // all zeros for a file of the working tree
	original, name string
}

// CheckBranch judges all JavaScript and TypeScript files below dir that changed between
// base and head, or the working tree if head is "": what head has changed since it left
// base. paths limit the files; none are all. c stands in dir. environ is for git. The error is a
// *RefError, a *PathError, a *JudgeError of the registry, or the context's.
func CheckBranch(ctx context.Context, engine jsast.Engine, dir, base, head string, paths []string, c Config, environ []string) (*Branch, error) {
	g, err := git.In(dir, environ).Unfiltered(ctx)
	if err != nil {
		return nil, branchError(ctx, err)
	}
	b := &Branch{Files: []BranchFile{}, New: []string{}, Unjudged: []Skipped{}}
	if err := b.resolve(ctx, g, base, head); err != nil {
		return nil, err
	}
	changes, err := b.changes(ctx, g, paths)
	if err != nil {
		return nil, branchError(ctx, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &PathError{dir, "is no folder that can be read", ""}
	}
	defer root.Close()
	w := &branchWork{root: root}
	if c.SDKInitFile != "" {
		w.setUp = path.Clean(filepath.ToSlash(c.SDKInitFile))
	}
	if w.judging, err = newJudging(engine, c, dir); err != nil {
		return nil, err
	}
	if w.blobs, w.manifests, err = b.blobs(ctx, g, changes); err != nil {
		return nil, branchError(ctx, err)
	}
	if err := w.judgeAll(ctx, b, changes); err != nil {
		return nil, err
	}
	if b.Head == "" { // the package.json of another commit is not on disk
		b.addFindings(judgeManifests(dir, c, w.took))
	}
	return b, nil
}

func branchError(ctx context.Context, err error) error {
	var failed *git.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &failed):
		return &RefError{failed.Text, ""}
	}
	return &RefError{err.Error(), ""}
}

// resolve finds the commits: Base is the last one that the branch has in common with base.
func (b *Branch) resolve(ctx context.Context, g *git.Git, base, head string) (err error) {
	code, prefix, err := g.Code(ctx, "rev-parse", "--show-prefix")
	if err != nil || code != 0 {
		if err != nil {
			return branchError(ctx, err)
		}
		return &RefError{"the folder is in no git repository", "check takes two files without git: aburn instrument check before.js after.js"}
	}
	b.Prefix = prefix
	from, err := commitOf(ctx, g, base)
	if err != nil {
		return err
	}
	to, err := commitOf(ctx, g, cmp.Or(head, "HEAD"))
	if err != nil {
		return err
	}
	if head != "" {
		b.Head = to
	}
	code, common, err := g.Code(ctx, "merge-base", from, to)
	switch {
	case err != nil:
		return branchError(ctx, err)
	case code != 0:
		return &RefError{fmt.Sprintf("%s and %s have no commit in common", base, cmp.Or(head, "HEAD")),
			"a shallow clone lacks it: git fetch --unshallow, or fetch-depth: 0 of actions/checkout"}
	}
	b.Base, _, _ = strings.Cut(common, "\n")
	return nil
}

func commitOf(ctx context.Context, g *git.Git, ref string) (string, error) {
	code, commit, err := g.Code(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	switch {
	case err != nil:
		return "", branchError(ctx, err)
	case code != 0:
		return "", &RefError{"git has no commit " + strconv.Quote(ref), "git fetch origin, then name it as in git log: --base origin/main"}
	}
	return strings.TrimSpace(commit), nil
}

// changes lists the files below the folder that differ, renamed ones with their original.
func (b *Branch) changes(ctx context.Context, g *git.Git, paths []string) (list []change, err error) {
	args := []string{"diff", "--raw", "-z", "--no-abbrev", "--relative", "--find-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", b.Base}
	if b.Head != "" {
		args = append(args, b.Head)
	}
	parts, err := g.List(ctx, append(append(args, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	for len(parts) >= 2 {
		head := strings.Fields(strings.TrimPrefix(parts[0], ":"))
		if len(head) != 5 {
			return nil, fmt.Errorf("git diff --raw gives %q", parts[0])
		}
		c := change{oldMode: head[0], mode: head[1], oldBlob: head[2], blob: head[3], status: head[4][0], original: parts[1], name: parts[1]}
		parts = parts[2:]
		if c.status == 'R' && len(parts) > 0 {
			c.name, parts = parts[0], parts[1:]
		}
		if c.status != 'D' && isScript(c.name) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// isScript says whether a file is code that instrumentation could be in.
func isScript(name string) bool {
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".astro":
		return !strings.HasSuffix(name, ".d.ts") && !slices.Contains(strings.Split(name, "/"), "node_modules")
	}
	return false
}

// blobs reads the texts of the changed files that git has, by id, and each package.json of
// Base, by folder.
func (b *Branch) blobs(ctx context.Context, g *git.Git, changes []change) (blobs, manifests map[string][]byte, err error) {
	tree, err := g.List(ctx, "ls-tree", "-r", "-z", b.Base)
	if err != nil {
		return nil, nil, err
	}
	folders := map[string]string{}
	var ids []string
	for _, line := range tree { // mode, kind, id, a tab and the path
		info, name, _ := strings.Cut(line, "\t")
		if f := strings.Fields(info); len(f) == 3 && strings.HasPrefix(f[0], "100") && path.Base(name) == "package.json" && len(changes) > 0 {
			folders[path.Dir(name)] = f[2]
			ids = append(ids, f[2])
		}
	}
	for _, c := range changes {
		if c.status != 'A' {
			ids = append(ids, c.oldBlob)
		}
		if b.Head != "" {
			ids = append(ids, c.blob)
		}
	}
	if blobs, err = readBlobs(ctx, g, ids); err != nil {
		return nil, nil, err
	}
	manifests = map[string][]byte{}
	for folder, id := range folders {
		manifests[folder] = blobs[id]
	}
	return blobs, manifests, nil
}

// readBlobs reads many blobs by one process.
func readBlobs(ctx context.Context, g *git.Git, ids []string) (map[string][]byte, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	out, err := g.Feed(ctx, strings.Join(ids, "\n")+"\n", "cat-file", "--batch")
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	blobs, rest := map[string][]byte{}, []byte(out+"\n")
	for range ids {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		f := strings.Fields(string(line)) // id, kind, size
		if len(f) != 3 {                  // a commit of a submodule is missing
			rest = after
			continue
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size >= len(after) {
			return nil, fmt.Errorf("git cat-file gives %q", line)
		}
		blobs[f[0]], rest = after[:size], after[size+1:]
	}
	return blobs, nil
}

// branchWork is what the goroutines share that judge the files of a branch.
type branchWork struct {
	*judging
	setUp     string // the file that sets up telemetry; "" for none
	root      *os.Root
	blobs     map[string][]byte
	manifests map[string][]byte
	took      []Instrumented // files that take other names of the API than before
}

// outcome is what became of one file: findings or the reason for none.
type outcome struct {
	findings []rules.Finding
	text     []byte
	module   *jsast.Module // where it takes other names of the API than before
	why      string
}

func (w *branchWork) judgeAll(ctx context.Context, b *Branch, changes []change) error {
	done := make([]outcome, len(changes))
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(changes)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(changes)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				done[i] = w.judgeChange(ctx, b, changes[i])
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, c := range changes {
		switch o := done[i]; {
		case c.name == w.setUp:
			b.SetUp = c.name
		case c.status == 'A':
			b.New = append(b.New, c.name)
		case o.why != "":
			b.Unjudged = append(b.Unjudged, Skipped{c.name, o.why})
		default:
			if o.findings == nil {
				o.findings = []rules.Finding{}
			}
			b.Files = append(b.Files, BranchFile{c.name, c.original, o.findings, o.text})
			if o.module != nil {
				w.took = append(w.took, Instrumented{Path: c.name, Module: o.module})
			}
		}
	}
	return nil
}

func (w *branchWork) judgeChange(ctx context.Context, b *Branch, c change) (o outcome) {
	if c.status == 'A' || c.name == w.setUp {
		return o
	}
	if !strings.HasPrefix(c.oldMode, "100") || !strings.HasPrefix(c.mode, "100") {
		return outcome{why: "is or was a link"}
	}
	if err := otherLanguage(c.name); err != nil {
		return outcome{why: err.Error()}
	}
	text := w.blobs[c.blob]
	if b.Head == "" {
		var err error
		if text, err = readIn(w.root, c.name); err != nil {
			return outcome{why: reason(err)}
		}
	}
	kind := typeBy(c.original, func(yield func([]byte, bool) bool) {
		for in := path.Dir(b.Prefix + c.original); ; in = path.Dir(in) {
			text, is := w.manifests[in]
			if !yield(text, is) || in == "." {
				return
			}
		}
	})
	findings, module, err := w.judge(ctx, version{c.original, w.blobs[c.oldBlob]}, version{c.name, text}, kind, false)
	if err != nil {
		return outcome{why: reason(err)}
	}
	return outcome{findings: findings, text: text, module: module}
}

// reason is an error without the file's name.
func reason(err error) string {
	var judge *JudgeError
	if errors.As(err, &judge) {
		return judge.Err.Error()
	}
	return err.Error()
}
