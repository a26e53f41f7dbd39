package logfmt

// Members calls f with each member of the JSON object at obj[0], in order, until f returns false.
// A value is never empty. Members reports whether obj is such an object and nothing else, as far
// as it read.
func Members(obj []byte, f func(key RawString, value []byte) bool) bool {
	if len(obj) == 0 || obj[0] != '{' {
		return false
	}
	i := skipSpace(obj, 1)
	if i < len(obj) && obj[i] == '}' {
		return i+1 == len(obj)
	}
	for {
		key, value, ok := readKey(obj, i)
		if !ok {
			return false
		}
		end, err := scanMember(obj, value)
		if err != nil {
			return false
		}
		if !f(key, obj[value:end]) {
			return true
		}
		if i = skipSpace(obj, end); i >= len(obj) || obj[i] != ',' {
			return i+1 == len(obj) && obj[i] == '}'
		}
		i = skipSpace(obj, i+1)
	}
}

// Elements is Members for an array.
func Elements(arr []byte, f func(value []byte) bool) bool {
	if len(arr) == 0 || arr[0] != '[' {
		return false
	}
	i := skipSpace(arr, 1)
	if i < len(arr) && arr[i] == ']' {
		return i+1 == len(arr)
	}
	for {
		end, err := scanMember(arr, i)
		if err != nil {
			return false
		}
		if !f(arr[i:end]) {
			return true
		}
		if i = skipSpace(arr, end); i >= len(arr) || arr[i] != ',' {
			return i+1 == len(arr) && arr[i] == ']'
		}
		i = skipSpace(arr, i+1)
	}
}

// readKey reads `"key" :` at obj[i] and returns where the value begins.
func readKey(obj []byte, i int) (key RawString, value int, ok bool) {
	if i < len(obj) && obj[i] == '"' {
		for end := i + 1; end+1 < len(obj) && obj[end] >= ' ' && obj[end] != '\\'; end++ {
			if obj[end] != '"' {
				continue
			}
			if obj[end+1] != ':' {
				break
			}
			return RawString(obj[i+1 : end]), skipSpace(obj, end+2), true
		}
	}
	value, err := scanKey(obj, i)
	if err != nil {
		return nil, value, false
	}
	return RawString(RawString(obj[i+1 : keyEnd(obj, value)]).String()), value, true
}

// scanMember is scanValue, quicker for values without brackets.
func scanMember(b []byte, i int) (end int, err error) {
	if i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return scanString(b, i)
		case c == '-' || '0' <= c && c <= '9':
			return scanNumber(b, i)
		}
	}
	return scanValue(b, i)
}
