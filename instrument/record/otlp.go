package record

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"aburn/internal/otlp"
)

// Field numbers are those of opentelemetry/proto/{trace,common,resource}/v1 in
// opentelemetry-proto 1.x, as trace/export writes them; the tests compare with the
// generated types.

// maxDepth bounds values in values, and JSON in JSON.
const maxDepth = 16

var errProtobuf = errors.New("it is no protobuf message of OTLP")

// decodeProtobuf reads an ExportTraceServiceRequest.
func decodeProtobuf(data []byte) (spans []Span, err error) {
	err = otlp.Each(data, func(f otlp.Field) error {
		if f.N != 1 { // resource_spans
			return nil
		}
		begin := len(spans)
		var resource []Attribute
		err := f.Inside(func(f otlp.Field) error {
			switch f.N {
			case 1: // resource
				return f.Inside(func(f otlp.Field) error {
					if f.N != 1 {
						return nil
					}
					return readAttribute(f, &resource)
				})
			case 2: // scope_spans
				return readScopeSpans(f, &spans)
			}
			return nil
		})
		for i := begin; i < len(spans); i++ {
			spans[i].Resource = resource
		}
		return err
	})
	if errors.Is(err, otlp.ErrWire) {
		err = errProtobuf
	}
	return spans, err
}

func readScopeSpans(f otlp.Field, spans *[]Span) error {
	begin, scope := len(*spans), ""
	err := f.Inside(func(f otlp.Field) error {
		switch f.N {
		case 1: // scope
			return f.Inside(func(f otlp.Field) error {
				if f.N == 1 {
					scope = string(f.Data)
				}
				return nil
			})
		case 2:
			s, err := readSpan(f)
			*spans = append(*spans, s)
			return err
		}
		return nil
	})
	for i := begin; i < len(*spans); i++ {
		(*spans)[i].Scope = scope
	}
	return err
}

func readSpan(f otlp.Field) (s Span, err error) {
	s = Span{Ended: true, Kind: kinds[0]}
	err = f.Inside(func(f otlp.Field) error {
		switch f.N {
		case 1:
			s.Trace = hex.EncodeToString(f.Data)
		case 2:
			s.ID = hex.EncodeToString(f.Data)
		case 4:
			s.Parent = hex.EncodeToString(f.Data)
		case 5:
			s.Name = string(f.Data)
		case 6:
			s.Kind = kindName(int(f.V) - 1)
		case 7:
			s.Start = time.Unix(0, int64(f.V))
		case 8:
			s.End = time.Unix(0, int64(f.V))
		case 9:
			return readAttribute(f, &s.Attributes)
		case 11:
			return readEvent(f, &s)
		case 13:
			s.Links++
		case 15:
			return f.Inside(func(f otlp.Field) error {
				if f.N == 3 {
					s.Failed = f.V == 2
				}
				return nil
			})
		}
		return nil
	})
	if err == nil && (len(s.Trace) != 32 || len(s.ID) != 16) {
		err = fmt.Errorf("span %.80q has ids of a wrong length", s.Name)
	}
	return s, err
}

func readEvent(f otlp.Field, s *Span) error {
	var e Event
	err := f.Inside(func(f otlp.Field) error {
		switch f.N {
		case 2:
			e.Name = string(f.Data)
		case 3:
			return readAttribute(f, &e.Attributes)
		}
		return nil
	})
	s.Events = append(s.Events, e)
	return err
}

func readAttribute(f otlp.Field, to *[]Attribute) error {
	a := Attribute{Kind: "null"}
	err := f.Inside(func(f otlp.Field) error {
		switch f.N {
		case 1:
			a.Key = string(f.Data)
		case 2:
			return readValue(f, &a, 0)
		}
		return nil
	})
	*to = append(*to, a)
	return err
}

// readValue reads an AnyValue.
func readValue(f otlp.Field, a *Attribute, depth int) error {
	if depth > maxDepth {
		return errors.New("its values are nested too deeply")
	}
	return f.Inside(func(f otlp.Field) error {
		switch f.N {
		case 1:
			a.Kind, a.Value = "string", cutValue(string(f.Data))
		case 2:
			a.Kind, a.Value = "boolean", strconv.FormatBool(f.V != 0)
		case 3:
			a.Kind, a.Value = "int", strconv.FormatInt(int64(f.V), 10)
		case 4:
			a.Kind, a.Value = "double", strconv.FormatFloat(math.Float64frombits(f.V), 'g', -1, 64)
		case 5:
			var items []string
			err := f.Inside(func(f otlp.Field) error {
				if f.N != 1 {
					return nil
				}
				item := Attribute{Kind: "null"}
				err := readValue(f, &item, depth+1)
				items = append(items, item.Kind)
				return err
			})
			a.Kind, a.Value = arrayKind(items), ""
			return err
		case 6:
			a.Kind, a.Value = "object", ""
		case 7:
			a.Kind, a.Value = "bytes", ""
		}
		return nil
	})
}

func arrayKind(items []string) string {
	kind := ""
	for _, item := range items {
		switch {
		case kind == "" || kind == item:
			kind = item
		case kind == "int" && item == "double" || kind == "double" && item == "int":
			kind = "double"
		default:
			return "mixed[]"
		}
	}
	if kind == "" {
		kind = "array"
	}
	return kind + "[]"
}

func cutValue(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most]
	}
	return s
}

// The JSON form of OTLP: names in lowerCamelCase, ids in hex, 64-bit numbers as
// numbers or strings, enums as numbers.
type (
	jsonRequest struct {
		ResourceSpans []struct {
			Resource struct {
				Attributes []jsonAttribute `json:"attributes"`
			} `json:"resource"`
			ScopeSpans []struct {
				Scope struct {
					Name string `json:"name"`
				} `json:"scope"`
				Spans []jsonSpan `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	jsonSpan struct {
		TraceID    string          `json:"traceId"`
		SpanID     string          `json:"spanId"`
		Parent     string          `json:"parentSpanId"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Start      jsonInt         `json:"startTimeUnixNano"`
		End        jsonInt         `json:"endTimeUnixNano"`
		Attributes []jsonAttribute `json:"attributes"`
		Events     []struct {
			Name       string          `json:"name"`
			Attributes []jsonAttribute `json:"attributes"`
		} `json:"events"`
		Links  []json.RawMessage `json:"links"`
		Status struct {
			Code int `json:"code"`
		} `json:"status"`
	}
	jsonAttribute struct {
		Key   string    `json:"key"`
		Value jsonValue `json:"value"`
	}
	jsonValue struct {
		String *string      `json:"stringValue"`
		Bool   *bool        `json:"boolValue"`
		Int    *jsonInt     `json:"intValue"`
		Double *json.Number `json:"doubleValue"`
		Array  *struct {
			Values []jsonValue `json:"values"`
		} `json:"arrayValue"`
		List  *json.RawMessage `json:"kvlistValue"`
		Bytes *string          `json:"bytesValue"`
	}
	jsonInt int64
)

func (n *jsonInt) UnmarshalJSON(data []byte) error {
	if len(data) >= 2 && data[0] == '"' {
		data = data[1 : len(data)-1]
	}
	v, err := strconv.ParseInt(string(data), 10, 64)
	*n = jsonInt(v)
	return err
}

func decodeJSON(data []byte) (spans []Span, err error) {
	if deeper(data, 64) {
		return nil, errors.New("its JSON is nested too deeply")
	}
	var request jsonRequest
	if err := json.Unmarshal(data, &request); err != nil {
		return nil, errors.New("it is no JSON of OTLP")
	}
	for _, rs := range request.ResourceSpans {
		resource := jsonAttributes(rs.Resource.Attributes)
		for _, ss := range rs.ScopeSpans {
			for i := range ss.Spans {
				s, err := ss.Spans[i].span()
				if err != nil {
					return nil, err
				}
				s.Scope, s.Resource = ss.Scope.Name, resource
				spans = append(spans, s)
			}
		}
	}
	return spans, nil
}

// deeper reports whether the brackets outside of strings nest more than most deep.
func deeper(data []byte, most int) bool {
	depth, text := 0, false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case text && b == '\\':
			i++
		case b == '"':
			text = !text
		case text:
		case b == '{' || b == '[':
			if depth++; depth > most {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}

func (j *jsonSpan) span() (Span, error) {
	s := Span{Trace: j.TraceID, ID: j.SpanID, Parent: j.Parent, Name: j.Name, Kind: kindName(j.Kind - 1), Start: time.Unix(0, int64(j.Start)),
		End:        time.Unix(0, int64(j.End)),
		Attributes: jsonAttributes(j.Attributes), Links: len(j.Links), Failed: j.Status.Code == 2, Ended: true}
	for _, e := range j.Events {
		s.Events = append(s.Events, Event{e.Name, jsonAttributes(e.Attributes)})
	}
	if !isHex(s.Trace, 32) || !isHex(s.ID, 16) || s.Parent != "" && !isHex(s.Parent, 16) {
		return s, fmt.Errorf("span %.80q has ids of a wrong form", s.Name)
	}
	return s, nil
}

func isHex(s string, length int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == length
}

func jsonAttributes(list []jsonAttribute) (out []Attribute) {
	for _, a := range list {
		kind, value := a.Value.kind()
		out = append(out, Attribute{a.Key, kind, cutValue(value)})
	}
	return out
}

func (v jsonValue) kind() (kind, value string) {
	switch {
	case v.String != nil:
		return "string", *v.String
	case v.Bool != nil:
		return "boolean", strconv.FormatBool(*v.Bool)
	case v.Int != nil:
		return "int", strconv.FormatInt(int64(*v.Int), 10)
	case v.Double != nil:
		f, _ := v.Double.Float64()
		return "double", strconv.FormatFloat(f, 'g', -1, 64)
	case v.Array != nil:
		var items []string
		for _, item := range v.Array.Values {
			kind, _ := item.kind()
			items = append(items, kind)
		}
		return arrayKind(items), ""
	case v.List != nil:
		return "object", ""
	case v.Bytes != nil:
		return "bytes", ""
	}
	return "null", ""
}
