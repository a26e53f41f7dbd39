package excerpt

import (
	"path"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Span is a piece of a line. Class is keyword, string, comment, number or "". Mark says that a patch changed it within its line.
type Span struct {
	Class, Text string
	Mark        bool
}

// language is how a language writes what is coloured. It is enough to read code by, and no parser: an unknown form is plain text.
type language struct {
	line   []string    // begin a comment that ends with the line
	block  [][2]string // begin and end a comment, or a string over several lines
	quotes string      // begin and end a string on one line
	words  map[string]bool
	any    bool // keywords in any case
}

// classOf is the class of a block that open begins.
func (l *language) classOf(open string) string {
	if open == "`" || open == `"""` || open == "'''" {
		return "string"
	}
	return "comment"
}

var slashes = [][2]string{{"/*", "*/"}}

// families are the languages by the endings of their files, and by their names in Markdown. They are made when the first code is shown.
var families = sync.OnceValue(func() map[string]*language {
	all := map[string]*language{}
	add := func(names string, l language, words string) {
		l.words = map[string]bool{}
		for word := range strings.FieldsSeq(words) {
			l.words[word] = true
		}
		for name := range strings.FieldsSeq(names) {
			all[name] = &l
		}
	}
	curly := `break case catch class const continue default do else enum extends false final finally for if implements import in instanceof
		interface new null package private protected public return static super switch this throw throws true try var void while `
	ticks := [][2]string{{"`", "`"}}
	triple := [][2]string{{`"""`, `"""`}}
	add("go", language{line: []string{"//"}, block: append(ticks, slashes...), quotes: `"'`}, `break case chan const continue default defer else
		fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var`)
	add("js jsx mjs cjs ts tsx mts cts javascript typescript vue svelte", language{line: []string{"//"}, block: append(ticks, slashes...), quotes: `"'`},
		curly+`as async await debugger delete export from function get let of readonly set type typeof undefined yield keyof namespace declare abstract`)
	add("java kt kts scala groovy cs swift dart kotlin csharp", language{line: []string{"//"}, block: append(triple, slashes...), quotes: `"'`},
		curly+`abstract as async await bool boolean byte char data double float fun func guard int let long namespace nil object open operator override
			record sealed self short string struct synchronized trait using val when where with yield`)
	add("c h cc cpp cxx hpp hh m mm proto c++", language{line: []string{"//"}, block: slashes, quotes: `"'`}, curly+`#define #elif #else #endif #if
		#ifdef #ifndef #include auto bool char constexpr delete double explicit extern float inline int long message namespace nullptr operator override
		repeated short signed sizeof struct template typedef typename union unsigned using virtual volatile`)
	add("rs rust", language{line: []string{"//"}, block: slashes, quotes: `"`}, `as async await break const continue crate dyn else enum extern false
		fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while`)
	add("py pyi python", language{line: []string{"#"}, block: append(triple, [2]string{"'''", "'''"}), quotes: `"'`}, `False None True and as assert async
		await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self
		try while with yield`)
	add("rb ruby ex exs elixir", language{line: []string{"#"}, quotes: `"'`}, `alias and begin break case class def defmodule do else elsif end ensure
		false fn for if in module next nil not or raise require rescue return self super then true undef unless until when while yield`)
	add("php", language{line: []string{"//", "#"}, block: slashes, quotes: `"'`}, curly+`and array as echo elseif endif fn foreach function global match
		namespace or require use`)
	add("sh bash zsh fish shell console", language{line: []string{"#"}, quotes: `"'`}, `case do done elif else esac exit export fi for function if in
		local return select set then until while`)
	add("sql", language{line: []string{"--"}, block: slashes, quotes: `'"`, any: true}, `add alter and as asc begin between by case cascade column commit
		constraint create default delete desc distinct drop else end exists foreign from group having if in index inner insert into is join key left like
		limit not null offset on or order outer primary references returning right rollback select set table then type union unique update using values
		view when where with`)
	add("css scss less", language{block: slashes, line: []string{"// "}, quotes: `"'`}, "@media @import @supports @container !important")
	add("json jsonc json5", language{line: []string{"//"}, block: slashes, quotes: `"`}, "true false null")
	add("yaml yml toml ini conf properties env tf hcl", language{line: []string{"# ", "#\n"}, quotes: `"'`}, "true false null yes no")
	add("lua", language{line: []string{"--"}, quotes: `"'`}, `and break do else elseif end false for function if in local nil not or repeat return then
		true until while`)
	add("makefile dockerfile mk", language{line: []string{"#"}, quotes: `"'`}, `ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME
		WORKDIR else endif ifdef ifeq ifneq include define endef export`)
	add("html htm xml svg", language{block: [][2]string{{"<!--", "-->"}}, quotes: `"`}, "")
	return all
})

// LanguageOf is the name of the language of a file, "" for one that is not coloured.
func LanguageOf(file string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	if families()[name] == nil {
		return ""
	}
	return name
}

// spans colours a text. Its pieces are the whole text, in order.
func spans(language, text string) []Span {
	l := families()[language]
	if l == nil {
		return []Span{{Text: text}}
	}
	var list []Span
	plainFrom := 0
	add := func(class string, from, to int) {
		if from > plainFrom {
			list = append(list, Span{Text: text[plainFrom:from]})
		}
		list = append(list, Span{Class: class, Text: text[from:to]})
		plainFrom = to
	}
	for i := 0; i < len(text); {
		class, n := l.at(text, i)
		if class != "" {
			add(class, i, i+n)
		}
		i += n
	}
	if plainFrom < len(text) || len(list) == 0 {
		list = append(list, Span{Text: text[plainFrom:]})
	}
	return list
}

// at is the class of what begins at a place of a text, and how long it is.
func (l *language) at(text string, i int) (class string, n int) {
	rest := text[i:]
	for _, b := range l.block {
		if strings.HasPrefix(rest, b[0]) {
			if end := strings.Index(rest[len(b[0]):], b[1]); end >= 0 {
				return l.classOf(b[0]), len(b[0]) + end + len(b[1])
			}
			return l.classOf(b[0]), len(rest)
		}
	}
	for _, open := range l.line {
		if strings.HasPrefix(rest, open) {
			return "comment", lineLength(rest)
		}
	}
	c := rest[0]
	switch {
	case strings.IndexByte(l.quotes, c) >= 0:
		return "string", quoted(rest)
	case c >= '0' && c <= '9':
		return "number", wordLength(rest, true)
	}
	first, size := utf8.DecodeRuneInString(rest)
	if !unicode.IsLetter(first) && first != '_' && first != '#' && first != '@' && first != '!' {
		return "", size
	}
	n = size + wordLength(rest[size:], false)
	word := rest[:n]
	if l.any {
		word = strings.ToLower(word)
	}
	if l.words[word] {
		return "keyword", n
	}
	return "", n
}

func lineLength(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

// quoted is how long the string is that a text begins with. One that its line does not end is only its quote: it may be an apostrophe.
func quoted(text string) int {
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 1
}

// wordLength is how many bytes of letters, digits and _ a text begins with.
func wordLength(text string, number bool) int {
	end := strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && (!number || r != '.')
	})
	if end < 0 {
		return len(text)
	}
	return end
}
