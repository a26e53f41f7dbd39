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

// TestPrettier undoes what the real Prettier printed, with any options. ABURN_PRETTIER
// is the folder of the package: node_modules/prettier, after npm install prettier.
func TestPrettier(t *testing.T) {
	folder := os.Getenv("ABURN_PRETTIER")
	if folder == "" {
		t.Skip("ABURN_PRETTIER names no folder of Prettier")
	}
	type job struct {
		Source  string         `json:"source"`
		Options map[string]any `json:"options"`
	}
	var jobs []job
	var originals []*jsast.Module
	modules(t, world.Storm(200), func(seed uint64, r *rand.Rand, m *jsast.Module) {
		out, _, err := Apply(t.Context(), engine(), m, randomPlan(r, m), Names{Tracer: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		one := func() bool { return r.IntN(2) == 0 }
		jobs = append(jobs, job{string(out), map[string]any{
			"semi": one(), "singleQuote": one(), "jsxSingleQuote": one(), "bracketSpacing": one(), "useTabs": one(),
			"printWidth": 20 + r.IntN(120), "tabWidth": 1 + r.IntN(8), "embeddedLanguageFormatting": "off", "experimentalTernaries": one(),
			"trailingComma": []string{"none", "es5", "all"}[r.IntN(3)], "arrowParens": []string{"always", "avoid"}[r.IntN(2)],
			"quoteProps": []string{"as-needed", "consistent", "preserve"}[r.IntN(3)], "objectWrap": []string{"preserve", "collapse"}[r.IntN(2)],
			"bracketSameLine": one(), "singleAttributePerLine": one(), "experimentalOperatorPosition": []string{"start", "end"}[r.IntN(2)],
		}})
		originals = append(originals, m)
	})
	asked, _ := json.Marshal(jobs)
	cmd := exec.Command("node", "-e", printAll, folder)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(asked), os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var printed []struct{ Text, Error string }
	if err := json.Unmarshal(answer, &printed); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i, p := range printed {
		if p.Error != "" {
			refused++
			continue
		}
		if s := said(Undo(originals[i], parse(t, p.Text))); s != "" {
			t.Errorf("%v: %s\n--- original\n%s\n--- printed\n%s", jobs[i].Options, s, originals[i].Source, p.Text)
			if testing.Short() {
				return
			}
		}
	}
	t.Logf("%d printed, %d refused by Prettier", len(printed)-refused, refused)
}
