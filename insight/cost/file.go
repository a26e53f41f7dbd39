package cost

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

//go:embed prices.json
var shipped []byte

// Shipped is the table in this build.
var Shipped = sync.OnceValue(func() *Prices {
	p, err := Read(shipped)
	if err != nil {
		panic("prices.json: " + err.Error()) // a test reads it
	}
	return p
})

const (
	perMillion   = 1_000_000
	fileVersion  = 1
	rateDigits   = 6 // of a price per million tokens: an Amount per token
	factorDigits = 3
	searchDigits = 9 // of a price per thousand searches: an Amount per search
)

// file is a price file; docs/formats/prices.md describes it.
type file struct {
	V         int               `json:"v"`
	Made      Day               `json:"made"`
	Currency  string            `json:"currency"`
	Unit      string            `json:"unit"`
	Status    string            `json:"status"`
	Read      string            `json:"read"`
	Rules     []string          `json:"rules"`
	Modifiers []json.RawMessage `json:"modifiers"`
	Sources   map[string]Source `json:"sources"`
	Rows      []json.RawMessage `json:"rows"`
	NotPriced []string          `json:"not_priced"`
}

type fileRow struct {
	Vendor    string                 `json:"vendor,omitempty"`
	Models    []string               `json:"models"`
	From      Day                    `json:"from,omitempty"`
	Until     Day                    `json:"until,omitempty"`
	PerMtok   map[string]json.Number `json:"per_mtok"`
	Long      *fileLong              `json:"long,omitempty"`
	Fast      json.Number            `json:"fast,omitempty"`
	Batch     json.Number            `json:"batch,omitempty"`
	Ultrafast []fileSpan             `json:"ultrafast,omitempty"`
	Sources   []string               `json:"sources,omitempty"`
	Seen      string                 `json:"seen,omitempty"`
	Uncertain []string               `json:"uncertain,omitempty"`
	Note      string                 `json:"note,omitempty"`
}

type fileLong struct {
	Above        int64                  `json:"above"`
	Counts       string                 `json:"counts"`
	WholeRequest bool                   `json:"whole_request"`
	PerMtok      map[string]json.Number `json:"per_mtok,omitempty"`
	Times        map[string]json.Number `json:"times,omitempty"`
}

// What of a prompt "long" counts.
const (
	countsReads  = "input + cache_read"
	countsWrites = "input + cache_read + cache_write"
)

type fileSpan struct {
	Times json.Number `json:"times"`
	From  Day         `json:"from,omitempty"`
	Until Day         `json:"until,omitempty"`
}

type fileModifier struct {
	Vendor     string      `json:"vendor"`
	When       string      `json:"when"`
	Times      json.Number `json:"times"`
	USDPer1000 json.Number `json:"usd_per_1000"`
	Sources    []string    `json:"sources"`
	Uncertain  []string    `json:"uncertain"`
}

// FileError is why a price file is refused.
type FileError struct {
	Line int // from 1
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *FileError) Unwrap() error { return e.Err }

// Read reads a price file. It refuses the whole file for one price that is negative, not finite or too fine, for a
// member that it does not know, and for two rows of a model that hold on the same day. The error is a *FileError.
func Read(text []byte) (*Prices, error) {
	var f file
	if err := strict(text, &f); err != nil {
		return nil, err
	}
	if f.V != fileVersion || f.Currency != "USD" {
		return nil, &FileError{Line: 1, Err: fmt.Errorf(`"v" is %d and "currency" is %q; this build reads 1 and "USD"`, f.V, f.Currency)}
	}
	p := &Prices{Made: f.Made, Read: f.Read, Sources: f.Sources, NotPriced: f.NotPriced}
	rowLines, modifierLines := lines(text, "rows"), lines(text, "modifiers")
	for i, raw := range f.Rows {
		row, err := p.readRow(raw)
		if err != nil {
			return nil, at(rowLines[i], err)
		}
		if other := p.overlapping(row); other != nil {
			return nil, at(rowLines[i], fmt.Errorf("%s holds on days of %s", row.Name, other.Name))
		}
		p.rows = append(p.rows, row)
	}
	for i, raw := range f.Modifiers {
		m, err := readModifier(raw)
		if err != nil {
			return nil, at(modifierLines[i], err)
		}
		p.modifiers = append(p.modifiers, m)
	}
	p.index()
	return p, nil
}

func (p *Prices) readRow(raw json.RawMessage) (*Row, error) {
	var f fileRow
	if err := strict(raw, &f); err != nil {
		return nil, err
	}
	if len(f.Models) == 0 || slices.Contains(f.Models, "") {
		return nil, errors.New("a row without a model")
	}
	row := &Row{Name: f.Models[0] + " from " + string(f.From), Vendor: f.Vendor, Models: f.Models, From: f.From, Until: f.Until,
		Sources: f.Sources, Seen: f.Seen, Uncertain: f.Uncertain, Note: f.Note}
	var err error
	if row.days, err = spanOf(f.From, f.Until); err != nil {
		return nil, fmt.Errorf("%s: %w", row.Name, err)
	}
	for _, id := range f.Sources {
		if _, ok := p.Sources[id]; !ok {
			return nil, fmt.Errorf("%s: source %q is not in \"sources\"", row.Name, id)
		}
	}
	err = errors.Join(row.readRates(&f), row.readLong(f.Long), row.readTiers(&f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", row.Name, err)
	}
	return row, nil
}

func (row *Row) readRates(f *fileRow) (err error) {
	if len(f.PerMtok) == 0 {
		return errors.New("a row without a price")
	}
	row.base, err = readRates(f.PerMtok)
	return err
}

func readRates(numbers map[string]json.Number) (r rates, err error) {
	for name, number := range numbers {
		kind := slices.Index(kindNames[:], name)
		if kind < 0 {
			return r, fmt.Errorf("%q is not a kind of tokens", name)
		}
		n, err := parseDecimal(number.String(), rateDigits)
		if err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
		r.set(rateKind(kind), Amount(n))
	}
	return r, nil
}

func (row *Row) readLong(f *fileLong) (err error) {
	if f == nil {
		return nil
	}
	if f.Above <= 0 || !f.WholeRequest || (len(f.PerMtok) == 0) == (len(f.Times) == 0) {
		return errors.New(`"long" needs "above", "whole_request": true, and either "per_mtok" or "times"`)
	}
	l := &long{above: f.Above}
	switch f.Counts {
	case countsReads:
	case countsWrites:
		l.writes = true
	default:
		return fmt.Errorf(`"counts" is %q`, f.Counts)
	}
	if l.rates, err = readRates(f.PerMtok); err != nil {
		return err
	}
	for kind, name := range kindNames {
		number, ok := f.Times[name]
		if !ok || !row.base.known[kind] {
			continue
		}
		rate := row.base.amount[kind]
		times, err := parseDecimal(number.String(), factorDigits)
		if err != nil {
			return err
		}
		product, ok := rate.times(times, 1)
		if !ok || int64(rate)*times%oneTime != 0 {
			return fmt.Errorf("%s times %s has too many decimal places", name, number)
		}
		l.rates.set(rateKind(kind), product)
	}
	row.long = l
	return nil
}

func (row *Row) readTiers(f *fileRow) error {
	row.tiers = map[Tier][]factorSpan{}
	always, _ := spanOf("", "")
	for tier, number := range map[Tier]json.Number{Fast: f.Fast, Batch: f.Batch} {
		if number != "" {
			times, err := parseDecimal(number.String(), factorDigits)
			if err != nil {
				return err
			}
			row.tiers[tier] = []factorSpan{{always, times}}
		}
	}
	for _, s := range f.Ultrafast {
		times, err := parseDecimal(s.Times.String(), factorDigits)
		days, wrong := spanOf(s.From, s.Until)
		if err := cmp.Or(err, wrong); err != nil {
			return err
		}
		row.tiers[Ultrafast] = append(row.tiers[Ultrafast], factorSpan{days, times})
	}
	return nil
}

func readModifier(raw json.RawMessage) (*Modifier, error) {
	var f fileModifier
	if err := strict(raw, &f); err != nil {
		return nil, err
	}
	m := &Modifier{Vendor: f.Vendor, When: f.When, Sources: f.Sources, Uncertain: f.Uncertain}
	var err error
	switch f.When {
	case inferenceGeo:
		m.times, err = parseDecimal(f.Times.String(), factorDigits)
	case webSearches:
		var n int64
		n, err = parseDecimal(f.USDPer1000.String(), searchDigits)
		m.search = Amount(n)
	default:
		err = fmt.Errorf("%q is not a condition that this build knows", f.When)
	}
	return m, err
}

// overlapping is a row that holds for one of row's models on one of its days.
func (p *Prices) overlapping(row *Row) *Row {
	for _, other := range p.rows {
		shared := slices.ContainsFunc(row.Models, func(m string) bool { return slices.Contains(other.Models, m) })
		if shared && row.days.overlaps(other.days) {
			return other
		}
	}
	return nil
}

var errMore = errors.New("more text behind the value")

// strict decodes exactly one JSON value without unknown members.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	err := dec.Decode(into)
	if err == nil {
		if _, err = dec.Token(); err == io.EOF {
			return nil
		}
		err = errMore
	}
	offset := dec.InputOffset()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
		err = fmt.Errorf("%s is a %s", kind.Field, kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		offset, err = int64(len(text)), errors.New("the file ends too early")
	case err == errMore:
	default:
		offset = memberOffset(text, err)
		err = errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return &FileError{Line: 1 + bytes.Count(text[:min(offset, int64(len(text)))], []byte("\n")), Err: err}
}

// memberOffset is where the member stands that an error of encoding/json names; it states no offset itself.
func memberOffset(text []byte, err error) int64 {
	if _, name, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return int64(max(0, bytes.Index(text, []byte(name))))
	}
	return 0
}

// at moves an error within an element of the file to the file.
func at(line int, err error) error {
	if e, ok := err.(*FileError); ok {
		return &FileError{Line: line + e.Line - 1, Err: e.Err}
	}
	return &FileError{Line: line, Err: err}
}

// lines lists on which line each element of a list at the top of the file begins. The file was decoded before.
func lines(text []byte, list string) (starts []int) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.Token()
	for dec.More() {
		key, _ := dec.Token()
		if key != list {
			var skipped json.RawMessage
			dec.Decode(&skipped)
			continue
		}
		dec.Token()
		for dec.More() {
			var element json.RawMessage
			dec.Decode(&element)
			starts = append(starts, 1+bytes.Count(text[:dec.InputOffset()-int64(len(element))], []byte("\n")))
		}
		dec.Token()
	}
	return starts
}
