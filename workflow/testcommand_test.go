package workflow

import (
	"strings"
	"testing"
)

// pf is what a test case expects: p = exit code 0 means passed, f = another means failed, r = runs, nothing else known.
func show(t TestRun) string {
	out := ""
	if t.Pass {
		out += "p"
	}
	if t.Fail {
		out += "f"
	}
	if out == "" && t.Runs {
		out = "r"
	}
	return out
}

func TestTestRun(t *testing.T) {
	m := Default()
	for _, c := range []struct{ want, heads string }{
		{"pf", `
go test ./...
go test -run 'A|B' -count=1 ./x 2>&1
/usr/local/go/bin/go test
go -C sub test ./...
cd sub && go test ./...
cd sub; go test ./...
cd sub go test ./...
source .venv/bin/activate pytest -q
export CI=1 A=b npm test
CI=1 GOFLAGS=-mod=mod go test
go build ./... && go test ./...
go vet ./... && go test ./... && echo ok
go test ./a && go test ./b
go test $(go list ./... | grep -v x)
env A=b timeout -k 5 60s nice -n 10 go test ./...
time go test
(cd x && go test)
{ go test
bash -lc 'cd x && go test ./...'
sh -c "go test"
timeout 600 bash -c 'go test ./...'
npm test
npm --prefix web test -- --watch=false
npm run test:unit
npm run lint && npm run test
yarn jest src
npx vitest run
npx --yes jest
pnpm --filter app test
pnpm -r run test:e2e
uv run pytest -x
uv run --with pytest pytest -x
poetry run pytest tests/test_a.py::test_b
python -m pytest -q
python3 -W ignore -m unittest discover
python manage.py test app
python tests/test_parser.py
python3 test_parser.py
node test.js
node --test
node src/a.test.mjs
./tests/smoke
bash scripts/test.sh
./run_tests.sh -v
coverage run -m pytest
bundle exec rspec spec/a_spec.rb
bin/rails test
./gradlew --info :app:testDebug
./mvnw -q verify
mvn -q -DskipITs test
cargo test --all
cargo --quiet test
make -j4 test
make check
docker compose exec -T web pytest
docker exec -u root web pytest
python -m tox
python3 -m coverage run -m pytest
yarn vitest
hatch run pytest
bash ./run_tests.sh
docker compose run --rm web npm test
dotnet test x.sln
mix test
go test ./... || exit 1
set -o pipefail; go test ./... | tee out.txt
set -euo pipefail; cd x; go test ./... | tail -30
set -euo pipefail cd x && go test ./... | tail -30
set -e; go test ./a; go test ./b
set -e; go test ./a; echo done
go test ./... > out.txt 2>&1
go test ./... <in
`},
		{"p", `
go test ./... && git commit -m x
go test ./... && ./deploy
set -o pipefail; go test | grep -v ok
`},
		{"f", `
go test ./a | tail -3 && go test ./b
go test ./a; go test ./b
`},
		{"r", `
go test ./... | tail -20
go test ./... 2>&1 | grep -E 'FAIL|ok'
go test ./... || true
go test ./... || { echo failed; exit 1; }
go test ./... || echo failed
go test ./...; echo "exit $?"
go test ./... ; git status
go test ./... &
go test ./... & wait
if go test ./...; then echo ok; fi
! go test ./...
for p in a b; do go test ./$p; done
x=$(go test ./...) && echo "$x"
go test ./... && echo ok || echo failed
cd x && go test ./… 
go test ./a… aburn log build COMPLETE
# run the tests go test ./...
bash -c 'go test | tail'
`},
		{"", `
go build ./...
go build -o test ./...
go vet ./...
gofmt -l .
git commit -m "go test passes"
git commit -m 'run && go test'
echo go test
grep -rn "go test" .
grep -rn go test
cat test.js
ls tests/
vim src/a.test.ts
npm run lint
npm run build
npm install --save-dev jest
npm ci
pip install pytest
uv add pytest
pnpm add vitest
make
make build
cargo build
cargo check
python setup.py
python -m http.server
node server.js
node tests
rm -rf tests/x
mkdir -p test
./tests
which pytest
aburn log build COMPLETE --phase RED
cat <<EOF
sh -c
bash
# a comment
$(

`},
	} {
		for head := range strings.Lines(c.heads) {
			head = strings.TrimSuffix(head, "\n")
			if head != "" && show(m.TestRun(head)) != c.want {
				t.Errorf("%-50s %q, want %q", head, show(m.TestRun(head)), c.want)
			}
		}
	}
	for script, want := range map[string]string{
		"cd x\ngo test\n": "pf", "set -e\ngo test\ngit push": "p", "go test\ngit push": "r", "cat <<EOF > f\ngo test\nEOF": "", "bash <<EOF\ngo test\nEOF": "",
		"bash -c \"bash -c 'bash -c \\\"go test\\\"'\"": "",
	} {
		if got := show(m.TestRun(script)); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

func BenchmarkTestRun(b *testing.B) {
	m := Default()
	for b.Loop() {
		m.TestRun("cd internal/thing && go build ./... && git status --short | head -20; ls -la && git log --oneline -3")
	}
}

// Whatever the text, what is not said to run says nothing, and it ends.
func FuzzTestRun(f *testing.F) {
	f.Add("set -e; cd x && (go test | tail) || bash -c 'npm test' & # go test")
	f.Add(`set ""; go test`) // a head may also be cut inside of the quotes
	f.Add("-C - timeout -k docker compose exec <test> */x.test.js $(go test `npm t`)")
	m := Default()
	f.Fuzz(func(t *testing.T, head string) {
		if r := m.TestRun(head); !r.Runs && (r.Pass || r.Fail) {
			t.Errorf("%q: %+v", head, r)
		}
	})
}
