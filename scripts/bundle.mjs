// Bundles the program and its packages into the files of dist/src: to find and read 600 modules took Node longer than to run
// them. The compiler only checks types and writes declarations. With `--modules` it also writes build/, each module as a
// file of its own, for benchmarks and tests that use single modules.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { buildPage } from './inspector-page.mjs'

/** What is run or imported by its file in dist/src. */
const entries = {
  cli: 'cli',
  index: 'index',
  'plugin/opencode': 'plugin/opencode',
  'plugin/opencode-1': 'plugin/opencode-1',
  'chunks/worker': 'process/workers/worker',
}

/**
 * Chunks of what is always loaded together: these modules of src/, and what they import, without what an earlier group has. All
 * other modules are divided by their dynamic imports. More groups than these earned nothing.
 */
const groups = {
  // What is loaded before Node's compile cache is on.
  environment: ['cli/compile-cache'],
  command: ['cli/program'],
  settings: ['config/load'],
  // What the plugin needs before there is a gateway.
  connection: [
    ...['upstream/client', 'upstream/retry-after', 'server/listed-models', 'base/ids'],
    ...['is-inside', 'owner-only', 'replace-file'].map((name) => `base/platform/${name}`),
  ],
  gateway: ['gateway', 'process/run-gateway'],
}

/** Not ours to bundle: users install them if they need them. */
const optional = ['ioredis', '@aws-sdk/credential-provider-node', 'google-auth-library', /^gpt-tokenizer\//]

const shared = {
  platform: 'node',
  tsconfig: false,
  transform: { target: 'node20' },
  // A dynamic import that saves nothing in one case saves something in another.
  checks: { ineffectiveDynamicImport: false },
}

async function bundleProgram(root) {
  const module = (name) => join(root, 'src', `${name}.ts`)
  const bundle = await rolldown({
    ...shared,
    cwd: root,
    input: Object.fromEntries(Object.entries(entries).map(([file, name]) => [file, module(name)])),
    external: optional,
    // The `main` of jsonc-parser hides its `require` from bundlers.
    resolve: { mainFields: ['module', 'main'] },
  })
  const { output } = await bundle.write({
    dir: join(root, 'dist', 'src'),
    // One folder below dist/src: modules find package.json, the page and the program from their own address.
    chunkFileNames: 'chunks/[name].js',
    comments: { legal: true, annotation: false, jsdoc: false },
    sourcemap: true,
    codeSplitting: {
      groups: Object.entries(groups).map(([name, roots], at) => {
        const ids = new Set(roots.map(module))
        return { name, test: (id) => ids.has(normalize(id)), priority: 10 - at }
      }),
    },
  })
  await bundle.close()
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds)
  writeFileSync(join(root, 'dist', 'licenses.txt'), licensesOf(root, ids))
}

/** The notices of the packages in the bundle: their licenses ask for them. */
function licensesOf(root, ids) {
  const names = ids.flatMap((id) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? [])
  const notices = [...new Set(names)].sort().map((name) => {
    const folder = join(root, 'node_modules', name)
    const { version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = ['LICENSE', 'LICENSE.md'].map((one) => join(folder, one)).find(existsSync)
    const text = file === undefined ? (repository.url ?? repository) : readFileSync(file, 'utf8').trim()
    return `${name} ${version}, ${license}\n\n${text}\n`
  })
  return `This program contains code of these packages.\n\n${notices.join('\n---\n\n')}`
}

async function writeModules(root) {
  const files = ['src', 'sim', 'proto/gen'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  const isModule = (file) =>
    file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$|inspector[\\/]page[\\/]/.test(file)
  const bundle = await rolldown({
    ...shared,
    cwd: root,
    input: files.filter(isModule).map((file) => join(root, file)),
    external: (id) => /^[a-z@]/.test(id) && !/^[a-z]:/i.test(id),
  })
  const dir = join(root, 'build')
  rmSync(dir, { recursive: true, force: true })
  await bundle.write({ dir, preserveModules: true, preserveModulesRoot: root })
  await bundle.close()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = join(import.meta.dirname, '..')
  const parts = [buildPage(root), bundleProgram(root)]
  if (process.argv.includes('--modules')) parts.push(writeModules(root))
  await Promise.all(parts)
}
