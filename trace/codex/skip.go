package codex

import "bytes"

// headBytes is how much of a record is looked at to see that it is not needed.
const headBytes = 320

// unread is how records begin that nothing is taken from, from the type on. They are long: what the model was told of its
// surroundings, again and again.
var unread = [][]byte{
	[]byte(`"type":"world_state",`),
	[]byte(`"type":"inter_agent_communication_metadata",`),
	[]byte(`"type":"event_msg","payload":{"type":"thread_settings_applied",`),
	[]byte(`"type":"response_item","payload":{"type":"reasoning",`),
	[]byte(`"type":"response_item","payload":{"type":"additional_tools",`),
}

// How records begin of which many are not needed, and what says so.
var (
	typeKey     = []byte(`"type":"`)
	message     = []byte(`"type":"response_item","payload":{"type":"message",`)
	byDeveloper = []byte(`"role":"developer"`)
	byAssistant = []byte(`"role":"assistant"`)
	tokenCount  = []byte(`"type":"event_msg","payload":{"type":"token_count",`)
	outputs     = []byte(`_output",`)
	callID      = []byte(`"call_id":"`)
)

// passes says, from how a record begins, that nothing is taken from it. Most bytes of a rollout are in such records, and
// looking at no more of them is most of the speed.
func (s *session) passes(data []byte) bool {
	if data[len(data)-1] != '}' {
		return false
	}
	head := data[:min(len(data), headBytes)]
	i := bytes.Index(head, typeKey)
	if i < 0 {
		return false
	}
	head = head[i:]
	for _, u := range unread {
		if bytes.HasPrefix(head, u) {
			return true
		}
	}
	switch {
	case bytes.HasPrefix(head, message):
		return bytes.Contains(head, byDeveloper) || bytes.Contains(head, byAssistant)
	case s.Billed && bytes.HasPrefix(head, tokenCount):
		s.brokenOff()
		return true
	}
	return s.toldAlready(head)
}

// toldAlready says whether the record that begins so is the output of a call whose end an item told, and that tells of no other.
func (s *session) toldAlready(head []byte) bool {
	if !bytes.Contains(head[:min(len(head), 100)], outputs) {
		return false
	}
	_, rest, ok := bytes.Cut(head, callID)
	id, _, whole := bytes.Cut(rest, []byte{'"'})
	if !ok || !whole || !s.ends[string(id)].item {
		return false
	}
	return s.Waits[string(id)] == "" && s.Writes[string(id)] == ""
}
