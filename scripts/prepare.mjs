// Installs and builds, each only if its inputs changed. It uses Node alone: it runs before the dependencies are installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The compiler is a Go program: fewer collections take half of its CPU time, for some hundred MB. */
export const compilerEnv = { GOGC: '400', ...process.env }

export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (result.error) throw result.error
  return result.status ?? 1
}

function must(label, command, args, options) {
  const status = run(command, args, options)
  if (status === 0) return
  console.error(`dragoman: ${label} failed (exit ${status})`)
  process.exit(status)
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`dragoman: Node ${process.versions.node} is too old, 20.19 or newer is needed`)
  process.exit(1)
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else yield path
  }
}

function digestOf(paths) {
  const hash = createHash('sha256')
  for (const path of [...paths].sort())
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

const upToDate = (stamp, digest) => existsSync(stamp) && readFileSync(stamp, 'utf8') === digest

/** The packages of a folder with a lock file. */
export function install(at = root) {
  checkNode()
  const stamp = join(at, 'node_modules', '.dragoman-installed')
  const digest = digestOf([join(at, 'package-lock.json')])
  if (upToDate(stamp, digest)) return
  // A symbolic link leads to another clone's packages, which `npm ci` would delete.
  const folder = dirname(stamp)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(folder)
  console.log('dragoman: installing dependencies (npm ci)')
  // On Windows npm is a script, which only a shell starts.
  const shell = process.platform === 'win32'
  must('npm ci', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: at, shell })
  mkdirSync(folder, { recursive: true })
  writeFileSync(stamp, digest)
}

const imports = /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g

/** Deletes the declarations that those of the library do not refer to. */
function keepReachable(entry) {
  const reachable = new Set([entry])
  for (const file of reachable)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(imports))
      reachable.add(join(dirname(file), `${path}.d.ts`))
  for (const file of filesBelow(dirname(dirname(entry)))) if (!reachable.has(file)) rmSync(file)
}

/** `check`: the types, too. */
export function build({ check = true } = {}) {
  const stamp = join(root, 'dist', '.dragoman-built')
  const sources = ['src', 'sim', 'proto/gen'].flatMap((folder) => [...filesBelow(join(root, folder))])
  const digest = digestOf([
    ...sources,
    join(root, 'tsconfig.json'),
    join(root, 'tsconfig.declarations.json'),
    join(root, 'package-lock.json'),
    ...['bundle', 'inspector-page', 'prepare'].map((name) => join(root, 'scripts', `${name}.mjs`)),
  ])
  if (upToDate(stamp, digest)) return
  console.log('dragoman: building')
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const project = ['-p', 'tsconfig.declarations.json', ...(check ? [] : ['--noCheck'])]
  must('tsc', process.execPath, [tsc, ...project], { env: compilerEnv })
  keepReachable(join(root, 'dist', 'src', 'index.d.ts'))
  must('the bundle', process.execPath, [join(root, 'scripts', 'bundle.mjs'), '--modules'])
  writeFileSync(stamp, digest)
}
