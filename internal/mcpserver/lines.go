package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine is the most bytes of a client's message. Questions are short.
const maxLine = 1 << 20

// lines passes on the client's messages, one a line, and rejects invalid ones itself. The SDK
// would end the connection over one, and the agent would be without aburn for the rest of its
// session.
type lines struct {
	in   *bufio.Reader
	out  *writer
	rest []byte // of the current line
}

func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, long, err := l.next()
		switch wrong := check(line); {
		case long:
			refuse(l.out, line, jsonrpc.CodeInvalidRequest, "a message of more than "+thousands(maxLine/1000)+" kB")
		case len(bytes.TrimSpace(line)) == 0:
		case wrong == nil:
			l.rest = append(line, '\n')
			continue
		case err != nil: // the writer died inside the line
		case json.Valid(line):
			refuse(l.out, line, jsonrpc.CodeInvalidRequest, wrong.Error())
		default:
			refuse(l.out, line, jsonrpc.CodeParseError, wrong.Error())
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next returns the next line without its end, or the beginning of a long line. With an error it
// returns what precedes the error.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			long = true
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(line, "\r\n"), long, err
		}
	}
}

// check says what is wrong with a message. Batches, which the protocol allowed for three months,
// are rejected.
func check(line []byte) error {
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return err
	}
	if !json.Valid(line) {
		return errors.New("there is more behind the message")
	}
	return nil
}

// refuse answers an invalid message, with its id if it has one.
func refuse(out io.Writer, line []byte, code int64, why string) {
	var of struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &of) != nil || len(of.ID) == 0 || of.ID[0] == '{' || of.ID[0] == '[' {
		of.ID = json.RawMessage("null")
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": of.ID, "error": map[string]any{"code": code, "message": why}})
	if err == nil {
		out.Write(append(text, '\n')) // an error also comes with the next answer
	}
}

// writer serialises two writers of whole lines to one stream.
type writer struct {
	mu sync.Mutex
	to io.Writer
}

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func (*writer) Close() error { return nil }
