package draft

import (
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"aburn/internal/scrub"
	"aburn/trace"
)

// Head is the start of a text as traces keep it: scrubbed, on one line, at most max bytes.
func Head(text string, max int) string { return scrub.Head(text, max) }

// token and word are Token and Word, which the builder remembers.
func (b *Builder) token(s string) string { return b.tokens.pass(s, Token) }

func (b *Builder) word(s string) string { return b.words.pass(s, Word) }

// Token is an id, code or word as traces keep it: on one line, at most trace.MaxToken bytes. What is longer keeps its
// beginning and ends in the hash of all of it, and of what looks like a secret nothing but the hash is kept: equal ones
// stay equal, and others others.
func Token(s string) string { return bounded(hideID(s), trace.MaxToken) }

// SessionID is Token for the id of a session.
func SessionID(s string) string { return bounded(hideID(s), trace.MaxSession) }

// hideID is s, or a marker and the hash of s in place of an id that holds a secret: whoever writes a store can call
// anything an id.
func hideID(s string) string {
	if plainID(s) {
		return s
	}
	if _, n := scrub.Text(s); n > 0 {
		return marker + "id]:" + Digest([]byte(s)).Hash
	}
	return s
}

// The lengths in bytes of what plainID lets pass: hex, a UUID behind a prefix, and letters and digits behind one.
const (
	plainHex  = 40
	plainUUID = 36
)

// plainID says of the ids of which there are millions that no rule finds a secret in them: UUIDs and other short hex, and
// letters and digits, of at most 40 bytes with it, behind the clients' prefixes.
func plainID(s string) bool {
	if isHex(s) {
		return len(s) <= plainHex
	}
	if id, ok := strings.CutPrefix(s, "exec-"); ok {
		return len(id) <= plainUUID && isHex(id)
	}
	rest := s
	for i := strings.IndexByte(rest, '_'); i >= 0; i = strings.IndexByte(rest, '_') {
		switch rest[:i] {
		case "toolu", "msg", "call", "prt", "ses", "req", "resp", "fc", "fco", "ctc", "ctco":
			rest = rest[i+1:]
		default:
			return false
		}
	}
	return len(rest) < len(s) && (len(rest) <= plainUUID && isHex(rest) || len(s) <= plainHex && isPlain(rest))
}

// The classes of bytes in ids. Which it is of digits and letters is chance, and a table does not care.
const (
	inHex  = 1 << iota // a hex digit in lower case, or a dash
	inWord             // a digit or a letter
)

var idBytes = [256]byte{
	'-': inHex,
	'0': inHex | inWord, '1': inHex | inWord, '2': inHex | inWord, '3': inHex | inWord, '4': inHex | inWord,
	'5': inHex | inWord, '6': inHex | inWord, '7': inHex | inWord, '8': inHex | inWord, '9': inHex | inWord,
	'a': inHex | inWord, 'b': inHex | inWord, 'c': inHex | inWord, 'd': inHex | inWord, 'e': inHex | inWord, 'f': inHex | inWord,
	'g': inWord, 'h': inWord, 'i': inWord, 'j': inWord, 'k': inWord, 'l': inWord, 'm': inWord, 'n': inWord, 'o': inWord, 'p': inWord,
	'q': inWord, 'r': inWord, 's': inWord, 't': inWord, 'u': inWord, 'v': inWord, 'w': inWord, 'x': inWord, 'y': inWord, 'z': inWord,
	'A': inWord, 'B': inWord, 'C': inWord, 'D': inWord, 'E': inWord, 'F': inWord, 'G': inWord, 'H': inWord, 'I': inWord, 'J': inWord,
	'K': inWord, 'L': inWord, 'M': inWord, 'N': inWord, 'O': inWord, 'P': inWord, 'Q': inWord, 'R': inWord, 'S': inWord, 'T': inWord,
	'U': inWord, 'V': inWord, 'W': inWord, 'X': inWord, 'Y': inWord, 'Z': inWord,
}

// isOf says whether s has only bytes of a class.
func isOf(s string, class byte) bool {
	for i := range len(s) {
		if idBytes[s[i]]&class == 0 {
			return false
		}
	}
	return true
}

// isHex says whether s has only hex digits, in lower case, and dashes.
func isHex(s string) bool { return isOf(s, inHex) }

// isPlain says whether s has only letters and digits, and nothing that begins as those tokens do that are known in the
// midst of a word too: SK of Twilio, GR of GitLab.
func isPlain(s string) bool {
	return isOf(s, inWord) && !strings.Contains(s, "SK") && !strings.Contains(s, "GR")
}

// words is what Word made of those that come again and again: the names of tools and models, versions, outcomes.
var words struct {
	known sync.Map // from string to string
	n     atomic.Int32
}

// The bounds of words: how many, and how long in bytes.
const (
	mostWords   = 1000
	longestWord = 64
)

// Word is Token for what a person or a model may have made up: scrubbed.
func Word(s string) string {
	if s == "" {
		return ""
	}
	if known, ok := words.known.Load(s); ok {
		return known.(string)
	}
	clean, _ := scrub.Text(s)
	clean = bounded(clean, trace.MaxToken)
	if len(s) <= longestWord && words.n.Load() < mostWords {
		words.n.Add(1)
		words.known.Store(s, clean)
	}
	return clean
}

// Path is a path as traces keep it: scrubbed, and relative to dir where it lies below it.
func Path(path, dir string) string {
	if path == "" {
		return ""
	}
	if dir != "" {
		if rel, ok := strings.CutPrefix(path, filepath.Clean(dir)+"/"); ok {
			path = rel
		}
	}
	path, _ = scrub.Text(path)
	return bounded(path, trace.MaxPath)
}

func bounded(s string, most int) string {
	if len(s) <= most && trace.OneLine(s) {
		return s
	}
	end := ":" + Digest([]byte(s)).Hash
	line := strings.Map(func(r rune) rune {
		if trace.OneLine(string(r)) {
			return r
		}
		return '-'
	}, strings.ToValidUTF8(s, "-"))
	cut := min(len(line), most-len(end))
	for cut > 0 && cut < len(line) && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut] + end
}

// tidy brings what the source says about an event into the bounds of a trace.
func (b *Builder) tidy(e *trace.Event) {
	e.Time = clock(e.Time)
	e.Record, e.Turn = b.token(e.Record), b.token(e.Turn)
	e.Ref.Key = SessionID(e.Ref.Key)
	switch x := e.Body.(type) {
	case *trace.UserMessage:
		x.Command = b.word(x.Command)
	case *trace.AgentMessage:
		x.Response = b.token(x.Response)
	case *trace.ToolCall:
		b.tidyCall(x)
	case *trace.ToolResult:
		x.Call = b.token(x.Call)
	case *trace.FileChange:
		x.Call = b.token(x.Call)
		x.Added, x.Removed = natural(x.Added), natural(x.Removed)
	case *trace.Error:
		x.Code = b.word(x.Code)
		if x.Status < 100 || x.Status > 599 {
			x.Status = 0
		}
	case *trace.Interrupt:
		x.Call, x.Reason = b.token(x.Call), b.word(x.Reason)
	case *trace.SubagentSpawn:
		x.Session, x.Call = SessionID(x.Session), b.token(x.Call)
		x.AgentID, x.AgentType = b.token(x.AgentID), b.word(x.AgentType)
	case *trace.Session:
		x.Detail, x.Model = b.word(x.Detail), b.word(x.Model)
		x.Command, x.Phase = b.word(x.Command), b.word(x.Phase)
	}
}

func (b *Builder) tidyCall(c *trace.ToolCall) {
	if c.Tool == "" {
		c.Tool, c.Type = "unknown", trace.OtherTool
	}
	c.Call, c.Tool = b.token(c.Call), b.word(c.Tool)
	c.Parent, c.Response = b.token(c.Parent), b.token(c.Response)
}

// What is more is no number that a source means: the tokens of one response, lines of one change, milliseconds of one
// call (ten years), dollars of one response. Sums of such numbers stay far below what an int64 holds.
const (
	maxTokens   = 1 << 36
	maxLines    = 1 << 30
	maxDuration = 10 * 366 * 24 * 3600 * 1000
	maxCost     = 1e6
)

// natural is n, or nil if it is no number of lines.
func natural(n *int) *int {
	if n != nil && (*n < 0 || *n > maxLines) {
		return nil
	}
	return n
}

func (b *Builder) tidyResult(r *trace.ToolResultEvent) {
	r.Time = clock(r.Time)
	r.Call, r.Message, r.AgentID = b.token(r.Call), b.token(r.Message), b.token(r.AgentID)
	r.Spawned = SessionID(r.Spawned)
	if c := r.ExitCode; c != nil && (*c < math.MinInt32 || *c > math.MaxUint32) {
		r.ExitCode = nil
	}
	if r.DurationMS < 0 || r.DurationMS > maxDuration {
		r.DurationMS = 0
	}
}

func (b *Builder) tidyResponse(r *trace.Response) {
	r.Time = clock(r.Time)
	r.ID, r.Model, r.Stop = b.token(r.ID), b.word(r.Model), b.word(r.Stop)
	r.Ref.Key = SessionID(r.Ref.Key)
	u := &r.Usage
	for _, n := range []*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.Output, &u.Reasoning} {
		if *n < 0 || *n > maxTokens {
			*n = 0
		}
	}
	if !(u.CostUSD > 0 && u.CostUSD <= maxCost) { // nor is it one that is NaN
		u.CostUSD = 0
	}
}

func (b *Builder) tidyRelation(r *trace.SessionRelationship) {
	r.Time = clock(r.Time)
	r.Related, r.SourceSession = SessionID(r.Related), SessionID(r.SourceSession)
	r.SourceVersion, r.ParentCall = b.word(r.SourceVersion), b.token(r.ParentCall)
	r.AgentID, r.AgentType = b.token(r.AgentID), b.word(r.AgentType)
}
