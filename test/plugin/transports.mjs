// `node test/plugin/transports.mjs [SECONDS]`: both ways to Cursor's service under the Bun that is in OpenCode, in clear text
// and over TLS, with runs that wait for so many seconds. docs/opencode.md has the numbers.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findOpenCode, startSim } from './workplace.mjs'

const say = (text) => process.stdout.write(`${text}\n`)
const file = (path) => fileURLToPath(new URL(path, import.meta.url))
const parkSeconds = Number(process.argv[2] ?? 70)
const binary = findOpenCode()
if (!binary) {
  say('SKIPPED: there is no OpenCode here. Put it on PATH, or name it in OPENCODE_BIN.')
  process.exit(process.env.CI ? 1 : 0)
}

const folder = mkdtempSync(join(tmpdir(), 'dragoman-transports-'))
const ca = join(folder, 'ca.pem')
const certificates = readFileSync(file('../cli/certificate.ts'), 'utf8')
const pem = (name) => new RegExp(`const ${name} = \`([^\`]*)\``).exec(certificates)?.[1]
writeFileSync(ca, pem('cert'))

let failed = false
for (const tls of [undefined, { cert: pem('cert'), key: pem('key') }])
  for (const transport of ['sse', 'http2']) {
    const { url, control, stop } = await startSim(tls ? { tls } : {})
    const order = {
      package: file('../..'),
      sim: url,
      control,
      transport,
      parkSeconds,
      ...(tls ? { ca } : {}),
    }
    say(`== ${transport}, ${tls ? 'TLS' : 'clear text'}`)
    const { stdout } = spawnSync(binary, ['run', file('transport-probe.mjs'), JSON.stringify(order)], {
      env: { ...process.env, BUN_BE_BUN: '1' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    say(stdout)
    const isGood = !/^FAIL/m.test(stdout) && stdout.includes('; 0 violations')
    if (!isGood) failed = true
    stop()
  }
rmSync(folder, { recursive: true })
process.exit(failed ? 1 : 0)
