package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// service is one function of a service, as it may stand in a real file: 15 lines.
const service = `
export async function placeOrder%[1]d(order, retries = 3) {
  const total = order.items.length;
  const rows = await pool.query('insert into orders values ($1, $2)', [order.id, total]);
  if (rows.rowCount === 0) {
    throw new Error('no row for order ' + order.id);
  }
  return { id: order.id, total, retries };
}

export async function readTemplate%[1]d(name) {
  const text = (await readFile(new URL('./' + name, import.meta.url))).toString();
  return text.replaceAll('%%', name);
}
`

// module is a file of n such functions.
func module(n int) string {
	var b strings.Builder
	b.WriteString("import { Pool } from 'pg';\nimport { readFile } from 'node:fs/promises';\n\nconst pool = new Pool();\n")
	for i := range n {
		fmt.Fprintf(&b, service, i)
	}
	return b.String()
}

// instrumented is module(n) with a span in each function.
func instrumented(n int) string {
	text := strings.ReplaceAll(module(n), ") {\n  const ", ") {\n  return tracer.startActiveSpan('shop.work', async (span) => {\n    try {\n  const ")
	text = strings.ReplaceAll(text, "\n}\n",
		"\n    } catch (error) {\n      span.recordException(error);\n      span.setStatus({ code: SpanStatusCode.ERROR });\n      throw error;\n"+
			"    } finally {\n      span.end();\n    }\n  });\n}\n")
	return "import { trace, SpanStatusCode } from '@opentelemetry/api';\nconst tracer = trace.getTracer('shop');\n" + text
}

// instrumentCase times a scan and a check, with node on PATH and without. The bounds are of time, not of ratios: nothing
// else does the same.
func instrumentCase(w *world, pg *page) error {
	if err := w.build(".", "./cmd/aburn-instrument"); err != nil {
		return err
	}
	files, rounds := 1000, 3
	if pg.brief {
		files, rounds = 5, 1
	}
	for i := range files {
		if err := w.write(fmt.Sprintf("scanned/src/f%04d.mjs", i), []byte(module(6))); err != nil {
			return err
		}
	}
	if err := errors.Join(w.write("checked/a.mjs", []byte(module(20))), w.write("checked/b.mjs", []byte(instrumented(20)))); err != nil {
		return err
	}
	pg.section("Instrumenting",
		fmt.Sprintf("`aburn instrument scan` of %d files of %.1f KB, and `check` of a file of 284 lines without and with 40 spans. Node is "+
			"the one on PATH; without one aburn parses itself.\n"+
			"The memory is that of aburn; node has its own. The time is the best of %d.", files, float64(len(module(6)))/1024, rounds))
	pg.table("process", "time", "bound", "peak memory", "bound")
	node, err := exec.LookPath("node")
	with := append([]string{"PATH=" + filepath.Dir(node)}, w.env[1:]...)
	without := append([]string{"PATH=" + w.path("empty-folder")}, w.env[1:]...)
	for _, c := range []struct {
		name   string
		env    []string
		args   []string
		bound  time.Duration
		memory int64
	}{
		{"scan, with node", with, []string{"-C", w.path("scanned"), "scan", "src"}, 20 * time.Second, 300 << 20},
		{"scan, without node", without, []string{"-C", w.path("scanned"), "scan", "src"}, 20 * time.Second, 300 << 20},
		{"check, with node", with, []string{"check", w.path("checked/a.mjs"), w.path("checked/b.mjs")}, 250 * time.Millisecond, 300 << 20},
		{"check, without node", without, []string{"check", w.path("checked/a.mjs"), w.path("checked/b.mjs")}, 600 * time.Millisecond, 300 << 20},
	} {
		if err != nil && c.env[0] == with[0] {
			continue
		}
		p := &process{name: c.name, path: w.path("bin/aburn-instrument"), args: c.args, env: c.env, dir: w.dir}
		best := cost{wall: time.Hour}
		for i := range rounds {
			took, err := p.cost(i)
			if err != nil {
				return err
			}
			if took.wall < best.wall {
				best = took
			}
		}
		pg.row(c.name, ms(best.wall), within(best.wall <= c.bound, ms(c.bound)), fmt.Sprintf("%d MB", best.peak>>20),
			within(best.peak <= c.memory, fmt.Sprintf("%d MB", c.memory>>20)))
	}
	return os.RemoveAll(w.path("scanned"))
}

func within(met bool, bound string) string {
	if met {
		return "≤ " + bound
	}
	return "≤ " + bound + ": **missed**"
}
