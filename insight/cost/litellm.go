package cost

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// litellmKinds are the members of LiteLLM's file that state dollars per token. Its cache_creation… is a write for five
// minutes where it states one for an hour beside it.
var litellmKinds = map[string]rateKind{
	"input_cost_per_token": input, "output_cost_per_token": output, "cache_read_input_token_cost": cacheRead,
	"cache_creation_input_token_cost": write, "cache_creation_input_token_cost_above_1hr": write1h,
}

func litellmSource(today Day) string { return "LiteLLM " + string(today) }

// litellmModel is what an entry of LiteLLM's file says about tokens.
type litellmModel struct {
	vendor, mode string
	base, long   map[rateKind]json.Number // dollars per million tokens
	above        int64
	doubts       []string
}

// fromLiteLLM makes a file in our form of the wanted models whose prices are other than today's.
func (u *Update) fromLiteLLM(text []byte, table *Prices, today Day, wanted func(string) bool) ([]byte, error) {
	list, err := members(text)
	if err != nil {
		return nil, err
	}
	f := &file{V: fileVersion, Currency: "USD", Unit: "per 1,000,000 tokens", Sources: map[string]Source{
		litellmSource(today): {Who: "LiteLLM's file of prices, imported on " + string(today), URL: "https://github.com/BerriAI/litellm", Kind: "tracker"}}}
	for _, entry := range list {
		m, why, err := readLiteLLM(entry)
		switch {
		case err != nil:
			return nil, err
		case m == nil || entry.name == "sample_spec":
			continue
		case !wanted(entry.name):
			u.Unwanted++
			continue
		case why != "":
			u.LeftOut = append(u.LeftOut, LeftOut{entry.name, why})
			continue
		}
		row := m.row(entry.name, today)
		row.Until = table.next(entry.name, today)
		raw, err := json.Marshal(row)
		if err != nil {
			return nil, err
		}
		if before := table.holding(entry.name, today); before != nil && before.says(&row) {
			u.Same++
			continue
		}
		f.Rows = append(f.Rows, raw)
	}
	return f.text(today), nil
}

// next is the first day after a day from which the table has another row for a model; empty if there is none.
func (p *Prices) next(model string, day Day) (next Day) {
	for _, r := range p.rowsOf(model) {
		if r.From > day && (next == "" || r.From < next) {
			next = r.From
		}
	}
	return next
}

// says reports whether a row has all prices that a row of LiteLLM's states.
func (row *Row) says(f *fileRow) bool {
	within := func(r *rates, numbers map[string]json.Number) bool {
		its, err := readRates(numbers)
		for kind := range numKinds {
			if its.known[kind] && (!r.known[kind] || r.amount[kind] != its.amount[kind]) {
				return false
			}
		}
		return err == nil
	}
	if !within(&row.base, f.PerMtok) || (row.long == nil) != (f.Long == nil) {
		return false
	}
	return f.Long == nil || row.long.above == f.Long.Above && within(&row.long.rates, f.Long.PerMtok)
}

// readLiteLLM reads an entry. It is nil without an error for what is no model that answers for tokens. why says why no
// row can hold it. A negative price, or one that is no number, is an error with its line.
func readLiteLLM(entry pricedMember) (m *litellmModel, why string, err error) {
	list, err := members(entry.raw)
	if err != nil {
		return nil, "", at(entry.line, &FileError{Line: 1, Err: errors.New(entry.name + " is no JSON object")})
	}
	m = &litellmModel{base: map[rateKind]json.Number{}, long: map[rateKind]json.Number{}}
	for _, member := range list {
		switch member.name {
		case "litellm_provider":
			json.Unmarshal(member.raw, &m.vendor)
		case "mode":
			json.Unmarshal(member.raw, &m.mode)
		default:
			reason, err := m.price(member)
			if err != nil {
				return nil, "", at(entry.line+member.line-1, fmt.Errorf("%s: %s: %w", entry.name, member.name, err))
			}
			if why == "" {
				why = reason
			}
		}
	}
	if len(m.base) == 0 || !slices.Contains([]string{"", "chat", "responses", "completion"}, m.mode) {
		return nil, "", nil
	}
	if why == "" && m.free() {
		why = "it states 0 for input and output, which may mean unknown"
	}
	return m, why, nil
}

func (m *litellmModel) free() bool { return m.base[input] == "0" && m.base[output] == "0" }

// price takes a member that states a price of tokens. Prices that no row can hold are named as doubts.
func (m *litellmModel) price(member pricedMember) (why string, err error) {
	if string(member.raw) == "null" {
		return "", nil
	}
	name, above := promptLength(member.name)
	kind, ok := litellmKinds[name]
	if !ok || above < 0 {
		return "", m.doubt(member)
	}
	number, exact, err := perMtok(member.raw)
	switch {
	case err != nil:
		return "", err
	case !exact:
		return member.name + " is finer than 10⁻⁶ dollar per million tokens", nil
	case above == 0:
		m.base[kind] = number
		return "", nil
	case m.above != 0 && m.above != above:
		return "it has prices above two lengths of a prompt", nil
	}
	m.above, m.long[kind] = above, number
	return "", nil
}

// doubt notes a price of tokens that no row can hold. It must be a price all the same.
func (m *litellmModel) doubt(member pricedMember) error {
	if !strings.Contains(member.name, "cost") || !strings.Contains(member.name, "token") {
		return nil
	}
	m.doubts = append(m.doubts, "LiteLLM also states "+member.name)
	if c := member.raw[0]; c != '-' && (c < '0' || c > '9') {
		return nil
	}
	_, _, err := perMtok(member.raw)
	return err
}

// promptLength takes the length of a prompt from the name of a price that holds above it: 200,000 from
// input_cost_per_token_above_200k_tokens. It is 0 without one, and negative if it cannot be read.
func promptLength(name string) (base string, above int64) {
	short, ok := strings.CutSuffix(name, "k_tokens")
	i := strings.LastIndex(short, "_above_")
	if !ok || i < 0 {
		return name, 0
	}
	n, err := strconv.ParseInt(short[i+len("_above_"):], 10, 32)
	if err != nil || n <= 0 {
		return name, -1
	}
	return short[:i], n * 1000
}

// perMtok turns dollars per token into dollars per million tokens. exact is false if a price file cannot hold it exactly.
// LiteLLM's file is written by programs that compute in floats, so the shortest decimal of the float counts.
func perMtok(raw json.RawMessage) (n json.Number, exact bool, err error) {
	var number json.Number
	if raw[0] == '"' {
		return "", false, fmt.Errorf("%s is no number", raw)
	}
	if err := json.Unmarshal(raw, &number); err != nil {
		return "", false, err
	}
	value, err := strconv.ParseFloat(number.String(), 64)
	switch {
	case err != nil:
		return "", false, fmt.Errorf("%s is not a price", number)
	case value < 0:
		return "", false, fmt.Errorf("%s is negative", number)
	}
	dollars, ok := new(big.Rat).SetString(strconv.FormatFloat(value, 'g', -1, 64))
	if !ok {
		return "", false, errors.New("a price is missing")
	}
	dollars.Mul(dollars, big.NewRat(perMillion, 1))
	digits, finite := dollars.FloatPrec()
	return json.Number(dollars.FloatString(min(digits, rateDigits))), finite && digits <= rateDigits, nil
}

// row is the entry as a row from today.
func (m *litellmModel) row(model string, today Day) fileRow {
	slices.Sort(m.doubts)
	row := fileRow{Vendor: m.vendor, Models: []string{model}, From: today, PerMtok: m.named(m.base), Sources: []string{litellmSource(today)}, Seen: "tracker",
		Uncertain: m.doubts}
	if m.above > 0 {
		row.Long = &fileLong{Above: m.above, Counts: countsWrites, WholeRequest: true, PerMtok: m.named(m.long)}
	}
	return row
}

// named names the kinds of rates. A write is one for five minutes where there is another for an hour.
func (m *litellmModel) named(rates map[rateKind]json.Number) map[string]json.Number {
	_, hour := m.base[write1h]
	names := make(map[string]json.Number, len(rates))
	for kind, n := range rates {
		if kind == write && (hour || m.vendor == "anthropic") {
			kind = write5m
		}
		names[kindNames[kind]] = n
	}
	return names
}
