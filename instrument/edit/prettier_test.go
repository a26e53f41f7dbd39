package edit

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"aburn/instrument/jsast"
	"aburn/internal/lab/world"
)

const printAll = `
const prettier = require(process.argv[1])
let text = ''
process.stdin.setEncoding('utf8').on('data', (d) => { text += d }).on('end', async () => {
  const out = []
  for (const { source, options } of JSON.parse(text)) {
    try {
      out.push({ text: await prettier.format(source, { parser: 'babel', ...options }) })
    } catch (e) {
      out.push({ error: String(e) })
    }
  }
  process.stdout.write(JSON.stringify(out))
})`

// printing is a text and the options to print it with.
type printing struct {
	Source  string         `json:"source"`
	Options map[string]any `json:"options"`
}

func randomPrinting(r *rand.Rand, source []byte) printing {
	one := func() bool { return r.IntN(2) == 0 }
	return printing{string(source), map[string]any{
		"semi": one(), "singleQuote": one(), "jsxSingleQuote": one(), "bracketSpacing": one(), "useTabs": one(),
		"printWidth": 20 + r.IntN(120), "tabWidth": 1 + r.IntN(8), "embeddedLanguageFormatting": "off", "experimentalTernaries": one(),
		"trailingComma": []string{"none", "es5", "all"}[r.IntN(3)], "arrowParens": []string{"always", "avoid"}[r.IntN(2)],
		"quoteProps": []string{"as-needed", "consistent", "preserve"}[r.IntN(3)], "objectWrap": []string{"preserve", "collapse"}[r.IntN(2)],
		"bracketSameLine": one(), "singleAttributePerLine": one(), "experimentalOperatorPosition": []string{"start", "end"}[r.IntN(2)],
	}}
}

// printed is what the real Prettier makes of texts; "" where it refuses one.
func printed(t *testing.T, jobs []printing) (texts []string) {
	t.Helper()
	asked, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", printAll, os.Getenv("ABURN_PRETTIER"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(asked), os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ Text, Error string }
	if err := json.Unmarshal(answer, &all); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, p := range all {
		if p.Error != "" {
			refused++
		}
		texts = append(texts, p.Text)
	}
	t.Logf("%d printed, %d refused by Prettier", len(all)-refused, refused)
	return texts
}

// TestPrettier undoes what the real Prettier printed, with any options. ABURN_PRETTIER
// is the folder of the package: node_modules/prettier, after npm install prettier.
func TestPrettier(t *testing.T) {
	if os.Getenv("ABURN_PRETTIER") == "" {
		t.Skip("ABURN_PRETTIER names no folder of Prettier")
	}
	var jobs []printing
	var originals []*jsast.Module
	modules(t, world.Storm(200), func(seed uint64, r *rand.Rand, m *jsast.Module) {
		out, _, err := Apply(t.Context(), engine(), m, randomPlan(r, m), Names{Tracer: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		jobs, originals = append(jobs, randomPrinting(r, out)), append(originals, m)
	})
	for i, text := range printed(t, jobs) {
		if text == "" {
			continue
		}
		if s := said(Undo(originals[i], parse(t, text))); s != "" {
			t.Errorf("%v: %s\n--- original\n%s\n--- printed\n%s", jobs[i].Options, s, originals[i].Source, text)
			if testing.Short() {
				return
			}
		}
	}
}

// TestPrettierOfTypeScript is the same with types.
func TestPrettierOfTypeScript(t *testing.T) {
	if os.Getenv("ABURN_PRETTIER") == "" {
		t.Skip("ABURN_PRETTIER names no folder of Prettier")
	}
	e := typeEngine(t)
	var jobs []printing
	var originals []*jsast.Module
	add := func(r *rand.Rand, m *jsast.Module, p Plan) {
		out, _, err := Apply(t.Context(), e, m, p, Names{Tracer: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		job := randomPrinting(r, out)
		job.Options["parser"] = "typescript"
		jobs, originals = append(jobs, job), append(originals, m)
	}
	typedModules(t, e, world.Storm(100), func(_ uint64, r *rand.Rand, _, m *jsast.Module) { add(r, m, randomPlan(r, m)) })
	source, err := os.ReadFile("testdata/types/shop.ts")
	if err != nil {
		t.Fatal(err)
	}
	m := parseTS(t, e, string(source))
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		add(r, m, randomPlan(r, m))
	}
	wrong := 0
	for i, text := range printed(t, jobs) {
		if text == "" {
			continue
		}
		later, err := jsast.ParseNamed(t.Context(), e, "x.ts", []byte(text), originals[i].Type)
		if err != nil {
			t.Logf("node does not take it any more: %v", err)
			continue
		}
		if s := said(Undo(originals[i], later)); s != "" {
			wrong++
			if wrong <= 3 {
				t.Errorf("%v: %s\n--- original\n%s\n--- printed\n%s", jobs[i].Options, s, originals[i].Source, text)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d", wrong, len(jobs))
	}
}
