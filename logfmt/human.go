package logfmt

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Human is the line for people, without newline: "# BUILD:RED:COMPLETE - …".
func (e *Entry) Human() string {
	var b strings.Builder
	b.WriteString("# " + strings.ToUpper(e.Cmd))
	if e.Phase != "" {
		b.WriteString(":" + e.Phase)
	}
	b.WriteString(":" + string(e.Event))
	if s := gjson.GetBytes(e.Data, "summary").Str; s != "" {
		b.WriteString(" - " + s)
	}
	return b.String()
}
