package history

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"aburn/internal/shell"
)

// committing are git's commands that make commits which are no copies of others.
var committing = []string{"commit", "revert"}

// intent is what a command line says of commits.
type intent struct {
	commits  int  // commands that make one
	many     bool // they are in a loop
	amends   bool // one of them amends
	messages bool // each has its message in the command line
}

func intentOf(script string) (in intent) {
	in.messages = true
	for _, c := range shell.Commands(script) {
		words := shell.Program(c.Words)
		if slices.ContainsFunc(c.Words, func(w string) bool { return w == "for" || w == "while" || w == "until" || w == "xargs" }) {
			in.many = true
		}
		if len(words) == 0 {
			continue
		}
		name := filepath.Base(words[0])
		if shell.IsShell(name) {
			if inner := shell.DashC(words[1:]); inner != "" {
				sub := intentOf(inner)
				in.commits += sub.commits
				in.many, in.amends = in.many || sub.many, in.amends || sub.amends
				in.messages = in.messages && sub.messages
			}
			continue
		}
		if name != "git" {
			continue
		}
		verb, args := gitVerb(words[1:])
		if !slices.Contains(committing, verb) {
			continue
		}
		in.commits++
		in.amends = in.amends || slices.Contains(args, "--amend")
		if !slices.ContainsFunc(args, givesMessage) {
			in.messages = false
		}
	}
	return in
}

// givesMessage reports whether an argument of git commit is -m, also among joined letters, as in -am.
func givesMessage(arg string) bool {
	if strings.HasPrefix(arg, "--") {
		return arg == "--message" || strings.HasPrefix(arg, "--message=")
	}
	return len(arg) > 1 && arg[0] == '-' && strings.Contains(arg, "m")
}

// gitVerb is git's command and its arguments, behind git's own options.
func gitVerb(words []string) (verb string, args []string) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C" || w == "-c" || w == "--git-dir" || w == "--work-tree" || w == "--namespace":
			i++
		case strings.HasPrefix(w, "-"):
		default:
			return w, words[i+1:]
		}
	}
	return "", nil
}

// inBrackets is how git commit, revert and cherry-pick name a new commit: "[main 1a2b3c4] subject", "[detached HEAD 1a2b3c4]".
var inBrackets = regexp.MustCompile(`(?m)^\[[^\[\]\n]* ([0-9a-f]{7,40})\] `)

// named are the abbreviated commits that an output says were made.
func named(output string) (list []string) {
	for _, m := range inBrackets.FindAllStringSubmatch(output, -1) {
		list = append(list, m[1])
	}
	return list
}

var hexWord = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// mentions reports whether an output holds a commit's hash, abbreviated or whole.
func mentions(output, hash string) bool {
	return slices.ContainsFunc(hexWord.FindAllString(output, -1), func(w string) bool { return strings.HasPrefix(hash, w) })
}
