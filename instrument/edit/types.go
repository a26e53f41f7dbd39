package edit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"aburn/instrument/jsast"
)

// compareTypes compares what a TypeScript file has beside its tree. A type belongs to
// the place that it has among the leaves of the tree: a type that moved is a difference.
// a is the original's normal form.
func (u *Undone) compareTypes(a *jsast.Node) {
	if len(u.Orig.Types)+len(u.New.Types) == 0 {
		return
	}
	was := placed(u.Orig.Types, leaves(a))
	now := placed(slices.DeleteFunc(slices.Clone(u.New.Types), func(t jsast.Type) bool { return u.Taken(t.Range) }), leaves(u.Stripped))
	places := slices.Sorted(maps.Keys(was))
	for place := range now {
		if _, ok := was[place]; !ok {
			places = append(places, place)
		}
	}
	for _, place := range places {
		if len(u.Differences) >= maxDifferences {
			return
		}
		from, to := was[place], now[place]
		if slices.Equal(from.tokens(false), to.tokens(false)) || slices.Equal(from.tokens(false), to.tokens(true)) {
			continue
		}
		d := Difference{Orig: -1}
		switch {
		case from == nil:
			d.What, d.Offset = fmt.Sprintf("a type was added: %q", short(to[0].Text)), to[0].Start
		case to == nil:
			d.What, d.Offset, d.Orig = fmt.Sprintf("a type is gone: %q", short(from[0].Text)), u.near(from[0].Start, nil), from[0].Start
		default:
			d.What, d.Offset, d.Orig = fmt.Sprintf("a type is %q, was %q", short(to[0].Text), short(from[0].Text)), to[0].Start, from[0].Start
		}
		u.Differences = append(u.Differences, d)
	}
}

// leaves are the offsets of a tree's leaves, in order.
func leaves(root *jsast.Node) (at []int) {
	jsast.Walk(root, func(n *jsast.Node, _ []*jsast.Node) bool {
		if !slices.ContainsFunc(n.Fields, func(f jsast.Field) bool { return f.Node != nil || len(f.List) > 0 }) {
			at = append(at, n.Start)
		}
		return true
	})
	slices.Sort(at)
	return at
}

// typeTexts are the types that stand at one place.
type typeTexts []jsast.Type

func placed(types []jsast.Type, leaves []int) map[int]typeTexts {
	out := map[int]typeTexts{}
	for _, t := range types {
		place, _ := slices.BinarySearch(leaves, t.Start)
		out[place] = append(out[place], t)
	}
	return out
}

var apiTypes = regexp.MustCompile(`import\s+type\s*\{[^}]*\}\s*from\s*['"]@opentelemetry/api['"]\s*;?`)

// tokens are the words and marks of types, without what a formatter may choose.
// withoutAPI leaves out imports of the API's types.
func (list typeTexts) tokens(withoutAPI bool) (all []string) {
	for _, t := range list {
		text := t.Text
		if withoutAPI {
			text = apiTypes.ReplaceAllString(text, "")
		}
		if t.Closes {
			text = strings.Replace(text, ")", "", 1)
		}
		all = append(all, typeTokens(text)...)
	}
	return all
}

var typeToken = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|(?s:` + "`(?:[^`\\\\]|\\\\.)*`" + `)|[\p{L}\p{N}_$]+|=>|\S`)

// modifiers mean something else with a separator behind them: { get; a: T } has two members.
var modifiers = []string{"get", "set", "readonly", "static", "abstract", "declare", "override", "private", "protected", "public", "async", "new", "keyof",
	"typeof", "unique", "infer", "asserts", "is", "in", "out", "const", "type", "extends"}

func typeTokens(text string) (list []string) {
	before := ""
	for _, t := range typeToken.FindAllString(text, -1) {
		last := before
		before = t
		switch {
		case (t == ";" || t == ",") && !slices.Contains(modifiers, last):
			continue
		case (t == "|" || t == "&") && (last == "" || strings.Contains("=:(<,[{;|&=>", last)): // in front of the first of several
			continue
		case strings.HasPrefix(t, "/"):
			t = strings.Join(strings.Fields(t), " ")
		case t[0] == '"' && !strings.ContainsAny(t, `'\`):
			t = "'" + t[1:len(t)-1] + "'"
		}
		list = append(list, t)
	}
	return list
}

// beginsNext is how a line begins that does not go on with a type.
var beginsNext = regexp.MustCompile(`^\s*(?:(?:export|declare|abstract|type|interface|import|private|protected|public|readonly|static|override|function|` +
	`async)\s|$)`)

// pastType is where an expression or a statement that ends at a place ends together with
// the assertion behind it: as T, satisfies T, an exclamation mark.
func (a *applier) pastType(at int) int {
	for _, t := range a.m.Types {
		if t.End <= at {
			continue
		}
		gap := string(a.m.Source[min(at, t.Start):t.Start])
		text := a.m.Text(jsast.Range{Start: max(at, t.Start), End: t.End})
		if strings.Trim(gap, " \t") != "" || at <= t.Start && !strings.HasPrefix(text, "as ") && !strings.HasPrefix(text, "satisfies ") &&
			!strings.HasPrefix(text, "!") {
			return at
		}
		return max(at, t.Start) + lengthOfType(text)
	}
	return at
}

// lengthOfType is where a type ends that other types may stand behind: at a line's end
// outside of all brackets, if the next line begins something else.
func lengthOfType(text string) int {
	depth := 0
	for i, c := range text {
		switch {
		case strings.ContainsRune("([{<", c):
			depth++
		case strings.ContainsRune(")]}", c) || c == '>' && i > 0 && text[i-1] != '=':
			depth--
		case c == '\n' && depth <= 0 && beginsNext.MatchString(text[i+1:min(len(text), i+40)]):
			return len(strings.TrimRight(text[:i], "\r"))
		case c == ';' && depth <= 0:
			return i
		}
	}
	return len(text)
}

// typeAt is the type that begins at a place, if it ends on the same line; nil otherwise.
func (a *applier) typeAt(at int) *jsast.Type {
	i, found := slices.BinarySearchFunc(a.m.Types, at, func(t jsast.Type, at int) int { return t.Start - at })
	if !found {
		return nil
	}
	return &a.m.Types[i]
}

// maxReturns bounds a return type that is written a second time, in bytes.
const maxReturns = 200

// returns is a function's declared return type as an annotation, for the callback that
// takes its place: without it the compiler would infer another. "" where it declares
// none, or one that only a declaration can have.
func (a *applier) returns(f *jsast.Function) string {
	opens := f.Body.Start
	if f.Concise {
		opens = a.behindArrow(f) - len("=>")
	} else if f.Node.Type == "ArrowFunctionExpression" {
		opens = strings.LastIndex(string(a.m.Source[:f.Body.Start]), "=>")
	}
	for _, t := range a.m.Types {
		if t.End > opens || t.Start < f.Node.Start || strings.TrimSpace(string(a.m.Source[t.End:max(t.End, opens)])) != "" {
			continue
		}
		text := strings.TrimSpace(t.Text)
		if t.Closes {
			text = strings.TrimSpace(strings.TrimPrefix(text, ")"))
		}
		words := typeTokens(text)
		if !strings.HasPrefix(text, ":") || len(text) > maxReturns || strings.ContainsAny(text, ")\n") && t.Closes || slices.Contains(words, "is") ||
			slices.Contains(words, "asserts") || strings.Contains(text, "//") {
			return ""
		}
		return ": " + strings.TrimSpace(text[1:])
	}
	return ""
}

// caught is the error of a catch clause as recordException takes it.
func (a *applier) caught() string {
	if a.m.TypeScript {
		return "error as Error"
	}
	return "error"
}
