package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

const (
	inOneFile    = 200  // expressions that are parsed at once
	inOneProcess = 5000 // expressions that one node evaluates
)

// harmlessOf gives those of the expressions that the rules let through, each behind a guard or none.
func harmlessOf(t *testing.T, list []string) (passed []string) {
	t.Helper()
	const orig = "function f(order, items, n, s, x, y) { run(order, items, n, s, x, y); }"
	var later strings.Builder
	later.WriteString(headCommon + "function f(order, items, n, s, x, y) {\n")
	for _, e := range list {
		later.WriteString("trace.getActiveSpan()?.setAttribute('a', " + e + ");\n")
	}
	later.WriteString("run(order, items, n, s, x, y); }")
	m, err := tryParse(t, later.String())
	if err != nil {
		if len(list) == 1 {
			return nil
		}
		return append(harmlessOf(t, list[:len(list)/2]), harmlessOf(t, list[len(list)/2:])...)
	}
	u := Undo(parse(t, orig), m)
	if len(u.Captures) > 0 && len(list) > 1 { // eval takes the whole file's names
		return append(harmlessOf(t, list[:len(list)/2]), harmlessOf(t, list[len(list)/2:])...)
	}
	bad := map[int]bool{}
	for _, d := range u.Differences {
		bad[m.Pos(d.Offset).Line] = true
	}
	for _, c := range u.Captures {
		bad[m.Pos(c.Offset).Line] = true
	}
	for _, r := range u.Refused() {
		bad[m.Pos(r.Node.Start).Line] = true
	}
	unsure := map[int]bool{}
	for _, e := range u.Exprs {
		unsure[m.Pos(e.Node.Start).Line] = unsure[m.Pos(e.Node.Start).Line] || len(u.Unsure(e)) > 0
	}
	if len(u.Differences) > 0 && len(list) > 1 { // one difference can hide others
		return append(harmlessOf(t, list[:len(list)/2]), harmlessOf(t, list[len(list)/2:])...)
	}
	for i, e := range list {
		if line := 4 + i; !bad[line] {
			if unsure[line] {
				e = "/*unsure*/" + e
			}
			passed = append(passed, e)
		}
	}
	return passed
}

// TestTraps evaluates random expressions that the rules let through, in node, with values that
// record each call of code: none is called, and nothing throws. With ABURN_TRAPS=N it makes N.
func TestTraps(t *testing.T) {
	world.Slow(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	total := 2000
	if world.Storm(100) > 100 {
		total = 100_000
	}
	if n, err := strconv.Atoi(os.Getenv("ABURN_TRAPS")); err == nil {
		total = n
	}
	passed, forms := 0, map[string]bool{}
	var waiting []string
	for made := 0; made < total && !t.Failed(); made += inOneFile {
		g := expressions{rand.New(rand.NewPCG(uint64(made), 32))}
		var list []string
		for range inOneFile {
			make := g.expression
			if g.IntN(2) == 0 {
				make = g.typed
			}
			list = append(list, make(1+g.IntN(4)))
		}
		harmless := harmlessOf(t, list)
		for _, e := range harmless {
			forms[shape(e)] = true
		}
		passed += len(harmless)
		if waiting = append(waiting, harmless...); len(waiting) >= inOneProcess {
			runTraps(t, node, waiting)
			waiting = nil
		}
	}
	runTraps(t, node, waiting)
	t.Logf("%d expressions, %d harmless ones in %d forms", total, passed, len(forms))
	if passed*5 < total {
		t.Errorf("only %d of %d expressions pass: that tests little", passed, total)
	}
}

var words = regexp.MustCompile(`[\w$]+`)

func shape(e string) string { return words.ReplaceAllString(e, "a") }

// TestTrapsTrip: the traps of [TestTraps] notice what the rules refuse.
func TestTrapsTrip(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	list := []string{"`${order}`", "String({ toString: order })", "+items", "order > 1", "[order].join()", "1 instanceof order",
		"'a' in order", "Object.keys(order)",
		"items.map((x) => x)", "[...items]", "order.id()", "new order()", "null.x", "1n + 1", "(5).toString(99)", "JSON.stringify(order)",
		"({ ...order })", "order[items]",
		"order.__proto__", "items.join()", "order`x`", "s.trim()", "n.toFixed(1)", "order.id = 1", "delete order.id"}
	out := trapOutput(t, node, list)
	for _, e := range list {
		if !slices.ContainsFunc(out, func(o trip) bool { return o.Expression == e }) {
			t.Errorf("%s: no trap notices it", e)
		}
	}
}

func runTraps(t *testing.T, node string, list []string) {
	t.Helper()
	for _, tripped := range trapOutput(t, node, list) {
		t.Errorf("%s: %s", tripped.Expression, tripped.What)
	}
}

type trip struct{ Expression, What string }

func trapOutput(t *testing.T, node string, list []string) (trips []trip) {
	t.Helper()
	if len(list) == 0 {
		return nil
	}
	script, err := filepath.Abs("testdata/traps.cjs")
	if err != nil {
		t.Fatal(err)
	}
	in, _ := json.Marshal(list)
	var errs bytes.Buffer
	cmd := exec.Command(node, script)
	cmd.Env, cmd.Stdin, cmd.Stderr = []string{}, bytes.NewReader(in), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if err := json.Unmarshal(out, &trips); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, out))
	}
	return trips
}
