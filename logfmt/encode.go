package logfmt

import (
	"errors"
	"hash/crc32"
	"strconv"

	"github.com/tidwall/gjson"
)

// AppendTo appends the entry as it stands in the log: the JSON line and the
// human line, each with its newline, at most MaxEntry bytes. What is larger is
// cut as SPEC.md says. The error names what no entry can be without.
func (e *Entry) AppendTo(dst []byte) ([]byte, error) {
	dst, err := e.AppendJSON(dst)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '\n')
	dst = append(dst, e.Human()...)
	return append(dst, '\n'), nil
}

// AppendJSON appends the JSON line only, without a newline.
func (e *Entry) AppendJSON(dst []byte) ([]byte, error) {
	if e.Time.IsZero() || e.Cmd == "" || e.Event == "" {
		return dst, errors.New("encode entry: ts, cmd and event are required")
	}
	start := len(dst)
	dst = append(dst, `{"ts":"`...)
	dst = e.Time.UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z")
	dst = append(dst, '"')
	str := func(k, v string) {
		if v != "" {
			dst = append(append(append(dst, `,"`...), k...), `":`...)
			dst = gjson.AppendJSONString(dst, v)
		}
	}
	str("cmd", Token(e.Cmd, MaxCmd))
	str("phase", Token(e.Phase, MaxPhase))
	str("event", Token(string(e.Event), MaxEvent))
	str("session", Token(string(e.Session), MaxSession))
	if e.Seq != 0 {
		dst = strconv.AppendUint(append(dst, `,"seq":`...), uint64(e.Seq), 10)
	}
	str("id", Token(e.ID, MaxID))
	if e.Agent != nil {
		o := (&Object{}).StrIf("type", e.Agent.Type).StrIf("id", e.Agent.ID).StrIf("parent_cmd", e.Agent.ParentCmd)
		dst = append(append(dst, `,"agent":`...), o.Bytes()...)
		if o.Empty() {
			dst = append(dst, "{}"...)
		}
	}
	str("source", e.Source)
	dst = append(dst, `,"wt":`...)
	dst = gjson.AppendJSONString(dst, e.Wt)
	str("branch", e.Branch)
	if e.Data != nil {
		dst = append(append(dst, `,"data":`...), e.Data...)
	}
	for _, m := range e.Extra {
		dst = append(append(gjson.AppendJSONString(append(dst, ','), m.Key), ':'), m.Raw...)
	}
	sum := crc32.ChecksumIEEE(dst[start:])
	dst = append(dst, `,"crc":"`...)
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[sum>>shift&15])
	}
	return append(dst, `"}`...), nil
}
