package workers

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"aburn/internal/plain"
	"aburn/web/excerpt"
	"aburn/web/pages"
	"aburn/web/show"
)

// Bounds of a diff's page.
const (
	mostOfDiff  = 400 << 10 // bytes
	mostOfPatch = 600       // lines of one file
	mostFiles   = 200
)

// Diff is the page of what a worker changed.
func (s *Pages) Diff(ctx context.Context, v Known, _ url.Values, r *http.Request) (*show.Page, error) {
	key, name, elsewhere, err := s.named(r)
	if err != nil || elsewhere != "" {
		return &show.Page{Elsewhere: elsewhere}, err
	}
	w, text, from, err := s.o.Board.Diff(ctx, key, name)
	if err != nil {
		return nil, noWorker(name, err)
	}
	body := &pages.WorkerDiff{Project: key, Name: name, Crumbs: s.crumbsOf(&w), Parts: s.partsOf(&w, "/diff"), From: plain.Line(from)}
	var scrub excerpt.Scrubber
	files, shownBytes := splitDiff(text), 0
	for i, f := range files {
		if i == mostFiles || shownBytes > mostOfDiff {
			body.Rest = plain.Plural(int64(len(files)-i), "more file") + " of the diff: aburn diff " + name
			break
		}
		one := pages.ChangedFile{ID: fmt.Sprintf("f%d", i+1), Path: show.Scrubbed(f.path)}
		patch, rest := cutPatch(f.patch)
		shownBytes += len(patch)
		one.Blocks = excerpt.In(f.path, scrub.Code("", []byte(patch), excerpt.Limits{Width: 400}))
		if rest != "" && len(one.Blocks) > 0 {
			one.Blocks[len(one.Blocks)-1].Fold = rest
		}
		body.Files = append(body.Files, one)
	}
	body.Stat = plain.Plural(int64(len(files)), "changed file")
	if len(files) == 0 {
		body.Stat = "It changed nothing"
	}
	return &show.Page{Frame: s.workerFrame(name, ""), Body: body}, nil
}

type filePatch struct{ path, patch string }

// splitDiff parts a diff of git's by files. Git quotes a path that would break a line.
func splitDiff(text string) (list []filePatch) {
	for part := range strings.SplitSeq("\n"+text, "\ndiff --git ") {
		if part == "" || part == "\n" {
			continue
		}
		head, rest, _ := strings.Cut(part, "\n")
		path := head
		if i := strings.LastIndex(head, " b/"); i >= 0 {
			path = head[i+3:]
		}
		list = append(list, filePatch{path, "diff --git " + head + "\n" + rest})
	}
	return list
}

// cutPatch keeps of a patch what a page shows, and says what it leaves out.
func cutPatch(patch string) (shown, rest string) {
	if i := strings.Index(patch, "\nGIT binary patch\n"); i >= 0 {
		return patch[:i], "a binary file"
	}
	lines := strings.SplitAfter(patch, "\n")
	if len(lines) > mostOfPatch {
		return strings.Join(lines[:mostOfPatch], ""), plain.Plural(int64(len(lines)-mostOfPatch), "more line")
	}
	return patch, ""
}
