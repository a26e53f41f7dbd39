// Package notes reads and writes what a commit's lines are from, in two formats of other tools: Git AI authorship notes 3.0.0
// (https://github.com/git-ai-project/git-ai) and Agent Trace records 1.0 (https://agent-trace.dev). It knows no repository.
package notes

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Ref is the name below refs/notes of Git AI's notes.
const Ref = "ai"

// Schema is the version of Git AI's notes that Format writes. Parse takes each version of the same major number.
const Schema = "authorship/3.0.0"

// Note says from whom lines of a commit are.
type Note struct {
	Files   []File
	Authors map[string]Author // by the key of entries
}

// File is a path from the worktree's root, with its entries.
type File struct {
	Path    string
	Entries []Entry
}

// Entry says that lines are one author's.
type Entry struct {
	Author string // a key of Note.Authors
	Ranges []Range
}

// Range is lines From to To of the file as it is in the commit, from 1.
type Range struct{ From, To int }

// Author is an agent in one session, or a person.
type Author struct {
	Tool, Session, Model string
	Person               bool
}

// Key is the key of an agent's session: Git AI's hash of tool and session, with 16 digits.
func Key(tool, session string) string {
	sum := sha256.Sum256([]byte(tool + ":" + session))
	return hex.EncodeToString(sum[:8])
}

// metadata is the JSON part of a note. Older versions have prompts, newer ones sessions.
type metadata struct {
	Schema   string            `json:"schema_version"`
	Version  string            `json:"git_ai_version,omitempty"`
	Base     string            `json:"base_commit_sha"`
	Prompts  map[string]record `json:"prompts"`
	Sessions map[string]record `json:"sessions,omitempty"`
	Humans   map[string]any    `json:"humans,omitempty"`
}

type record struct {
	Agent struct {
		Tool  string `json:"tool"`
		ID    string `json:"id"`
		Model string `json:"model"`
	} `json:"agent_id"`
	Human      *string  `json:"human_author"`
	Messages   []string `json:"messages"`
	Additions  int      `json:"total_additions"`
	Deletions  int      `json:"total_deletions"`
	Accepted   int      `json:"accepted_lines"`
	Overridden int      `json:"overriden_lines"` // spelled so in the format
}

// divider is the line between a note's two parts.
const divider = "---"

// Parse reads a Git AI note.
func Parse(text string) (*Note, error) {
	head, tail, ok := strings.Cut("\n"+text, "\n"+divider+"\n")
	if !ok {
		return nil, errors.New("no line --- divides the note")
	}
	var said struct {
		Schema            string `json:"schema_version"`
		Prompts, Sessions map[string]struct {
			Agent struct{ Tool, ID, Model string } `json:"agent_id"`
		}
	}
	if err := json.Unmarshal([]byte(tail), &said); err != nil {
		return nil, fmt.Errorf("its metadata is no JSON: %w", err)
	}
	if !strings.HasPrefix(said.Schema, "authorship/3.") {
		return nil, fmt.Errorf("unknown version %q", said.Schema)
	}
	n := &Note{Authors: map[string]Author{}}
	for _, of := range []map[string]struct {
		Agent struct{ Tool, ID, Model string } `json:"agent_id"`
	}{said.Prompts, said.Sessions} {
		for key, r := range of {
			n.Authors[key] = Author{Tool: r.Agent.Tool, Session: r.Agent.ID, Model: r.Agent.Model}
		}
	}
	for line := range strings.Lines(head) {
		line = strings.TrimRight(line, "\r\n")
		indented := strings.HasPrefix(line, "  ")
		switch {
		case strings.TrimSpace(line) == "":
		case !indented:
			n.Files = append(n.Files, File{Path: unquoted(line)})
		case len(n.Files) == 0:
			return nil, fmt.Errorf("lines of no file: %q", line)
		default:
			e, err := entryOf(line)
			if err != nil {
				return nil, err
			}
			if _, known := n.Authors[e.Author]; !known && strings.HasPrefix(e.Author, "h_") {
				n.Authors[e.Author] = Author{Person: true}
			}
			f := &n.Files[len(n.Files)-1]
			f.Entries = append(f.Entries, e)
		}
	}
	return n, nil
}

// entryOf reads "  KEY 1-10,15" or "  SESSION::TRACE 8".
func entryOf(line string) (e Entry, err error) {
	words := strings.Fields(line)
	if len(words) != 2 {
		return e, fmt.Errorf("not KEY LINES: %q", line)
	}
	e.Author, _, _ = strings.Cut(words[0], "::")
	for part := range strings.SplitSeq(words[1], ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || a < 1 || b < a {
			return e, fmt.Errorf("no lines: %q", part)
		}
		e.Ranges = append(e.Ranges, Range{a, b})
	}
	return e, nil
}

func unquoted(path string) string {
	if len(path) > 1 && path[0] == '"' && path[len(path)-1] == '"' {
		return path[1 : len(path)-1]
	}
	return path
}

// Format writes the note of a commit. It says nothing of messages and of lines that were changed again: aburn doesn't count them.
func (n *Note) Format(commit string) (string, error) {
	var b strings.Builder
	meta := metadata{Schema: Schema, Base: commit, Prompts: map[string]record{}}
	lines := map[string]int{}
	files := slices.Clone(n.Files)
	slices.SortFunc(files, func(x, y File) int { return cmp.Compare(x.Path, y.Path) })
	for _, f := range files {
		path := f.Path
		if strings.ContainsAny(path, " \t") {
			path = `"` + path + `"`
		}
		b.WriteString(path + "\n")
		for _, e := range f.Entries {
			var parts []string
			for _, r := range e.Ranges {
				lines[e.Author] += r.To - r.From + 1
				if r.From == r.To {
					parts = append(parts, strconv.Itoa(r.From))
				} else {
					parts = append(parts, strconv.Itoa(r.From)+"-"+strconv.Itoa(r.To))
				}
			}
			b.WriteString("  " + e.Author + " " + strings.Join(parts, ",") + "\n")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(n.Authors)) {
		a := n.Authors[key]
		r := record{Messages: []string{}, Additions: lines[key], Accepted: lines[key]}
		r.Agent.Tool, r.Agent.ID, r.Agent.Model = a.Tool, a.Session, a.Model
		meta.Prompts[key] = r
	}
	text, err := json.MarshalIndent(meta, "", "  ")
	return b.String() + divider + "\n" + string(text) + "\n", err
}

// Lines counts the lines of a note.
func (n *Note) Lines() (lines int) {
	for _, f := range n.Files {
		for _, e := range f.Entries {
			for _, r := range e.Ranges {
				lines += r.To - r.From + 1
			}
		}
	}
	return lines
}
