package chain

import (
	"os"

	"aburn/internal/journal"
	"aburn/internal/project"
)

// Log is the log of a project, as asked from one of its worktrees.
type Log struct {
	project *project.Project
	env     func(string) string
	oss     *os.Root
	journal *journal.Journal
}

// Open opens the log of the project around dir. env looks up environment variables, as os.Getenv does. Whether the user trusts the
// project is the caller's question.
func Open(dir string, env func(string) string) (*Log, error) {
	p, err := project.Find(dir, env)
	if err != nil {
		return nil, err
	}
	oss, err := p.OpenOss()
	if err != nil {
		return nil, err
	}
	j := journal.New(oss, journal.Options{By: journal.Command, Anchor: p.Anchor()})
	return &Log{project: p, env: env, oss: oss, journal: j}, nil
}

// Close closes the log. Folder, Locate, Worktree and Branch still answer.
func (l *Log) Close() error { return l.oss.Close() }

// Worktree is the worktree that the questions are asked from, as entries name it: "" is the main one.
func (l *Log) Worktree() string { return l.project.Wt }

// Branch is the branch that is checked out there now; "" if that is unknown.
func (l *Log) Branch() string { return l.project.Branch() }
