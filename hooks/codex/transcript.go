package codex

import (
	"bytes"
	"io"
	"os"
	"syscall"

	"github.com/tidwall/gjson"
)

// How much of a transcript's end is read, in bytes. The short tail is nearly always
// enough: a call's result is the last record when its hook runs.
const (
	shortTail = 64 << 10
	longTail  = 1 << 20
)

// maxFirst is how much of a transcript's first record is read, in bytes: the version
// stands before the long parts.
const maxFirst = 4 << 10

// openRegular opens regular files only; a read of any other could block.
func openRegular(path string) (*os.File, int64) {
	if path == "" {
		return nil, 0
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0
	}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, 0
	}
	return f, st.Size()
}

// firstRecord is the beginning of a transcript's first record. It may be cut; Get still
// finds the members before the cut.
func firstRecord(path string) gjson.Result {
	f, _ := openRegular(path)
	if f == nil {
		return gjson.Result{}
	}
	defer f.Close()
	b := make([]byte, maxFirst)
	n, _ := io.ReadFull(f, b)
	line, _, _ := bytes.Cut(b[:n], []byte{'\n'})
	return gjson.ParseBytes(line)
}

// tail is the whole lines in the last max bytes of a transcript; nil if it cannot
// be read.
func tail(path string, max int64) []byte {
	b, _ := tailOf(path, max)
	return b
}

// tailOf is tail; more reports whether the transcript is longer.
func tailOf(path string, max int64) (b []byte, more bool) {
	f, size := openRegular(path)
	if f == nil {
		return nil, false
	}
	defer f.Close()
	b = make([]byte, min(size, max))
	n, err := f.ReadAt(b, size-int64(len(b)))
	if err != nil && err != io.EOF {
		return nil, false
	}
	if b = b[:n]; size > max {
		_, b, _ = bytes.Cut(b, []byte{'\n'})
	}
	return b[:bytes.LastIndexByte(b, '\n')+1], size > max
}

// lastItem finds the completed item with this id near a transcript's end.
func lastItem(path, id string) gjson.Result {
	for _, max := range []int64{shortTail, longTail} {
		b, more := tailOf(path, max)
		if item := completedItem(b, id); item.Exists() {
			return item
		}
		if !more {
			break
		}
	}
	return gjson.Result{}
}

// completedItem is the last item_completed record of id.
func completedItem(b []byte, id string) gjson.Result {
	return last(b, id, func(record gjson.Result) gjson.Result {
		payload := record.Get("payload")
		if item := payload.Get("item"); payload.Get("type").Str == "item_completed" && item.Get("id").Str == id {
			return item
		}
		return gjson.Result{}
	})
}

// callOutput is the call's result as the model got it.
func callOutput(b []byte, id string) gjson.Result {
	return last(b, id, func(record gjson.Result) gjson.Result {
		payload := record.Get("payload")
		switch payload.Get("type").Str {
		case "function_call_output", "custom_tool_call_output":
			if payload.Get("call_id").Str == id {
				return payload.Get("output")
			}
		}
		return gjson.Result{}
	})
}

// last is pick's last result among the records that mention word.
func last(b []byte, word string, pick func(record gjson.Result) gjson.Result) (found gjson.Result) {
	if word == "" {
		return found
	}
	for {
		i := bytes.Index(b, []byte(word))
		if i < 0 {
			return found
		}
		start, end := bytes.LastIndexByte(b[:i], '\n')+1, len(b)
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			end = i + n
		}
		if r := pick(gjson.ParseBytes(b[start:end])); r.Exists() {
			found = r
		}
		b = b[min(end+1, len(b)):]
	}
}
