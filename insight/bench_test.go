package insight_test

import (
	"testing"

	"aburn/insight"
	"aburn/trace"
)

// A session of 35 calls, of which one in six fails, as most are.
func BenchmarkMake(b *testing.B) {
	tr := ordinary(b)
	b.ReportAllocs()
	for b.Loop() {
		insight.Make(tr, false)
	}
}

func BenchmarkDecode(b *testing.B) {
	form := insight.Append(nil, insight.Make(ordinary(b), false))
	b.ReportAllocs()
	b.SetBytes(int64(len(form)))
	for b.Loop() {
		if _, err := decode(form); err != nil {
			b.Fatal(err)
		}
	}
}

// As a report decodes them: many into the same memory.
func BenchmarkDecodeMany(b *testing.B) {
	form := string(insight.Append(nil, insight.Make(ordinary(b), false)))
	b.ReportAllocs()
	var decoder insight.Decoder
	for b.Loop() {
		if _, err := decoder.Decode(form); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	d := insight.Make(ordinary(b), false)
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = insight.Append(buf[:0], d)
	}
	b.ReportMetric(float64(len(buf)), "bytes")
}

// ordinary is such a session.
func ordinary(tb testing.TB) *trace.SessionTrace {
	line := "p:fix_the_build "
	for i := range 7 {
		n := string(rune('a' + i))
		line += "say c" + n + "1:Read=f" + n + ".go ok c" + n + "2:Edit=f" + n + ".go ok file:f" + n + ".go c" + n + "3:Bash=go_test bad:1 c" + n + "4:Grep=x ok c" +
			n + "5:Bash=go_vet ok say "
	}
	return drawn(tb, line)
}
