import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { describeWith, findProgram } from '../../../test/debian-program.ts'
import { canary, createPlayground, describeWithSandbox, sandboxFor } from '../../../test/sandbox.ts'
import { runSearch } from './sandboxed-ripgrep.ts'

const ripgrep = { program: 'rg', variable: 'DRAGOMAN_RG' }

describeWith([ripgrep], 'ripgrep', () => {
  describeWithSandbox('in the sandbox', () => {
    const { root, outside } = createPlayground()
    let search: ReturnType<typeof runSearch>

    beforeAll(async () => {
      writeFileSync(join(root, 'one.txt'), 'a needle\n')
      writeFileSync(join(root, 'hidden.txt'), canary)
      symlinkSync(outside, join(root, 'way-out'))
      const sandbox = await sandboxFor(root, { hidden: [join(root, 'hidden.txt')] })
      search = runSearch(sandbox, findProgram(ripgrep) ?? '')
    })

    it('finds matches', async () => {
      const { stdout, code, truncated } = await search(['--json', '--', 'needle', '.'], { cwd: root })
      const found = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type)
      expect(found).toEqual(['begin', 'match', 'end', 'summary'])
      expect({ code, truncated }).toEqual({ code: 0, truncated: false })
    })

    it('reports no match and a bad pattern', async () => {
      expect(await search(['--', 'nothing', '.'], { cwd: root })).toMatchObject({ code: 1, stdout: '' })
      expect(await search(['--', '(', '.'], { cwd: root })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('regex'),
      })
    })

    it('sees neither hidden nor outside files, even through links, and cannot write', async () => {
      const pre = join(root, 'pre.sh')
      writeFileSync(pre, `#!/bin/sh\ntouch ${root}/made\ncat "$1"\n`, { mode: 0o755 })
      const everything = [
        '--no-ignore',
        '--hidden',
        '--follow',
        '-e',
        canary,
        '-e',
        'needle',
        '.',
        outside,
        '/etc/shadow',
      ]
      for (const args of [everything, ['--pre', pre, ...everything]]) {
        const { stdout } = await search(args, { cwd: root })
        expect(stdout).toContain('needle')
        expect(stdout).not.toContain(canary)
      }
      expect(await search(['--files', '.'], { cwd: root })).toMatchObject({
        stdout: expect.not.stringContaining('made'),
      })
    })

    it('ends when canceled', async () => {
      expect(await search(['.', '.'], { cwd: root, signal: AbortSignal.abort() })).toMatchObject({
        truncated: true,
      })
    })
  })
})
