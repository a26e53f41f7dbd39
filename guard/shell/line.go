// Package shell finds the programs that a shell text starts, with their arguments, wherever they are in it: in pipelines,
// subshells, functions, substitutions, here-documents, and behind programs that start others. It runs nothing and opens no file.
//
// It never guesses. A word that depends on something outside of the text is unknown, and a program whose work the text does
// not show makes the line opaque.
package shell

import (
	"path"
	"slices"
	"strings"
)

// The bounds of one text. What exceeds them makes the line opaque.
const (
	MaxText     = 1 << 20 // bytes
	maxPrograms = 4096
	maxDepth    = 12   // texts inside texts, and calls of functions
	maxNesting  = 4000 // open brackets and keywords: the parser recurses
)

// Word is an argument after expansion.
type Word struct {
	// Text is the word. Each unknown part of it is one Hole.
	Text string
	// Glob: the shell replaces the word by the names of files that match.
	Glob bool
	// Net: a part of the word is what a download printed.
	Net bool
}

// Hole stands for an unknown part of a word.
const Hole = "\x00"

// Known reports whether the text shows the whole word.
func (w Word) Known() bool { return !strings.Contains(w.Text, Hole) }

// Redirect is a file that the shell opens for a program.
type Redirect struct {
	Path   Word
	Write  bool // the program writes it
	Append bool // without emptying it first
}

// Program is a program that the text starts.
type Program struct {
	Name string // without its folder; "" if unknown
	Path Word   // as it is called
	Args []Word // without the name
	// Dir is the working directory, absolute if the line's was; "" if unknown.
	Dir       string
	Env       map[string]string // variables that are set for this program alone
	Redirects []Redirect
	// Stdin is the text that the program reads, if StdinKnown.
	Stdin      string
	StdinKnown bool
	// Download: the program runs code that the same line downloads.
	Download bool
	// Remote: it runs on another machine or in a container, so that its paths are not of this machine.
	Remote bool
	// Fed: further operands come from somewhere that the text does not show.
	Fed bool
}

// Line is what is known of a text.
type Line struct {
	Programs []Program
	// Opaque are the reasons why the programs may not be all, each once.
	Opaque []string
}

func (l *Line) opaque(reason string) {
	if !slices.Contains(l.Opaque, reason) {
		l.Opaque = append(l.Opaque, reason)
	}
}

// Start is what is known where a text begins.
type Start struct {
	Dir  string // the working directory; "" if unknown
	Home string // of the user; "" if unknown
}

// Parse reads a text.
func Parse(text string, at Start) (l *Line) {
	l = &Line{}
	defer func() {
		if r := recover(); r != nil {
			panicked(r) // a fault of the parser or of this package must not stop a call
			l.opaque("could not be read")
		}
	}()
	w := &walker{line: l, home: at.Home, downloads: map[string]bool{}, aliases: map[string]string{}, functions: map[string]*function{}}
	sh := &scope{dir: at.Dir, vars: map[string]string{}}
	if at.Home != "" {
		sh.vars["HOME"] = at.Home
	}
	if at.Dir != "" {
		sh.vars["PWD"] = at.Dir
	}
	w.text(text, sh, stream{}, 0)
	return l
}

// scope is the state of one shell process. A subshell gets a copy.
type scope struct {
	dir  string
	vars map[string]string // those whose value the text shows
	// args are $1 and so on, where they are known.
	args   []string
	argsOK bool
	remote bool
}

func (s *scope) sub() *scope {
	c := *s
	c.vars = make(map[string]string, len(s.vars))
	for k, v := range s.vars {
		c.vars[k] = v
	}
	return &c
}

// chdir enters a folder.
func (s *scope) chdir(to Word) {
	switch {
	case !to.Known() || to.Glob || to.Text == "-":
		s.dir = ""
	case path.IsAbs(to.Text):
		s.dir = path.Clean(to.Text)
	case s.dir != "":
		s.dir = path.Join(s.dir, to.Text)
	}
	if delete(s.vars, "PWD"); s.dir != "" {
		s.vars["PWD"] = s.dir
	}
}

// stream is what a program finds on its standard input.
type stream struct {
	text  string
	known bool
	net   bool // a download is in front of it
	any   bool // something is in front of it
}

// panicked is what a test does about a fault.
var panicked = func(any) {}
