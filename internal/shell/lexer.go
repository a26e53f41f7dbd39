package shell

import "strings"

type lexer struct {
	in string
	i  int
	frame
	outer    []frame // what continues after the current substitution or group
	commands []Command
	heredocs []string // delimiters whose bodies begin after this line
}

// frame is a script, a substitution in it, or a group.
type frame struct {
	opener byte // '(' of a group, '$' or '`' of a substitution, 0 of the script
	inner  bool
	last   int // index of its newest command, -1 before the first
	word   []byte
	quoted bool // the word has quotes, so it counts even when empty
	target bool // the word is the target of a redirection
	words  []string
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
		case c == '#' && len(l.word) == 0 && !l.quoted:
			l.skipLine()
		case c == '<' || c == '>' || c == '&' && strings.HasPrefix(l.in[l.i:], "&>"):
			l.redirect()
		case c == '$' && strings.HasPrefix(l.in[l.i:], "$("):
			l.open('$')
			l.i += 2
		case c == '`':
			l.backtick()
		case c == '(':
			l.endCommand("")
			l.open('(')
			l.i++
		case c == ')':
			l.close()
			l.i++
		case strings.IndexByte(";&|\n", c) >= 0:
			l.operator(c)
		default:
			l.word = append(l.word, c)
			l.i++
		}
	}
	for len(l.outer) > 0 {
		l.close()
	}
	l.endCommand("")
}

func (l *lexer) quote(q byte) {
	l.quoted = true
	for l.i++; l.i < len(l.in) && l.in[l.i] != q; l.i++ {
		if q == '"' && l.in[l.i] == '\\' && l.i+1 < len(l.in) {
			l.i++
		}
		l.word = append(l.word, l.in[l.i])
	}
	l.i++
}

func (l *lexer) escape() {
	if l.i+1 < len(l.in) && l.in[l.i+1] != '\n' {
		l.word = append(l.word, l.in[l.i+1])
	}
	l.i += 2
}

func (l *lexer) skipLine() {
	for l.i < len(l.in) && l.in[l.i] != '\n' {
		l.i++
	}
}

// operator reads what separates two commands.
func (l *lexer) operator(c byte) {
	end := l.i + 1
	if end < len(l.in) && l.in[end] == c && c != '\n' {
		end++
	}
	l.endCommand(l.in[l.i:end])
	if l.i = end; c == '|' && strings.HasPrefix(l.in[l.i:], "&") {
		l.i++ // |& is a pipe too
	}
	if c == '\n' {
		l.skipHeredocs()
	}
}

// redirect reads <, >, 2>&1, &>, <<WORD, <(…) and the like. The target is not a word of the
// command.
func (l *lexer) redirect() {
	rest := l.in[l.i:]
	if strings.HasPrefix(rest, "<(") || strings.HasPrefix(rest, ">(") {
		l.open('$')
		l.i += 2
		return
	}
	if strings.HasPrefix(rest, "<<") && !strings.HasPrefix(rest, "<<<") {
		l.endWord()
		l.heredoc()
		return
	}
	if strings.Trim(string(l.word), "0123456789") == "" && !l.quoted {
		l.word = nil // the number of a descriptor
	}
	l.endWord()
	l.i += len(rest) - len(strings.TrimLeft(rest, "<>&|"))
	l.target = true
}

// heredoc reads the delimiter of <<WORD or <<-WORD.
func (l *lexer) heredoc() {
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

// maxDepth is how deep substitutions are followed. Deeper ones are read as part of the text
// around them.
const maxDepth = 64

func (l *lexer) open(opener byte) {
	if len(l.outer) == maxDepth {
		l.endCommand("")
		return
	}
	outer := l.frame
	l.outer = append(l.outer, outer)
	l.frame = frame{opener: opener, inner: outer.inner || opener != '(', last: -1}
	if opener == '(' {
		l.frame.last = outer.last
	}
}

func (l *lexer) backtick() {
	if l.opener == '`' {
		l.close()
	} else {
		l.open('`')
	}
	l.i++
}

// close ends a group or substitution and continues around it.
func (l *lexer) close() {
	l.endCommand("")
	if len(l.outer) == 0 {
		return
	}
	ended := l.frame
	l.frame = l.outer[len(l.outer)-1]
	l.outer = l.outer[:len(l.outer)-1]
	if ended.opener == '(' {
		l.last = ended.last
	} else {
		l.quoted = true // a word, whatever the substitution yields
	}
}

func (l *lexer) endWord() {
	if len(l.word) > 0 || l.quoted {
		if !l.target {
			l.words = append(l.words, string(l.word))
		}
		l.target = false
	}
	l.word = l.word[:0]
	l.quoted = false
}

// endCommand ends the current command, if any, before an operator.
func (l *lexer) endCommand(operator string) {
	l.endWord()
	l.target = false
	if len(l.words) > 0 {
		l.last = len(l.commands)
		l.commands = append(l.commands, Command{Words: l.words, Inner: l.inner})
	}
	l.words = nil
	if l.last >= 0 && l.commands[l.last].After == "" {
		l.commands[l.last].After = operator
	}
}
