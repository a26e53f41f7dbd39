// Package hold keeps one process beside each worker's agent: the holder starts the agent on its own terminal, waits for
// it, writes how it ended, and ends everything that the agent left running. It links almost nothing, because many of
// them live for days.
//
// # Files
//
// All stand in the worker's own folder (0700) and end in the number of the generation:
//
//	launch.N  a pipe: what to start, with its environment, which so never lies on a disk
//	control.N a pipe on which the holder listens while it lives: one byte is one request, unknown ones are ignored
//	began.N   who holds whom, written when the agent runs
//	ended.N   the certificate: how the agent ended, written once it was waited for
//	say.N, said.N, errs.N  of an agent without a terminal: what it is to be told, and what it prints
//	spared    holders of other workers that the agent had begun, which outlive it; of all generations
//	tty.N     a socket on which the holder shows the terminal that it gave its agent (tty.go)
//
// began and ended are lines of "key value" below a first line that names the format and its version. They are replaced
// whole. A reader ignores keys that it does not know.
//
// # Invariants
//
//   - A certificate is only written about a process that the holder waited for, or could not start.
//   - A signal only goes to a child that is not reaped, whose number therefore is nobody else's. What the agent's
//     processes leave behind becomes a child of the holder (Linux: PR_SET_CHILD_SUBREAPER), so that holds for the whole tree.
//   - The holder outlives the loss of its terminal, the end of the runtime and the end of whoever started it.
//
// A holder of another worker that the agent had begun is a child, too. It and what it holds are left alone, as that worker is ended
// only for itself.
//
// Where a system has no subreaper (macOS), the holder ends the agent only, and the certificate says nothing of what is left. That, and
// what a killed holder leaves, is found by its mark (Rest).
package hold

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/proc"
)

// Launch is what a holder starts.
type Launch struct {
	Dir   string   // in which the agent works
	Argv  []string // the first is the program's path
	Env   []string // all of it
	After []string // a program that the holder starts when all is over; may be empty
	// Waited: the holder's parent waits for it and does itself what After does, unless it is gone by then.
	Waited bool
	Lines  bool // the agent has no terminal: it is spoken to in lines
	Size   Size // of a terminal that the holder gives it; zero if it sits at the holder's own
}

// Size is that of a terminal, in characters.
type Size struct{ Cols, Rows int }

func (s Size) String() string { return strconv.Itoa(s.Cols) + "x" + strconv.Itoa(s.Rows) }

// parseSize gives zero for what is no size.
func parseSize(text string) (s Size) {
	cols, rows, _ := strings.Cut(text, "x")
	c, err := strconv.Atoi(cols)
	r, err2 := strconv.Atoi(rows)
	if err != nil || err2 != nil || c < 1 || r < 1 || c > maxSide || r > maxSide {
		return Size{}
	}
	return Size{c, r}
}

const maxSide = 1000

// MarkVariable is in the environment of everything that a holder starts, so that what a dead holder left can be found.
const MarkVariable = "ABURN_WORKER"

// askEnd is the request to end the agent and all that it started.
const askEnd = 'e'

// maxLaunch bounds a launch, in bytes; the system's own limit of arguments and environment is below it.
const maxLaunch = 8 << 20

// AppendTo appends l in the form in which a holder reads it: its length, then lists of strings that end in NUL.
func (l Launch) AppendTo(dst []byte) ([]byte, error) {
	var b bytes.Buffer
	for _, list := range [][]string{{l.Dir, strconv.FormatBool(l.Waited), strconv.FormatBool(l.Lines), l.Size.String()}, l.Argv, l.Env, l.After} {
		b.WriteString(strconv.Itoa(len(list)))
		b.WriteByte(0)
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return nil, errors.New("a NUL stands in what to start")
			}
			b.WriteString(s)
			b.WriteByte(0)
		}
	}
	if b.Len() > maxLaunch {
		return nil, fmt.Errorf("what to start has %d bytes, at most %d are passed", b.Len(), maxLaunch)
	}
	return append(binary.BigEndian.AppendUint32(dst, uint32(b.Len())), b.Bytes()...), nil
}

// ReadLaunch reads one launch.
func ReadLaunch(r io.Reader) (l Launch, err error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return l, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxLaunch {
		return l, errors.New("not a launch")
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return l, err
	}
	rest := strings.Split(string(text), "\x00")
	var first []string
	for _, list := range []*[]string{&first, &l.Argv, &l.Env, &l.After} {
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 || n >= len(rest)-1 {
			return l, errors.New("not a launch")
		}
		*list, rest = rest[1:1+n], rest[1+n:]
	}
	if len(first) != 4 || len(l.Argv) == 0 {
		return l, errors.New("not a launch")
	}
	l.Dir, l.Waited, l.Lines, l.Size = first[0], first[1] == "true", first[2] == "true", parseSize(first[3])
	return l, nil
}

// Began says who holds whom.
type Began struct {
	Holder, Agent proc.Process
	Host, Boot    string
	At            time.Time
	Up            time.Duration
}

// Ended is a certificate.
type Ended struct {
	Agent proc.Process // zero if it could not be started
	Code  int          // -1 after a signal
	// Signal ended the agent; 0 if none.
	Signal int
	// Asked: the holder was asked to end it (TERM, HUP or QUIT) before it ended.
	Asked bool
	// Left is how many descendants still ran; -1 where the system cannot tell. Swept: all of them are gone.
	Left  int
	Swept bool
	Why   string // it could not be started
	Host  string
	Boot  string
	At    time.Time
	Up    time.Duration
}

const (
	beganHead = "aburn began 1"
	endedHead = "aburn ended 1"
)

func (b Began) lines() string {
	return text(beganHead, "holder", process(b.Holder), "agent", process(b.Agent), "host", b.Host, "boot", b.Boot,
		"at", stamp(b.At), "up_ms", strconv.FormatInt(b.Up.Milliseconds(), 10))
}

func (e Ended) lines() string {
	return text(endedHead, "agent", process(e.Agent), "code", strconv.Itoa(e.Code), "signal", strconv.Itoa(e.Signal),
		"asked", strconv.FormatBool(e.Asked), "left", strconv.Itoa(e.Left), "swept", strconv.FormatBool(e.Swept), "why", e.Why,
		"host", e.Host, "boot", e.Boot, "at", stamp(e.At), "up_ms", strconv.FormatInt(e.Up.Milliseconds(), 10))
}

func text(head string, pairs ...string) string {
	b := head + "\n"
	for i := 0; i < len(pairs); i += 2 {
		b += pairs[i] + " " + strings.ReplaceAll(pairs[i+1], "\n", " ") + "\n"
	}
	return b
}

func process(p proc.Process) string {
	return strconv.Itoa(p.PID) + " " + strconv.FormatInt(p.Start, 10)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// ReadBegan reads began.N of the folder.
func ReadBegan(dir string, gen int) (b Began, err error) {
	m, err := readLines(Path(dir, "began", gen), beganHead)
	if err != nil {
		return b, err
	}
	return Began{Holder: m.process("holder"), Agent: m.process("agent"), Host: m["host"], Boot: m["boot"], At: m.time(), Up: m.up()}, nil
}

// ReadEnded reads ended.N of the folder.
func ReadEnded(dir string, gen int) (e Ended, err error) {
	m, err := readLines(Path(dir, "ended", gen), endedHead)
	if err != nil {
		return e, err
	}
	return Ended{
		Agent: m.process("agent"), Code: m.int("code"), Signal: m.int("signal"), Asked: m["asked"] == "true",
		Left: m.int("left"), Swept: m["swept"] == "true", Why: m["why"], Host: m["host"], Boot: m["boot"], At: m.time(), Up: m.up(),
	}, nil
}

// Path is the place of one of the files of a generation.
func Path(dir, kind string, gen int) string { return filepath.Join(dir, kind+"."+strconv.Itoa(gen)) }

type values map[string]string

func readLines(path, head string) (values, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	if first != head {
		return nil, fmt.Errorf("%s: not a file of this version", path)
	}
	m := values{}
	for line := range strings.Lines(rest) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		m[key] = value
	}
	return m, nil
}

func (m values) int(key string) int {
	n, _ := strconv.Atoi(m[key])
	return n
}

func (m values) process(key string) proc.Process { return parseProcess(m[key]) }

func parseProcess(text string) proc.Process {
	pid, start, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(pid)
	s, _ := strconv.ParseInt(start, 10, 64)
	return proc.Process{PID: n, Start: s}
}

func (m values) time() time.Time {
	t, _ := time.Parse(time.RFC3339Nano, m["at"])
	return t
}

func (m values) up() time.Duration {
	ms, _ := strconv.ParseInt(m["up_ms"], 10, 64)
	return time.Duration(ms) * time.Millisecond
}

// reserved is the room that is kept for began and ended before the agent starts, in bytes: a disk that is full later
// cannot keep the holder from saying how it ended.
const reserved = 1 << 10

// reserve makes the file that put will fill and rename.
func reserve(path string) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(bytes.Repeat([]byte{'\n'}, reserved))
	return errors.Join(err, f.Sync(), f.Close())
}

// put replaces a file whole; a certificate survives a power cut. What is shorter than the room ends in empty lines.
func put(path, content string) error {
	temp := path + ".new"
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content + strings.Repeat("\n", max(0, reserved-len(content))))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
