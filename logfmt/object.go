package logfmt

import (
	"math"
	"strconv"
)

// Object builds one compact JSON object, for Entry.Data. The zero value is an empty object. Keys
// appear in the order of the calls; the caller must not repeat one.
type Object struct{ b []byte }

func (o *Object) key(k string) {
	if len(o.b) == 0 {
		o.b = append(o.b, '{')
	} else {
		o.b = append(o.b, ',')
	}
	o.b = append(appendString(o.b, k), ':')
}

// Str adds a string.
func (o *Object) Str(k, v string) *Object {
	o.key(k)
	o.b = appendString(o.b, v)
	return o
}

// StrIf adds a string unless it is empty.
func (o *Object) StrIf(k, v string) *Object {
	if v == "" {
		return o
	}
	return o.Str(k, v)
}

// Int adds a whole number.
func (o *Object) Int(k string, v int64) *Object {
	o.key(k)
	o.b = strconv.AppendInt(o.b, v, 10)
	return o
}

// Bool adds true or false.
func (o *Object) Bool(k string, v bool) *Object {
	o.key(k)
	o.b = strconv.AppendBool(o.b, v)
	return o
}

// Float adds a number; what JSON cannot say (NaN, infinities) becomes null.
func (o *Object) Float(k string, v float64) *Object {
	o.key(k)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		o.b = append(o.b, "null"...)
		return o
	}
	o.b = strconv.AppendFloat(o.b, v, 'g', -1, 64)
	return o
}

// Raw adds a JSON value. It must be valid; AppendTo compacts it.
func (o *Object) Raw(k string, json []byte) *Object {
	o.key(k)
	o.b = append(o.b, json...)
	return o
}

// Empty reports whether nothing was added.
func (o *Object) Empty() bool { return len(o.b) == 0 }

// Bytes returns the object, or nil if nothing was added. The builder stays usable.
func (o *Object) Bytes() []byte {
	if len(o.b) == 0 {
		return nil
	}
	return append(o.b[:len(o.b):len(o.b)], '}')
}

// AppendString appends s as a JSON string, as AppendTo would write it.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s) }
