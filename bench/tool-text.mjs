// `npm run bench:tool-text`: the speed of parsing tool calls from text, and how the time grows with the text, compared with
// @ai-sdk-tool/parser in the same run. docs/performance-tool-text.md explains the figures. Every result is checked: a wrong
// result of ours ends the bench, a wrong result of the other parser is shown in its cell.
// The other parser is not a dependency of this project: it is installed into a temporary folder, used unchanged, and removed.
//
//   --quick            up to 1 MB, growth from 256 KB on, the other parser for 10 s at most
//   --patience S       CPU seconds that the other parser may take for one text (60)
//   --alone            without the other parser
//   --json FILE        the figures, unrounded
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, install, run } from '../scripts/prepare.mjs'
import { measureAll } from './tool-text/cases.mjs'
import { machine, toMarkdown, verdicts } from './tool-text/report.mjs'

const peerVersion = '4.1.26'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    patience: { type: 'string' },
    alone: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const patience = Number(flags.patience ?? (flags.quick ? 10 : 60))
if (!(patience > 0)) {
  process.stderr.write(`--patience takes a number above 0, not "${flags.patience}"\n`)
  process.exit(2)
}

install()
build()
const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-tool-text-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const figures = {
  machine: machine(),
  patience,
  peer: flags.alone ? undefined : installPeer(),
  ...(await measureAll({ quick: flags.quick, patience, peerFolder: flags.alone ? undefined : folder })),
}
process.stdout.write(`${toMarkdown(figures)}\n${verdicts(figures).join('\n')}\n`)
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(figures, null, 2)}\n`)

function installPeer() {
  const name = `@ai-sdk-tool/parser@${peerVersion}`
  process.stderr.write(`installing ${name} into ${folder}\n`)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', name]
  if (run('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }) === 0) return name
  process.stderr.write('it could not be installed; --alone measures without it\n')
  process.exit(1)
}
