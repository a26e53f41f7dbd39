package look

import (
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"

	"aburn/internal/atomicfile"
	"aburn/internal/journal"
	"aburn/logfmt"
	"aburn/supervisor"

	"github.com/tidwall/gjson"
)

// StateName is the file in .oss that makes a look quick: the state up to a
// position of the log. Without it the state is folded again.
const StateName = "workflow-state.json"

// maxState bounds the file, in bytes.
const maxState = 4 << 20

var errNoState = errors.New("no stored state")

// store writes the state and its position, unless they stand there, or nearly so:
// replacing a file costs a hook more than folding some entries again.
func (l *Look) store() error {
	f := &l.folded
	if f.new == 0 || f.new < fewReads && l.o.By == journal.Hook {
		return nil
	}
	if err := atomicfile.WriteRoot(l.o.Root, StateName, append(f.encode(), '\n'), 0o600, atomicfile.Options{}); err != nil {
		return err
	}
	f.new = 0
	return nil
}

func (f *folded) encode() []byte {
	var at, o logfmt.Object
	at.Str("segment", f.at.Segment).Str("dev", strconv.FormatUint(f.at.Dev, 10)).Str("ino", strconv.FormatUint(f.at.Ino, 10))
	at.Int("offset", f.at.Offset).Str("before", hex.EncodeToString(f.tail))
	o.Str("//", "derived from workflow.log; may be deleted").Raw("position", at.Bytes()).Raw("state", f.state.AppendJSON(nil))
	return o.Bytes()
}

// load reads what store wrote. An error means: fold again.
func (l *Look) load() (folded, error) {
	data, err := readRegular(l.o.Root, StateName, maxState)
	if err != nil {
		return folded{}, err
	}
	if !logfmt.Valid(data) {
		return folded{}, errNoState
	}
	var f folded
	var state gjson.Result
	gjson.ParseBytes(data).ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "position":
			f.at = journal.Position{Segment: v.Get("segment").Str, Offset: v.Get("offset").Int()}
			f.at.Dev, _ = strconv.ParseUint(v.Get("dev").Str, 10, 64)
			f.at.Ino, _ = strconv.ParseUint(v.Get("ino").Str, 10, 64)
			f.tail, err = hex.DecodeString(v.Get("before").Str)
		case "state":
			state = v
		}
		return true
	})
	if err != nil || len(f.tail) == 0 || len(f.tail) > markSize || f.at.Offset < int64(len(f.tail)) {
		return folded{}, errNoState
	}
	f.state, err = supervisor.Load([]byte(state.Raw), l.model)
	if err != nil {
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
