package home

import (
	"bufio"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"aburn/trace"
)

// Answer is one answer of a model that its session was billed for, and what its cost depends on.
type Answer struct {
	Time    int64  `json:"time"`    // Unix milliseconds
	Session string `json:"session"` // source/id
	Root    string `json:"root"`    // the session above all sub-agents; itself if it is none
	Agent   string `json:"agent"`
	Project string `json:"project"`
	Branch  string `json:"branch,omitempty"`
	Model   string `json:"model"`
	Tier    string `json:"tier,omitempty"` // empty is standard
	Geo     string `json:"geo,omitempty"`
	// Input, CacheRead, Write5m, Write1h, Write, and Output hold no token twice. Write is of unknown life.
	Input     int64 `json:"input"`
	CacheRead int64 `json:"cache_read,omitempty"`
	Write5m   int64 `json:"cache_write_5m,omitempty"`
	Write1h   int64 `json:"cache_write_1h,omitempty"`
	Write     int64 `json:"cache_write,omitempty"`
	Output    int64 `json:"output"` // includes Reasoning
	Reasoning int64 `json:"reasoning,omitempty"`
	Searches  int64 `json:"web_searches,omitempty"`
	// HidesWrites says that nothing in the session tells which tokens were written to a cache.
	HidesWrites bool `json:"hides_writes,omitempty"`
	// Counted is when a running total of the session told it first, in Unix milliseconds, where sessions have totals; 0 if
	// the program ended before.
	Counted int64 `json:"counted,omitempty"`
	// Recounted is when the total was told again without a new answer; 0 if it was not.
	Recounted int64 `json:"recounted,omitempty"`
}

// answers is AnswersFile while it is written.
type answers struct {
	f   *os.File
	buf *bufio.Writer
}

func createAnswers(dir string) (*answers, error) {
	f, err := os.OpenFile(filepath.Join(dir, AnswersFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	return &answers{f, bufio.NewWriter(f)}, err
}

func (a *answers) Close() error {
	err := a.buf.Flush()
	if closed := a.f.Close(); err == nil {
		err = closed
	}
	return err
}

// answered notes an answer of the session s: in the list, and in the session's usage.
func (m *maker) answered(s *Session, a Answer) {
	a.Agent, a.Session = s.Source, s.Source+"/"+s.ID
	a.Root = s.Source + "/" + a.Root
	s.Responses++
	s.Usage.Add(trace.Usage{Input: a.Input, CacheRead: a.CacheRead, CacheWrite: a.Write5m + a.Write1h + a.Write, CacheWrite5m: a.Write5m, CacheWrite1h: a.Write1h,
		Output: a.Output, Reasoning: a.Reasoning, Searches: a.Searches})
	line, err := json.Marshal(a)
	if err == nil {
		_, err = m.answers.buf.Write(append(line, '\n'))
	}
	if m.err == nil {
		m.err = err
	}
}

// Answers reads what Make noted about each answer, in the order in which it wrote them.
func Answers(dir string) iter.Seq2[*Answer, error] {
	return func(yield func(*Answer, error) bool) {
		path := filepath.Join(dir, AnswersFile)
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for lines, n := bufio.NewScanner(f), 1; lines.Scan(); n++ {
			a := new(Answer)
			err := json.Unmarshal(lines.Bytes(), a)
			if err != nil {
				err = fmt.Errorf("%s: line %d: %w", path, n, err)
			}
			if !yield(a, err) {
				return
			}
		}
	}
}

// branchNames are the git branches that sessions are on.
var branchNames = []string{"main", "main", "main", "fix/login", "feature/export", "release-2.1"}
