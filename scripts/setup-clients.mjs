// Runs real clients after `dragoman setup`: `node scripts/setup-clients.mjs opencode=PATH claude-code=PATH codex=PATH
// qwen-code=PATH …` (all names are below). A client that needs another Node has both: `kimi=NODE,PATH`. Each client gets its own home folder, is set up for `dragoman demo`, reads a README.md, and is restored with
// --undo. Not part of `npm test`: the clients are separate programs. Run it inside `unshare -n` (loopback up) to cut off the network.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandsFor, quiet } from './client-commands.mjs'
import { root } from './prepare.mjs'

const program = join(root, 'dist', 'src', 'cli.js')
const prompt = 'Read README.md and tell me its first line.'
const line = `# A file that nobody could guess: ${Math.random()}`
const model = 'demo-anthropic/claude-demo'
const commands = commandsFor({ prompt, model })

/** What they print is for the shell that starts the client. */
const printing = ['copilot', 'goose', 'env']

const demo = spawn(process.execPath, [program, 'demo', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const url = await new Promise((resolve) => {
  demo.stdout.setEncoding('utf8').on('data', (text) => {
    const found = /listening on (\S+)/.exec(text)?.[1]
    if (found) resolve(found)
  })
})

let failed = 0
for (const [client, programs] of process.argv.slice(2).map((word) => word.split('='))) {
  const [path, ...others] = programs.split(',').reverse()
  const home = mkdtempSync(join(tmpdir(), 'dragoman-client-'))
  const work = join(home, 'work')
  mkdirSync(work)
  writeFileSync(join(work, 'README.md'), `${line}\n`)
  const folders = { CONFIG: '.config', DATA: '.local/share', STATE: '.local/state', CACHE: '.cache' }
  const xdg = Object.entries(folders).map(([name, folder]) => [`XDG_${name}_HOME`, join(home, folder)])
  const env = { PATH: process.env.PATH, HOME: home, ...Object.fromEntries(xdg), ...quiet }
  const run = (command) => {
    const [file, ...args] = command
    const { status, stdout, stderr } = spawnSync(file, args, {
      cwd: work,
      env,
      encoding: 'utf8',
      timeout: 120_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return { status, stdout, output: `${stdout}${stderr}` }
  }
  const setup = (...flags) => run([process.execPath, program, 'setup', client, ...flags])
  const written = setup('--yes', '--url', url, '--model', model)
  const isPrinted = printing.includes(client)
  const command = [...others.reverse(), ...commands[client](path)]
  const answered = run(isPrinted ? ['sh', '-c', `eval "$0"; exec "$@"`, written.stdout, ...command] : command)
  const undone = isPrinted ? { status: 0, output: '' } : setup('--undo', '--yes')
  const ok = written.status === 0 && answered.output.includes(line) && undone.status === 0
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${client}`)
  if (!ok)
    console.log([written, answered, undone].map(({ status, output }) => `[${status}] ${output}`).join('\n'))
  failed += ok ? 0 : 1
  rmSync(home, { recursive: true, force: true })
}
demo.kill()
process.exitCode = failed === 0 ? 0 : 1
