package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxFact is the longest line of a ledger, in bytes, without its newline.
const MaxFact = 4 << 10

const (
	timeLayout = "2006-01-02T15:04:05.000Z"
	maxWord    = 256 // bytes of any string of a fact
)

// line is a fact as it stands in a file.
type line struct {
	Fact
	At string `json:"at"`
	Up int64  `json:"up_ms,omitempty"`
}

// Encode gives f as one JSON line without a newline. File is not in it.
func Encode(f Fact) ([]byte, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(line{Fact: f, At: f.At.UTC().Format(timeLayout), Up: f.Up.Milliseconds()})
	if err == nil && len(b) > MaxFact {
		err = fmt.Errorf("fact has %d bytes, at most %d are a line", len(b), MaxFact)
	}
	return b, err
}

// Parse reads one line that stands in file. Unknown members are ignored, an unknown kind is a fact that changes nothing.
func Parse(b []byte, file File) (Fact, error) {
	if len(b) > MaxFact {
		return Fact{}, fmt.Errorf("line has %d bytes, at most %d are a fact", len(b), MaxFact)
	}
	var quick line
	if quick.probe(b) {
		return quick.fact(file)
	}
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return Fact{}, fmt.Errorf("not a fact: %w", err)
	}
	return l.fact(file)
}

// fact is the fact of a line that stands in file.
func (l *line) fact(file File) (Fact, error) {
	at, err := time.Parse(time.RFC3339Nano, l.At)
	if err != nil {
		return Fact{}, fmt.Errorf("at is no time: %q", l.At)
	}
	if l.Up < 0 || l.Up > int64(maxUp/time.Millisecond) {
		return Fact{}, fmt.Errorf("up_ms is no uptime: %d", l.Up)
	}
	f := l.Fact
	f.File, f.At, f.Up = file, at.UTC().Truncate(time.Millisecond), time.Duration(l.Up)*time.Millisecond
	return f, f.check()
}

// probe reads what ledgers have most lines of, an eighth as long as encoding/json would: the members of a probe, in the form
// in which Encode writes them. It is false for every other line, whose l then means nothing.
func (l *line) probe(b []byte) bool {
	rest, ok := bytes.CutPrefix(b, []byte(`{"`))
	for ok {
		key, value, found := bytes.Cut(rest, []byte(`":`))
		if !found || len(value) == 0 {
			return false
		}
		switch end := 0; value[0] {
		case '"':
			end = 1 + bytes.IndexByte(value[1:], '"')
			if ok = end > 0 && l.word(string(key), value[1:end]); ok {
				rest = value[end+1:]
			}
		default:
			for end < len(value) && value[end] >= '0' && value[end] <= '9' {
				end++
			}
			if ok = l.count(string(key), value[:end]); ok {
				rest = value[end:]
			}
		}
		if ok && len(rest) == 1 && rest[0] == '}' {
			return true
		}
		if ok {
			rest, ok = bytes.CutPrefix(rest, []byte(`,"`))
		}
	}
	return false
}

// word takes a member of a probe that is a string of printable ASCII without escapes.
func (l *line) word(key string, value []byte) bool {
	for _, c := range value {
		if c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	switch key {
	case "at":
		l.At = string(value)
	case "kind":
		l.Kind = Probed
		return string(value) == string(Probed)
	case "boot":
		l.Boot = string(value)
	case "host":
		l.Host = string(value)
	case "runtime":
		return l.Runtime.set(value)
	case "process":
		return l.Process.set(value)
	case "holder":
		return l.Holder.set(value)
	default:
		return false
	}
	return true
}

// set takes the word of a probe; no other word is one.
func (l *Life) set(word []byte) bool {
	switch string(word) {
	case string(Alive):
		*l = Alive
	case string(Dead):
		*l = Dead
	default:
		return false
	}
	return true
}

// count takes a member of a probe that is a whole number of at most 18 digits.
func (l *line) count(key string, digits []byte) bool {
	if n := len(digits); n == 0 || n > 18 || n > 1 && digits[0] == '0' {
		return false
	}
	n := int64(0)
	for _, c := range digits {
		n = 10*n + int64(c-'0')
	}
	switch key {
	case "seq":
		l.Seq = uint64(n)
	case "gen":
		l.Gen = int(n)
		return int64(l.Gen) == n
	case "up_ms":
		l.Up = n
	default:
		return false
	}
	return true
}

// maxUp is a hundred years: beyond it a number is no uptime.
const maxUp = 36_500 * 24 * time.Hour

func (f *Fact) check() error {
	switch y := f.At.UTC().Year(); {
	case f.Seq == 0 && f.File != Log:
		return errors.New("fact has no seq")
	case f.Kind == "":
		return errors.New("fact has no kind")
	case f.At.IsZero() || y < 0 || y > 9999:
		return errors.New("fact has no time")
	case f.Gen < 0 || f.Retries < 0 || f.PR < 0 || f.Threads < 0 || f.Up < 0:
		return errors.New("fact has a negative count")
	}
	for _, s := range []string{
		string(f.Kind), f.Boot, f.Host, f.Server, f.Call, f.Input, f.Message, string(f.Reason),
		string(f.Runtime), string(f.Process), string(f.Holder), f.Is, f.Head, f.Key, f.Action,
	} {
		if len(s) > maxWord {
			return fmt.Errorf("fact has a word of %d bytes, at most %d are one", len(s), maxWord)
		}
	}
	return nil
}
