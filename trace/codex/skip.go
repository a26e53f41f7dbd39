package codex

import "bytes"

// unread are the types of records, and of what they hold, that nothing is taken from. They are long: what the model was told
// of its surroundings, again and again.
var unread = [][]byte{
	[]byte(`"type":"world_state",`),
	[]byte(`"type":"inter_agent_communication_metadata",`),
	[]byte(`"type":"event_msg","payload":{"type":"thread_settings_applied",`),
	[]byte(`"type":"response_item","payload":{"type":"reasoning",`),
	[]byte(`"type":"response_item","payload":{"type":"additional_tools",`),
}

// skippable says, from how it begins, that nothing is taken from a record.
func skippable(data []byte) bool {
	if data[len(data)-1] != '}' {
		return false
	}
	head := data[:min(len(data), 200)]
	i := bytes.Index(head, []byte(`"type":"`))
	if i < 0 {
		return false
	}
	for _, u := range unread {
		if bytes.HasPrefix(head[i:], u) {
			return true
		}
	}
	return false
}
