package recent

import (
	"path"
	"strings"
)

// RunsLog reports whether a shell command runs `aburn log`: aburn stands where
// a command's name stands, not in a quoted text, a comment or a here-document.
func RunsLog(command string) bool { return runsLog(command, 0) }

func runsLog(command string, depth int) bool {
	for _, words := range simpleCommands(command) {
		words = withoutPrefix(words)
		if len(words) == 0 {
			continue
		}
		switch name := path.Base(words[0]); {
		case name == "aburn" || name == "aburn.exe":
			if subcommand(words[1:]) == "log" {
				return true
			}
		case depth < 2 && isShell(name):
			if script := dashC(words[1:]); script != "" && runsLog(script, depth+1) {
				return true
			}
		}
	}
	return false
}

// MentionsLog reports whether text, a command's head on one line, holds the
// words `aburn … log CMD EVENT` in this order.
func MentionsLog(text, cmd, event string) bool {
	words := strings.Fields(text)
	for i := range words {
		name := path.Base(strings.TrimLeft(words[i], "(\"'`$"))
		if (name != "aburn" && name != "aburn.exe") || subcommand(words[i+1:]) != "log" {
			continue
		}
		for j := i + 2; j+1 < len(words); j++ {
			if strings.EqualFold(unquote(words[j]), cmd) && strings.EqualFold(unquote(words[j+1]), event) {
				return true
			}
		}
	}
	return false
}

func unquote(w string) string { return strings.Trim(w, "\"';)`&|…") }

// subcommand is the first word that is no flag; -C and --dir take a value.
func subcommand(words []string) string {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-C":
			i++
		case !strings.HasPrefix(w, "-"):
			return w
		}
	}
	return ""
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh":
		return true
	}
	return false
}

// dashC is the script of `sh -c SCRIPT`, `bash -lc SCRIPT`.
func dashC(words []string) string {
	for i, w := range words {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && i+1 < len(words) {
			return words[i+1]
		}
	}
	return ""
}

// withoutPrefix drops what may stand before a command's name: assignments,
// reserved words, and programs that run the rest of the line.
func withoutPrefix(words []string) []string {
	for len(words) > 0 {
		switch words[0] {
		case "if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "command", "exec", "env", "nohup", "builtin":
		default:
			if name, _, ok := strings.Cut(words[0], "="); !ok || !isName(name) {
				return words
			}
		}
		words = words[1:]
	}
	return nil
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// simpleCommands splits a shell script into its simple commands, each as its
// words without quotes. It knows enough of the grammar to tell a command's name
// from text: quotes, escapes, comments, separators, substitutions outside of
// double quotes, here-documents.
func simpleCommands(script string) [][]string {
	l := lexer{in: script}
	l.run()
	return l.commands
}

type lexer struct {
	in       string
	i        int
	word     strings.Builder
	quoted   bool // the word has quotes, so it is one even when empty
	words    []string
	commands [][]string
	heredocs []string // delimiters whose bodies begin after this line
}

func (l *lexer) run() {
	for l.i < len(l.in) {
		c := l.in[l.i]
		switch {
		case c == '\'' || c == '"':
			l.quote(c)
		case c == '\\':
			l.escape()
		case c == ' ' || c == '\t' || c == '\r':
			l.endWord()
			l.i++
		case c == '#' && l.word.Len() == 0 && !l.quoted:
			l.skipLine()
		case c == '\n':
			l.endCommand()
			l.i++
			l.skipHeredocs()
		case c == '<' && strings.HasPrefix(l.in[l.i:], "<<") && !strings.HasPrefix(l.in[l.i:], "<<<"):
			l.heredoc()
		case c == '<' || c == '>':
			l.endWord()
			l.i++
		case c == '$' && strings.HasPrefix(l.in[l.i:], "$("):
			l.endCommand()
			l.i += 2
		case strings.IndexByte(";&|()`", c) >= 0:
			l.endCommand()
			l.i++
		default:
			l.word.WriteByte(c)
			l.i++
		}
	}
	l.endCommand()
}

func (l *lexer) quote(q byte) {
	l.quoted = true
	for l.i++; l.i < len(l.in) && l.in[l.i] != q; l.i++ {
		if q == '"' && l.in[l.i] == '\\' && l.i+1 < len(l.in) {
			l.i++
		}
		l.word.WriteByte(l.in[l.i])
	}
	l.i++
}

func (l *lexer) escape() {
	if l.i+1 < len(l.in) && l.in[l.i+1] != '\n' {
		l.word.WriteByte(l.in[l.i+1])
	}
	l.i += 2
}

func (l *lexer) skipLine() {
	for l.i < len(l.in) && l.in[l.i] != '\n' {
		l.i++
	}
}

// heredoc reads the delimiter of <<WORD or <<-WORD.
func (l *lexer) heredoc() {
	l.endWord()
	l.i += 2
	rest := strings.TrimLeft(strings.TrimPrefix(l.in[l.i:], "-"), " \t")
	l.i = len(l.in) - len(rest)
	end := strings.IndexAny(rest, " \t\n;&|<>()")
	if end < 0 {
		end = len(rest)
	}
	if delim := strings.Trim(rest[:end], `'"\`); delim != "" {
		l.heredocs = append(l.heredocs, delim)
	}
	l.i += end
}

func (l *lexer) skipHeredocs() {
	for _, delim := range l.heredocs {
		for l.i < len(l.in) {
			line, _, _ := strings.Cut(l.in[l.i:], "\n")
			l.i = min(l.i+len(line)+1, len(l.in))
			if strings.TrimLeft(strings.TrimRight(line, "\r"), "\t") == delim {
				break
			}
		}
	}
	l.heredocs = nil
}

func (l *lexer) endWord() {
	if l.word.Len() > 0 || l.quoted {
		l.words = append(l.words, l.word.String())
	}
	l.word.Reset()
	l.quoted = false
}

func (l *lexer) endCommand() {
	l.endWord()
	if len(l.words) > 0 {
		l.commands = append(l.commands, l.words)
	}
	l.words = nil
}
