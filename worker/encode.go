package worker

import (
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
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return Fact{}, fmt.Errorf("not a fact: %w", err)
	}
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

// maxUp is a hundred years: beyond it a number is no uptime.
const maxUp = 36_500 * 24 * time.Hour

func (f *Fact) check() error {
	switch y := f.At.UTC().Year(); {
	case f.Seq == 0:
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
