package gemini

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// table is the Ref.Table of a message in an old file, which is one object. Key is the message's index, from 0.
const table = "messages"

// readLegacy reads a session of versions before the files of lines: one object, rewritten as a whole each time.
func (f *storeReading) readLegacy(path string, file *os.File) (jsonl.End, error) {
	data, err := io.ReadAll(io.LimitReader(file, jsonl.MaxLine+1))
	if err != nil {
		return jsonl.End{}, err
	}
	f.sink.Progress(int64(len(data)))
	end := jsonl.End{Offset: int64(len(data))}
	switch {
	case len(data) == 0:
		return end, nil
	case len(data) > jsonl.MaxLine:
		return end, &trace.UnknownLayout{Agent: "Gemini CLI", Path: path,
			Why: fmt.Sprintf("it is one object of more than %d bytes", jsonl.MaxLine)}
	}
	r, whole := fields(object(data))
	if !whole { // the client is writing it
		return jsonl.End{Torn: true}, nil
	}
	if !r.header() || !r.messages.IsArray() {
		return end, &trace.UnknownLayout{Agent: "Gemini CLI", Path: path,
			Why: "it is no object with a sessionId and messages"}
	}
	src := &source{storeReading: f, path: path}
	src.header(r, trace.Ref{Table: table, Key: "session"})
	n := 0
	r.messages.Each(func(v value) {
		if m, _ := fields(v); m.id.IsString() {
			src.session.record(m, trace.Ref{File: src.session.file, Table: table, Key: strconv.Itoa(n)})
		}
		n++
	})
	return end, nil
}

// Records calls each with the index of each ref and its record in an old file, or why there is none. Other files have lines,
// for which no reader is needed.
func Records(_ context.Context, path string, refs []trace.Ref, each func(i int, record []byte, err error)) error {
	file, err := jsonl.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, jsonl.MaxLine+1))
	if err != nil {
		return err
	}
	var messages []value
	object(data).Get("messages").Each(func(v value) { messages = append(messages, v) })
	for i, ref := range refs {
		switch n, bad := strconv.Atoi(ref.Key); {
		case ref.Table != table:
			each(i, nil, fmt.Errorf("%s: there is no table %q in it", path, ref.Table))
		case ref.Key == "session":
			each(i, data, nil)
		case bad != nil || n < 0 || n >= len(messages):
			each(i, nil, fmt.Errorf("%s: there is no message %s in it now", path, ref.Key))
		default:
			each(i, messages[n], nil)
		}
	}
	return nil
}
