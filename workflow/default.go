package workflow

import "time"

// Default is the workflow ideate → plan → build → ship with the phases RED → GREEN → REFACTOR.
func Default() Model {
	return Model{
		Commands: []Command{
			{Name: "ideate", Outputs: []string{"*.md"}},
			{Name: "plan", After: "ideate", Outputs: []string{"*.md"}},
			{Name: "build", After: "plan", Milestones: 1},
			{Name: "ship", After: "build"},
		},
		Phases: []Phase{
			{Name: "RED", Timeout: 10 * time.Minute, TestsOnly: true, FailingTest: true},
			{Name: "GREEN", Timeout: 5 * time.Minute},
			{Name: "REFACTOR", Timeout: 3 * time.Minute, Optional: true},
		},
		Timeout:      5 * time.Minute,
		Tests:        defaultTests(),
		Docs:         defaultDocs(),
		TestCommands: defaultTestCommands(),
	}
}

// defaultTests are the names of tests, fixtures, their helpers and settings, in the layouts that
// test runners and languages document.
func defaultTests() []string {
	return []string{
		// folders: a whole name, or one word of a name (integration_test in Dart, src/androidTest
		// on the JVM, App.Tests in .NET)
		"test/", "tests/", "Test/", "Tests/", "spec/", "specs/", "Specs/", "e2e/", "E2E/", "t/", "itest/", "src/it/", "__tests__/", "__mocks__/", "__snapshots__/",
		"__fixtures__/", "__specs__/",
		"*_test/", "*_tests/", "test_*/", "tests_*/", "*-test/", "*-tests/", "test-*/", "tests-*/", "*Test/", "*Tests/", "*.Test/", "*.Tests/", "*_spec/", "*-spec/",
		"*_specs/", "*-specs/", "*Specs/", "*.Specs/", "*-e2e/", "e2e-*/", "*_e2e/",
		"testdata/", "testData/", "fixture/", "fixtures/", "Fixtures/", "stubs/", "fakes/", "mocks/", "testutil/", "testutils/", "testing/", "testlib/",
		"step_definitions/", "stepdefs/", "features/support/", "features/steps/", "features/environment.py", "acceptance/", "cypress/", "playwright/", "doctests/",
		// files
		"*_test.*", "test_*.*", "*.test.*", "*.spec.*", "*_spec.*", "*-test.*", "*-spec.*", "*_tests.*", "*-tests.*", "test-*.*", "tests.*", "test.*", "spec.*",
		"*.test-d.ts", "*.t", "*.bats", "*.tftest.hcl", "*_testing.*",
		"*Test.*", "*Tests.*", "*TestCase.*", "*TestBase.*", "*Spec.*", "*Specs.*", "*Suite.scala", "*IT.java", "*Cest.php", "*Cept.php", "*Steps.*", "*StepDefs.*",
		"*StepDefinitions.*", "*_steps.*", "*.steps.*",
		"*.feature", "*.snap", "*.golden", "*.cy.*", "*.e2e.*", "*.e2e-spec.*", "*_fixture.*", "*_fixtures.*", "*.fixture.*", "*_mock.*", "*_mocks.*", "mock_*.*",
		"tst_*.*", "*_unittest.*", "*_SUITE.erl", "*.mock.*", "*.stories.*", "*.bench.*", "*_bench.*", "*Bench.*", "*Benchmark.*",
		"conftest.py", "pytest.ini", "tox.ini", "noxfile.py", "jest.config.*", "jest.setup.*", "vitest.config.*", "vitest.setup.*", "setupTests.*",
		"playwright.config.*", "karma.conf.*", ".mocharc*", "phpunit.xml*", ".rspec",
		"spec_helper.rb", "rails_helper.rb", "test_helper.*", "Pest.php",
	}
}

// defaultDocs are files that are no part of a program: documents, and settings of tools and
// dependencies.
func defaultDocs() []string {
	return []string{
		"docs/", "doc/", ".*/", ".*",
		"*.md", "*.mdx", "*.markdown", "*.rst", "*.adoc", "*.txt", "*.org", "*.pdf", "*.png", "*.jpg", "*.jpeg", "*.gif", "*.svg", "*.drawio", "*.puml", "*.mmd",
		"LICENSE*", "NOTICE*", "AUTHORS*", "CHANGELOG*", "README*", "CONTRIBUTING*", "CODEOWNERS",
		"*.json", "*.jsonl", "*.yaml", "*.yml", "*.toml", "*.ini", "*.cfg", "*.conf", "*.properties", "*.lock", "*.log", "*.csv", "*.tsv",
		"go.mod", "go.sum", "go.work", "go.work.sum", "Gemfile", "*.gemspec", "Podfile", "*.podspec", "Package.swift", "mix.exs", "rebar.config", "project.clj",
		"deps.edn", "Project.toml",
		"Makefile", "makefile", "GNUmakefile", "*.mk", "*.cmake", "meson.build", "meson_options.txt", "SConstruct", "SConscript", "BUILD", "BUILD.bazel",
		"WORKSPACE*", "*.bazel", "*.bzl", "xmake.lua", "premake*.lua", "conanfile.*",
		"dune", "dune-project", "*.opam", "*.cabal", "*.sbt", "*.nimble", "*.rockspec", "*.nix", "Rakefile", "Tiltfile", "Earthfile", "Snakefile", "Jenkinsfile*",
		"Vagrantfile", "Procfile", "Brewfile", "Gruntfile.*", "gulpfile.*",
		"Dockerfile*", "Justfile", "justfile", "pom.xml", "build.gradle*", "settings.gradle*", "*.gradle", "*.gradle.kts", "*.csproj", "*.fsproj", "*.vbproj",
		"*.vcxproj*", "*.sln", "*.props", "*.targets", "setup.py", "*.config.js", "*.config.ts", "*.config.mjs", "*.config.cjs",
	}
}

// defaultTestCommands are the calls of the common languages' test runners.
func defaultTestCommands() []string {
	return []string{
		// Go, Rust, Zig, C
		"go test", "gotestsum", "ginkgo", "cargo test", "cargo t", "cargo nextest", "zig test", "zig build test", "ctest", "meson test", "bazel test",
		"bazelisk test", "buck test", "buck2 test",
		// JavaScript
		"npm test", "npm t", "npm tst", "npm run test*", "npm run-script test*", "npm run e2e*", "yarn test*", "yarn run test*", "yarn workspace * test*",
		"pnpm test*", "pnpm t", "pnpm run test*",
		"bun test", "bun run test*", "deno test", "deno task test*", "jest", "vitest", "mocha", "ava", "jasmine", "karma start", "playwright test", "cypress run",
		"node --test", "tsx --test", "ng test",
		"react-scripts test", "nx test", "nx e2e", "nx run *:test*", "nx run *:e2e*", "nx affected -t test*", "nx run-many --target=test", "turbo test*",
		"turbo run test*", "lerna run test*",
		// Python
		"pytest", "py.test", "tox", "nox", "nose2", "nosetests", "python -m pytest", "python -m unittest", "python3 -m pytest", "python3 -m unittest",
		"manage.py test", "python manage.py test",
		"python3 manage.py test", "python setup.py test", "hatch test", "behave", "robot",
		// JVM, .NET
		"mvn test", "mvn verify", "mvnw test", "mvnw verify", "gradle test*", "gradle check", "gradle *:test*", "gradlew test*", "gradlew check", "gradlew *:test*",
		"sbt test*", "lein test", "clojure -X:test", "dotnet test", "vstest.console",
		// Ruby, PHP, Elixir, Erlang
		"rspec", "rake test*", "rake spec*", "rails test*", "rails spec", "cucumber", "phpunit", "pest", "composer test*", "php artisan test", "mix test",
		"rebar3 eunit", "rebar3 ct",
		// Swift, Dart, Haskell, OCaml, others
		"swift test", "xcodebuild test", "flutter test", "dart test", "stack test", "cabal test", "dune test", "dune runtest", "nimble test", "crystal spec",
		"busted", "prove", "R CMD check",
		// shell, makefiles, programs that are tests
		"bats", "shellspec", "make test*", "make check*", "make unit*", "make spec", "make e2e", "just test*", "task test*", "run_tests*", "run-tests*", "runtests*",
		"test.sh", "tests.sh", testPath,
		"python " + testPath, "python3 " + testPath, "node " + testPath, "tsx " + testPath, "ts-node " + testPath, "bun " + testPath, "deno run " + testPath,
		"ruby " + testPath, "php " + testPath,
		"perl " + testPath, "lua " + testPath, "julia " + testPath, "sh " + testPath, "bash " + testPath, "zsh " + testPath,
	}
}
