// `npm run site [-- --base /dragoman/] [--preview]`: builds the documents as static pages into dist-site/, and checks them.
//
// The generator has its own packages, in site/: only this script installs them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { install, root, run } from './prepare.mjs'
import { readSite, siteProblems } from './site-check.mjs'

const { values } = parseArgs({
  options: {
    /** The path at which a server will have the pages. */
    base: { type: 'string', default: '/' },
    /** Serves them here, once built. */
    preview: { type: 'boolean', default: false },
  },
})

function fail(message, status = 1) {
  console.error(`dragoman: ${message}`)
  process.exit(status)
}

const { base } = values
if (!base.startsWith('/') || !base.endsWith('/'))
  fail(`--base must begin and end with a slash, such as /dragoman/: ${base}`, 2)

const site = join(root, 'site')
const output = join(root, 'dist-site')
const vitepress = (command) =>
  run(process.execPath, [join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), command, site], {
    env: { ...process.env, SITE_BASE: base },
  })

install(site)
rmSync(output, { recursive: true, force: true })
if (vitepress('build') !== 0) fail('the site was not built: what is wrong is above')

const files = readSite(output)
const problems = siteProblems(files, base)
for (const problem of problems) console.error(problem)
if (problems.length > 0) fail(`${problems.length} problems in the pages of the site`)
const pages = [...files.keys()].filter((name) => name.endsWith('.html')).length
console.log(`dragoman: dist-site/ has ${pages} pages, for ${base}`)

if (values.preview) process.exit(vitepress('preview'))
