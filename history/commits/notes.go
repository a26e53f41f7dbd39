package commits

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"aburn/history"
	"aburn/history/notes"
	"aburn/internal/git"
)

// ErrNoted says that a commit has a note already.
var ErrNoted = errors.New("it has a note already")

// addNotes adds what Git AI's notes say of commits. A note in another form says nothing.
func (r *Repo) addNotes(ctx context.Context, found map[string]*history.Commit) error {
	blobs, err := r.noteBlobs(ctx)
	if err != nil {
		return err
	}
	for hash, c := range found {
		if blobs[hash] == "" {
			continue
		}
		text, err := r.git.Bytes(ctx, "cat-file", "blob", blobs[hash])
		if err != nil {
			return err
		}
		note, err := notes.Parse(string(text))
		if err != nil {
			continue
		}
		said := map[string]bool{}
		for _, f := range note.Files {
			for _, e := range f.Entries {
				if a := note.Authors[e.Author]; !a.Person && a.Tool != "" && !said[e.Author] {
					said[e.Author] = true
					c.Stated = append(c.Stated, history.Statement{Text: "Git AI note: " + strings.TrimSpace(a.Tool+" "+a.Model) + ", session " + a.Session,
						Session: a.Session})
				}
			}
		}
	}
	return nil
}

// noteBlobs are the objects with notes, by their commits.
func (r *Repo) noteBlobs(ctx context.Context) (map[string]string, error) {
	if code, _, err := r.git.Code(ctx, "show-ref", "--verify", "--quiet", "refs/notes/"+notes.Ref); err != nil || code != 0 {
		return nil, err
	}
	out, err := r.git.Out(ctx, "notes", "--ref="+notes.Ref, "list")
	blobs := map[string]string{}
	for line := range strings.Lines(out) {
		if blob, hash, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			blobs[hash] = blob
		}
	}
	return blobs, err
}

// AddNote adds a note to a commit. One that is there, whoever wrote it, stays: then the error is ErrNoted.
func (r *Repo) AddNote(ctx context.Context, hash, text string) error {
	blobs, err := r.noteBlobs(ctx)
	if err != nil {
		return err
	}
	if blobs[hash] != "" {
		return ErrNoted
	}
	_, err = r.git.Feed(ctx, text, "notes", "--ref="+notes.Ref, "add", "-F", "-", hash)
	var failed *git.Error
	if errors.As(err, &failed) && strings.Contains(failed.Text, "existing notes") {
		return ErrNoted // added at the same moment
	}
	return err
}

var hunk = regexp.MustCompile(`^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@`)

// AddedLines are the lines that a commit added, by the path in the commit.
func (r *Repo) AddedLines(ctx context.Context, hash string) (map[string][]notes.Range, error) {
	files, err := r.Added(ctx, hash)
	if err != nil {
		return nil, err
	}
	lines := map[string][]notes.Range{}
	for path := range files {
		out, err := r.plain.Out(ctx, "diff-tree", "--root", "--no-commit-id", "-r", "-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", hash, "--", path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(out) {
			m := hunk.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			from, _ := strconv.Atoi(m[1])
			n := 1
			if m[2] != "" {
				n, _ = strconv.Atoi(m[2])
			}
			if n > 0 {
				lines[path] = append(lines[path], notes.Range{From: from, To: from + n - 1})
			}
		}
	}
	return lines, nil
}

// ContentHash is the SHA-256 of a file in a commit, "" if it isn't there.
func (r *Repo) ContentHash(ctx context.Context, hash, path string) (string, error) {
	code, _, err := r.git.Code(ctx, "cat-file", "-e", hash+":"+path)
	if err != nil || code != 0 {
		return "", err
	}
	text, err := r.git.Bytes(ctx, "cat-file", "blob", hash+":"+path)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}
