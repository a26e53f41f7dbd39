// Builds the bundle and the licences of what is in it: node build.mjs OUT LICENSES
// Run it after `npm ci --ignore-scripts`; the versions are those of package-lock.json.
import { build } from 'esbuild'
import { readFileSync, writeFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const [out, licences] = process.argv.slice(2)
const result = await build({
  entryPoints: ['main.js'],
  bundle: true,
  format: 'iife',
  target: 'es2018',
  charset: 'ascii',
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  write: false,
  // acorn-jsx requires acorn: both must get the same copy.
  alias: { acorn: './node_modules/acorn/dist/acorn.mjs' },
  banner: { js: '// Built by build.mjs from main.js. Do not edit. Licences: LICENSES.' },
})
writeFileSync(out, result.outputFiles[0].contents)

const packages = new Set()
for (const file of Object.keys(result.metafile.inputs)) {
  const m = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)
  if (m) packages.add(m[1])
}
const texts = [...packages].sort().map((name) => {
  const dir = join('node_modules', name)
  const { version, license, licenses } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
  // esrecurse has its licence only in its README.
  const file = readdirSync(dir).find((f) => /^licen[sc]e/i.test(f)) ?? readdirSync(dir).find((f) => /^readme/i.test(f))
  let text = readFileSync(join(dir, file), 'utf8').replaceAll('\r\n', '\n')
  if (/^readme/i.test(file)) text = text.slice(text.search(/^#* *License/im))
  return `${name} ${version} (${license ?? licenses[0].type})\n\n${text.trim()}\n`
})
writeFileSync(licences, 'jsast.js contains these packages.\n\n' + texts.join('\n' + '-'.repeat(72) + '\n\n'))
