package cost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Update is how a file of newer prices would change the user's own prices.
type Update struct {
	Changes []Change
	// Same counts models of the file whose prices already count.
	Same int
	// Unwanted counts models of LiteLLM's file that nobody asked for.
	Unwanted int
	// LeftOut are models whose prices no row can hold.
	LeftOut []LeftOut
	// Text is the new file of own prices.
	Text []byte
}

// Change is a row that an update adds to the own prices.
type Change struct {
	Row *Row
	// Before is the row that holds for the first model on the first day without the update; nil if there is none.
	Before *Row
}

// LeftOut is a model whose prices no row can hold, and why.
type LeftOut struct {
	Model string `json:"model"`
	Why   string `json:"why"`
}

// PlanUpdate works out how LiteLLM's file of prices, text, changes the own prices, which is the text of a file that Read
// takes, or empty. LiteLLM states no day, so its rows hold from today, and only models that wanted names are taken. An own
// row ends where a new row holds for its model. An error about text is a *FileError.
func PlanUpdate(own, text []byte, today Day, wanted func(model string) bool) (*Update, error) {
	base, table, err := ownTable(own)
	if err != nil {
		return nil, fmt.Errorf("the own prices: %w", err)
	}
	if err := isLiteLLM(text); err != nil {
		return nil, err
	}
	u := &Update{}
	if text, err = u.fromLiteLLM(text, table, today, wanted); err != nil {
		return nil, err
	}
	newer, err := Read(text)
	if err != nil {
		return nil, err
	}
	var add file
	if err := strict(text, &add); err != nil {
		return nil, err
	}
	if err := u.merge(base, &add, newer, table); err != nil {
		return nil, err
	}
	u.Text = base.text(today)
	if _, err = Read(u.Text); err != nil {
		return nil, fmt.Errorf("the new file would be broken: %w", err)
	}
	return u, nil
}

// ownTable reads the own prices, and the table in which they count.
func ownTable(own []byte) (*file, *Prices, error) {
	base := &file{V: fileVersion, Currency: "USD", Unit: "per 1,000,000 tokens", Sources: map[string]Source{}}
	if len(own) == 0 {
		return base, Shipped(), nil
	}
	mine, err := Read(own)
	if err != nil {
		return nil, nil, err
	}
	if err := strict(own, base); err != nil {
		return nil, nil, err
	}
	if base.Sources == nil {
		base.Sources = map[string]Source{}
	}
	return base, Shipped().With(mine), nil
}

// isLiteLLM refuses what has no price of LiteLLM's.
func isLiteLLM(text []byte) error {
	list, err := members(text)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(m pricedMember) bool { return bytes.Contains(m.raw, []byte(`_cost_per_token"`)) }) {
		return &FileError{Line: 1, Err: errors.New("this is no price file of LiteLLM")}
	}
	return nil
}

// merge puts the new rows, which newer holds in the same order, into base.
func (u *Update) merge(base, add *file, newer, table *Prices) error {
	for i, row := range newer.rows {
		row.Own = true
		var f fileRow
		if err := strict(add.Rows[i], &f); err != nil {
			return err
		}
		if err := base.giveWay(&f); err != nil {
			return err
		}
		base.Rows = append(base.Rows, add.Rows[i])
		for _, id := range f.Sources {
			base.Sources[id] = add.Sources[id]
		}
		u.Changes = append(u.Changes, Change{Row: row, Before: table.holding(row.Models[0], row.From)})
	}
	return nil
}

// holding is the row of a model on a day, or the first one if the day is empty.
func (p *Prices) holding(model string, day Day) *Row {
	for _, r := range p.rowsOf(model) {
		if at, err := spanOf(day, ""); err == nil && r.days.from <= at.from && at.from < r.days.until {
			return r
		}
	}
	return nil
}

// giveWay takes the days and models of a new row out of the rows that the file has.
func (f *file) giveWay(n *fileRow) error {
	var kept []json.RawMessage
	for _, raw := range f.Rows {
		var old fileRow
		if err := strict(raw, &old); err != nil {
			return err
		}
		parts := old.without(n)
		if parts == nil {
			kept = append(kept, raw)
			continue
		}
		for _, p := range parts {
			text, err := json.Marshal(p)
			if err != nil {
				return err
			}
			kept = append(kept, text)
		}
	}
	f.Rows = kept
	return nil
}

// without is what is left of a row where a new one holds: other models, days before and days behind. It is nil if the two
// share no model or no day, and empty if nothing is left.
func (f *fileRow) without(n *fileRow) []fileRow {
	var shared, others []string
	for _, m := range f.Models {
		if slices.Contains(n.Models, m) {
			shared = append(shared, m)
		} else {
			others = append(others, m)
		}
	}
	mine, _ := spanOf(f.From, f.Until)
	its, _ := spanOf(n.From, n.Until)
	if len(shared) == 0 || !mine.overlaps(its) {
		return nil
	}
	parts := []fileRow{}
	part := func(models []string, from, until Day) {
		p := *f
		p.Models, p.From, p.Until = models, from, until
		parts = append(parts, p)
	}
	if len(others) > 0 {
		part(others, f.From, f.Until)
	}
	if mine.from < its.from {
		part(shared, f.From, n.From)
	}
	if its.until < mine.until {
		part(shared, n.Until, f.Until)
	}
	return parts
}

// text writes the file with one line for each row, so that an error's line names it.
func (f *file) text(made Day) []byte {
	var b bytes.Buffer
	line := func(s string, v any) {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		b.WriteString(s)
		enc.Encode(v)
		b.Truncate(b.Len() - 1) // the encoder's line end
	}
	line("{\n \"v\": ", fileVersion)
	line(",\n \"made\": ", made)
	line(",\n \"currency\": ", f.Currency)
	for _, m := range []struct{ name, value string }{{"unit", f.Unit}, {"status", f.Status}, {"read", f.Read}} {
		if m.value != "" {
			line(",\n \""+m.name+"\": ", m.value)
		}
	}
	for _, m := range []struct {
		name string
		list []string
	}{{"rules", f.Rules}, {"not_priced", f.NotPriced}} {
		if len(m.list) > 0 {
			line(",\n \""+m.name+"\": ", m.list)
		}
	}
	b.WriteString(",\n \"sources\": {")
	for i, id := range slices.Sorted(maps.Keys(f.Sources)) {
		line(strings.Repeat(",", min(i, 1))+"\n  ", id)
		line(": ", f.Sources[id])
	}
	b.WriteString("\n }")
	for _, m := range []struct {
		name string
		list []json.RawMessage
	}{{"modifiers", f.Modifiers}, {"rows", f.Rows}} {
		b.WriteString(",\n \"" + m.name + "\": [")
		for i, raw := range m.list {
			line(strings.Repeat(",", min(i, 1))+"\n  ", raw)
		}
		b.WriteString("\n ]")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// pricedMember is a member of a JSON object, and the line on which its value begins.
type pricedMember struct {
	name string
	raw  json.RawMessage
	line int
}

// members lists the members of a JSON object in their order.
func members(text []byte) (list []pricedMember, err error) {
	var whole json.RawMessage
	if err := strict(text, &whole); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if start, _ := dec.Token(); start != json.Delim('{') {
		return nil, &FileError{Line: 1, Err: errors.New("no JSON object")}
	}
	line, counted := 1, 0
	for dec.More() {
		key, _ := dec.Token()
		var raw json.RawMessage
		dec.Decode(&raw)
		start := int(dec.InputOffset()) - len(raw)
		line += bytes.Count(text[counted:start], []byte("\n"))
		counted = start
		list = append(list, pricedMember{name: key.(string), raw: raw, line: line})
	}
	return list, nil
}
