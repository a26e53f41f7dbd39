package look

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

	"aburn/internal/atomicfile"
	"aburn/internal/journal"
	"aburn/logfmt"

	"aburn/supervisor/state"

	"github.com/tidwall/gjson"
)

// StateName is the file in .oss that makes a look quick: the state up to a
// position of the log. Without it the state is folded again.
const StateName = "workflow-state.json"

// maxState bounds the file, in bytes.
const maxState = 4 << 20

var errNoState = errors.New("no stored state")

// storing reports whether the state and its position are to be written: they do not
// stand there, or nearly so. Replacing a file costs a hook more than folding some
// entries again.
func (l *Look) storing() bool {
	f := &l.folded
	return f.new > 0 && (l.o.By == journal.Command || f.new >= max(fewReads, int64(f.size/8)))
}

func (l *Look) store() error {
	if !l.storing() {
		return nil
	}
	f := &l.folded
	data := f.encode()
	if err := atomicfile.WriteRoot(l.o.Root, StateName, data, 0o600, atomicfile.Options{}); err != nil {
		return err
	}
	f.new, f.size = 0, len(data)
	return nil
}

// encode is the file: one object in one line.
func (f *folded) encode() []byte {
	var at, o logfmt.Object
	at.Str("segment", f.at.Segment).Str("dev", strconv.FormatUint(f.at.Dev, 10)).Str("ino", strconv.FormatUint(f.at.Ino, 10))
	at.Int("offset", f.at.Offset).Str("before", hex.EncodeToString(f.tail))
	head := o.Str("//", "derived from workflow.log; may be deleted").Raw("position", at.Bytes()).Bytes()
	b := make([]byte, 0, f.size+16<<10)
	b = append(append(b, head[:len(head)-1]...), beforeState...)
	return append(f.state.AppendJSON(b), "}\n"...)
}

// beforeState stands between the position and the state, which is the last member:
// a look reads it as it stands, once.
const beforeState = `,"state":`

// load reads what store wrote. An error means: fold again.
func (l *Look) load() (folded, error) {
	data, err := readRegular(l.o.Root, StateName, maxState)
	if err != nil {
		return folded{}, err
	}
	head, text, ok := bytes.Cut(data, []byte(beforeState))
	text, ended := bytes.CutSuffix(text, []byte("}\n"))
	head = append(head[:len(head):len(head)], '}')
	if !ok || !ended || !logfmt.Valid(head) {
		return folded{}, errNoState
	}
	f := folded{size: len(data)}
	at := gjson.GetBytes(head, "position")
	f.at = journal.Position{Segment: at.Get("segment").Str, Offset: at.Get("offset").Int()}
	f.at.Dev, _ = strconv.ParseUint(at.Get("dev").Str, 10, 64)
	f.at.Ino, _ = strconv.ParseUint(at.Get("ino").Str, 10, 64)
	f.tail, err = hex.DecodeString(at.Get("before").Str)
	if err != nil || len(f.tail) == 0 || len(f.tail) > markSize || f.at.Offset < int64(len(f.tail)) {
		return folded{}, errNoState
	}
	if f.state, err = state.Load(text, l.model, l.limits); err != nil {
		return folded{}, err
	}
	return f, nil
}

// readRegular reads a file of at most max bytes: no link, no pipe.
func readRegular(root *os.Root, name string, max int64) ([]byte, error) {
	before, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() || !os.SameFile(before, info) || info.Size() > max {
		return nil, errNoState
	}
	b := make([]byte, info.Size())
	n, err := io.ReadFull(f, b)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	return b[:n], nil
}
