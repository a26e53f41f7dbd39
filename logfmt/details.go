package logfmt

import "strconv"

// RawString is the inside of a JSON string, with its escapes.
type RawString []byte

// String returns the unescaped text.
func (r RawString) String() string {
	if plain(r) {
		return string(r)
	}
	return unescape(r)
}

// AppendTo appends the unescaped text.
func (r RawString) AppendTo(dst []byte) []byte {
	if plain(r) {
		return append(dst, r...)
	}
	return append(dst, unescape(r)...)
}

// Details is data in the vocabulary of SPEC.md, section 7. A missing member, or one of a wrong
// type, is nil or zero. Of members with the same name the first of the right type counts.
// Everything points into the data.
type Details struct {
	// Of tool calls, permissions and reports of background calls.
	Tool, ToolUseID, Head, Path, Input RawString
	Result                             RawString
	Claim                              RawString // of a turn's end
	Outcome, Error, Reason, Inferred   RawString
	Sha256                             RawString
	ExitCode, DurationMS, Bytes        int64
	HasExitCode                        bool
	Background                         bool

	// Of sub-agents.
	AgentID, AgentType, Task, Status RawString

	// Of prompts, sessions and the client's messages.
	Machine                                       bool
	Command, Type, Source, Client, Stage, Trigger RawString
	Proc                                          []byte // an object, see ReadProc

	// Of the lifecycle.
	Args, Summary, Description, Text RawString // Text: details as a string
	Object                           []byte    // details as an object
	Metrics                          []byte    // an object, see Members
	Outputs                          []byte    // an array, see EachOutput

	// Of aburn itself.
	TaskID, Signature, Level RawString
	Confidence               float64 // from 0 to 1
	Evidence                 []byte  // an array, see Elements
	Seen, InTurn             bool
}

// ReadDetails reads an entry's data into d in one pass. It returns false if data is no JSON
// object; d then holds what precedes the error.
func ReadDetails(data []byte, d *Details) bool {
	*d = Details{}
	return len(data) == 0 || Members(data, d.set)
}

// set stores one member.
func (d *Details) set(key RawString, value []byte) bool {
	if value[0] == '"' {
		if text := d.text(key); text != nil && *text == nil {
			*text = RawString(value[1 : len(value)-1])
		}
		return true
	}
	switch string(key) {
	case "exit_code":
		if n, ok := readInt(value); ok && !d.HasExitCode {
			d.ExitCode, d.HasExitCode = n, true
		}
	case "duration_ms":
		setInt(&d.DurationMS, value)
	case "bytes":
		setInt(&d.Bytes, value)
	case "confidence":
		if c, err := strconv.ParseFloat(string(value), 64); err == nil && d.Confidence == 0 && 0 <= c && c <= 1 {
			d.Confidence = c
		}
	case "background":
		d.Background = d.Background || value[0] == 't'
	case "machine":
		d.Machine = d.Machine || value[0] == 't'
	case "seen":
		d.Seen = d.Seen || value[0] == 't'
	case "in_turn":
		d.InTurn = d.InTurn || value[0] == 't'
	case "proc":
		setRaw(&d.Proc, value, '{')
	case "metrics":
		setRaw(&d.Metrics, value, '{')
	case "details":
		setRaw(&d.Object, value, '{')
	case "outputs":
		setRaw(&d.Outputs, value, '[')
	case "evidence":
		setRaw(&d.Evidence, value, '[')
	}
	return true
}

// text is the field for the string of this name, or nil.
func (d *Details) text(key []byte) *RawString {
	switch string(key) {
	case "tool":
		return &d.Tool
	case "tool_use_id":
		return &d.ToolUseID
	case "head":
		return &d.Head
	case "path":
		return &d.Path
	case "input":
		return &d.Input
	case "result":
		return &d.Result
	case "claim":
		return &d.Claim
	case "outcome":
		return &d.Outcome
	case "error":
		return &d.Error
	case "reason":
		return &d.Reason
	case "inferred":
		return &d.Inferred
	case "sha256":
		return &d.Sha256
	case "agent_id":
		return &d.AgentID
	case "agent_type":
		return &d.AgentType
	case "task":
		return &d.Task
	case "status":
		return &d.Status
	case "command":
		return &d.Command
	case "type":
		return &d.Type
	case "source":
		return &d.Source
	case "client":
		return &d.Client
	case "stage":
		return &d.Stage
	case "trigger":
		return &d.Trigger
	case "args":
		return &d.Args
	case "summary":
		return &d.Summary
	case "description":
		return &d.Description
	case "details":
		return &d.Text
	case "task_id":
		return &d.TaskID
	case "signature":
		return &d.Signature
	case "level":
		return &d.Level
	}
	return nil
}

// ReadProc reads the member proc: the agent's process on its host.
func ReadProc(proc []byte) (pid, start int64, host string) {
	Members(proc, func(key RawString, value []byte) bool {
		switch string(key) {
		case "pid":
			setInt(&pid, value)
		case "start":
			setInt(&start, value)
		case "host":
			if value[0] == '"' && host == "" {
				host = RawString(value[1 : len(value)-1]).String()
			}
		}
		return true
	})
	return pid, start, host
}

// EachOutput calls f with each output of the member outputs, in either form, until f returns
// false. hashed says that the output has a sha256.
func EachOutput(outputs []byte, f func(path RawString, hashed bool) bool) {
	Elements(outputs, func(value []byte) bool {
		var d Details
		switch value[0] {
		case '"':
			d.Path = RawString(value[1 : len(value)-1])
		case '{':
			ReadDetails(value, &d)
		}
		return len(d.Path) == 0 || f(d.Path, len(d.Sha256) > 0)
	})
}

func setInt(to *int64, value []byte) {
	if *to == 0 {
		*to, _ = readInt(value)
	}
}

func setRaw(to *[]byte, value []byte, kind byte) {
	if *to == nil && value[0] == kind {
		*to = value
	}
}

// readInt reads a whole number of at most 18 digits. This vocabulary has no others.
func readInt(b []byte) (n int64, ok bool) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(b) {
		n = -n
	}
	return n, true
}
