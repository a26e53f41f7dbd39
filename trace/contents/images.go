package contents

import (
	"bytes"
	"strings"

	"aburn/internal/jsonl"
)

// Image is an image in a record. It is never shown; this says that it is there.
type Image struct {
	Kind string // png, jpeg, …; "image" if the record does not say
	Size int64  // in bytes, about; 0 if the record does not hold it
}

// Images are the images in a record: what has a media type of images, or is a data URL of one.
func Images(record []byte) (list []Image) {
	if bytes.Contains(record, []byte("image")) {
		images(bytes.TrimSpace(record), 0, &list)
	}
	return list
}

// leastImage is how many base64 digits an image has at least.
const leastImage = 60

func images(raw []byte, depth int, list *[]Image) {
	if len(raw) == 0 || depth > deepest {
		return
	}
	switch raw[0] {
	case '"':
		if kind, data, ok := bytes.Cut(bytes.TrimPrefix(raw[1:], []byte("data:image/")), []byte(";base64,")); ok && bytes.HasPrefix(raw[1:], []byte("data:image/")) &&
			len(kind) < 20 && len(data) > leastImage {
			*list = append(*list, Image{string(kind), decoded(len(data) - 1)})
		}
	case '[':
		jsonl.Elements(raw, func(v []byte) bool { images(v, depth+1, list); return true })
	case '{':
		kind, size := "", int64(0)
		jsonl.Members(raw, func(key, value []byte) bool {
			switch string(key) {
			case "media_type", "mimeType", "mime_type", "mime", "mediaType":
				kind, _ = strings.CutPrefix(jsonl.Text(value), "image/")
				if !strings.HasPrefix(jsonl.Text(value), "image/") {
					kind = ""
				}
			case "data":
				if len(value) > 0 && value[0] == '"' {
					size = decoded(len(value) - 2)
					return true
				}
			}
			images(value, depth+1, list)
			return true
		})
		if kind != "" && size > 0 {
			*list = append(*list, Image{kind, size})
		}
	}
}

// decoded is the size of so many base64 digits.
func decoded(digits int) int64 { return int64(max(digits, 0)) * 3 / 4 }
