package hold

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An agent without a terminal is spoken to in lines. What is to be said lies in the folder say.N, one file a line, named by
// a number and a tag; whoever speaks makes it whole by a rename and pokes the holder, which writes the lines to the agent's
// stdin in the order of the numbers. What the agent prints stands in said.N behind a first line that says how many bytes of
// it are no longer there:
//
//	aburn said 1 BYTES
//	MILLISECONDS o LINE       the agent printed it
//	MILLISECONDS i TAG        this is written to the agent now
//
// The tag stands in said.N before the agent can say anything about the line, and before the file of say.N goes. So at each
// moment one of the two says that the line is on its way. A holder that is killed in between ends the generation.
// The agent's stderr stands in errs.N, up to maxErrs.
const (
	saidHead = "aburn said 1 "
	maxSaid  = 8 << 20   // bytes of said.N, before it becomes said.N.old and a new one begins
	maxErrs  = 256 << 10 // bytes
	maxTag   = 80
	maxLine  = 32 << 20 // bytes of a line that is read back
)

// askSay is the request to look into say.N.
const askSay = 's'

// Sayings are the tags that wait in the folder, in order.
func Sayings(dir string, gen int) ([]string, error) {
	names, err := sayings(Path(dir, "say", gen))
	for i, name := range names {
		_, names[i], _ = strings.Cut(name, ".")
	}
	return names, err
}

func sayings(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder) // sorted
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Say puts a line for the agent into the folder. Only one process may speak at a time. The line has no newline.
func Say(dir string, gen int, tag string, line []byte) error {
	if tag == "" || len(tag) > maxTag || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return fmt.Errorf("no tag: %q", tag)
	}
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("a line has no newline in it")
	}
	folder := Path(dir, "say", gen)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	names, err := sayings(folder)
	if err != nil {
		return err
	}
	n := 0
	if len(names) > 0 {
		n, _ = strconv.Atoi(names[len(names)-1][:8])
	}
	temp := filepath.Join(folder, ".new")
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(slices.Clone(line), '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(temp)
		return err
	}
	return os.Rename(temp, filepath.Join(folder, fmt.Sprintf("%08d.%s", n+1, tag)))
}

// Heard is one line of said.N.
type Heard struct {
	At   time.Time
	Tag  string // what is said to the agent; "" if it printed Line
	Line []byte // valid until the next one is read
}

// Said gives the lines of a generation from a position on, in order, and the position behind the last whole one. What was
// dropped before is left out; lost then says so.
func Said(dir string, gen int, from int64, each func(Heard)) (next int64, lost bool, err error) {
	path := Path(dir, "said", gen)
	for try := range 3 { // said.N may become said.N.old between the two looks
		var gap bool
		if from, gap, err = saidFile(path+".old", from, true, each); err != nil {
			return from, lost, err
		}
		lost = lost || gap
		if from, gap, err = saidFile(path, from, try == 2, each); err != nil || !gap {
			return from, lost, err
		}
	}
	return from, true, nil
}

// saidFile reads one of the two files. If it begins behind from, nothing is read unless skip.
func saidFile(path string, from int64, skip bool, each func(Heard)) (next int64, gap bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return from, false, nil
	}
	if err != nil {
		return from, false, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	head, err := r.ReadString('\n')
	if err != nil {
		return from, false, nil // it is just being made
	}
	base, err := strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(head, saidHead)), 10, 64)
	if err != nil || !strings.HasPrefix(head, saidHead) {
		return from, false, fmt.Errorf("%s: not a file of this version", path)
	}
	if gap = from < base; gap && !skip {
		return from, true, nil
	}
	from = max(from, base)
	if _, err := f.Seek(int64(len(head))+from-base, io.SeekStart); err != nil {
		return from, gap, err
	}
	r.Reset(f)
	for {
		line, err := readLine(r)
		if err != nil {
			return from, gap, nil
		}
		from += int64(len(line))
		if h, ok := parseHeard(line[:len(line)-1]); ok {
			each(h)
		}
	}
}

// readLine gives a whole line, and of one that is longer than maxLine an error: nothing behind it is read.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if err == nil && line == nil {
			return part, nil
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull) || len(line) > maxLine:
			return nil, io.ErrUnexpectedEOF
		}
	}
}

func parseHeard(line []byte) (h Heard, ok bool) {
	ms, rest, ok := bytes.Cut(line, []byte(" "))
	if !ok || len(rest) < 2 || rest[1] != ' ' {
		return h, false
	}
	n, err := strconv.ParseInt(string(ms), 10, 64)
	h.At = time.UnixMilli(n).UTC()
	switch rest[0] {
	case 'o':
		h.Line = rest[2:]
	case 'i':
		h.Tag = string(rest[2:])
	default:
		return h, false
	}
	return h, err == nil
}

// Errs is the end of what the agent wrote to stderr.
func Errs(dir string, gen int) string {
	data, _ := os.ReadFile(Path(dir, "errs", gen)) // none, if it wrote none
	const most = 2 << 10
	return string(data[max(0, len(data)-most):])
}

// Forget removes what a generation said and was told.
func Forget(dir string, gen int) {
	for _, kind := range []string{"said", "errs", "say"} {
		os.RemoveAll(Path(dir, kind, gen))
	}
	os.Remove(Path(dir, "said", gen) + ".old")
}
