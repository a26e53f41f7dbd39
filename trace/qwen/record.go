package qwen

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"aburn/trace/draft"
	"aburn/trace/genai"
)

// value is a JSON value within a record.
type value = genai.Value

// record is one line of a file. Missing members are empty values.
type record struct {
	uuid, parent, session, time   value // uuid, parentUuid, sessionId, timestamp
	kind, subtype, provenance     value // type, subtype, provenance
	cwd, version, branch          value
	message, payload, result      value // message, systemPayload, toolCallResult
	model, usage, agent, forkedOf value // model, usageMetadata, agentId, forkedFrom
}

// parse splits a line, or says why it cannot.
func parse(line []byte) (r record, why string) {
	why = genai.Record(line, r.field)
	return r, why
}

// field returns where the value of a key goes, nil if the key is not used.
func (r *record) field(key []byte) *value {
	switch string(key) {
	case "uuid":
		return &r.uuid
	case "parentUuid":
		return &r.parent
	case "sessionId":
		return &r.session
	case "timestamp":
		return &r.time
	case "type":
		return &r.kind
	case "subtype":
		return &r.subtype
	case "provenance":
		return &r.provenance
	case "cwd":
		return &r.cwd
	case "version":
		return &r.version
	case "gitBranch":
		return &r.branch
	case "message":
		return &r.message
	case "systemPayload":
		return &r.payload
	case "toolCallResult":
		return &r.result
	case "model":
		return &r.model
	case "usageMetadata":
		return &r.usage
	case "agentId":
		return &r.agent
	case "forkedFrom":
		return &r.forkedOf
	}
	return nil
}

// copied returns the session that the record was copied from, when this session branched off; "" if it is its own.
func (r record) copied() string {
	return draft.SessionID(r.forkedOf.Get("sessionId").Str())
}

// meta is what the client notes about a sub-agent beside its transcript.
type meta struct {
	agentType, description string
	call                   string // that started it
	parent                 string // the sub-agent that started it, "" for the session
	status                 string // running, paused, completed, failed, cancelled
	lastError              string
}

// maxMeta bounds how many bytes of notes are read.
const maxMeta = 1 << 20

// readMeta reads the notes about the sub-agent whose transcript is at path. Missing and broken notes are empty.
func readMeta(path string) meta {
	path = strings.TrimSuffix(path, ".jsonl") + metaSuffix
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMeta {
		return meta{}
	}
	data, err := os.ReadFile(path)
	if err != nil || !json.Valid(data) {
		return meta{}
	}
	root := value(bytes.TrimSpace(data))
	text := func(key string) string { return root.Get(key).Str() }
	return meta{agentType: text("agentType"), description: text("description"), call: text("toolUseId"),
		parent: text("parentAgentId"), status: text("status"), lastError: text("lastError")}
}
