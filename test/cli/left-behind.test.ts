// A gateway that ends at once (a second signal, its last resort) takes the commands that it runs with it.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './program.ts'

const module = join(root, 'build', 'src', 'local-tools', 'shell', 'run-program.js')

it('leaves no command running, even one that left its process group', async () => {
  const program = {
    argv: ['/bin/sh', '-c', 'setsid sleep 60 & echo $!; exec sleep 60'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    contained: false,
    limits: { timeoutMs: 60_000, outputBytes: 1_000, maxProcesses: 10, graceMs: 0 },
  }
  const script = `
    const { runProgram } = await import(${JSON.stringify(module)})
    const onOutput = (text) => process.stdout.write(text, () => process.exit(0))
    await runProgram({ ...${JSON.stringify(program)}, onOutput })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let pid = ''
  for await (const chunk of child.stdout) pid += chunk
  expect(pid.trim()).toMatch(/^\d+$/)
  await expect.poll(() => isAlive(pid.trim())).toBe(false)
})

/** A zombie stays in the list until its parent waits for it. */
function isAlive(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
