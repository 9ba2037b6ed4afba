// The first hour by a stranger's hand: each message says what to do.

import { readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mistakes } from './mistakes.ts'
import { Home, listen, root, stackTrace } from './program.ts'

const home = new Home()
const document = readFileSync(join(root, 'docs', 'troubleshooting.md'), 'utf8')

/** Line ends and indents are those of the terminal. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

describe.concurrent('a typical mistake', () => {
  it.each(mistakes.map((mistake, at) => ({ ...mistake, at })))(
    '$typed',
    async ({ args, config, said, works, at }) => {
      const file = config === undefined ? '' : home.write(`mistake-${at}.jsonc`, config)
      const given = args.map((word) => (word === 'FILE' ? file : word))
      const { code, output } = await home.run(given)
      expect(flat(output)).toMatch(new RegExp(said.split('…').map(escaped).join('.*')))
      expect(output).not.toMatch(stackTrace)
      expect(code === 0).toBe(works ?? false)
    },
  )

  it('a port that is taken: says by whom', async () => {
    const file = home.write('taken.jsonc', {
      backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
    })
    const first = await home.serve({
      backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
    })
    const { port } = new URL(first.url)
    const second = await home.run(['serve', '--config', file, '--port', port])
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(
      new RegExp(
        `Port ${port} on 127\\.0\\.0\\.1 is in use by the gateway of \\S+\\.jsonc \\(process \\d+\\)`,
      ),
    )
    // Of another user, or started elsewhere: recognised by its answer.
    const stranger = await new Home().run(['serve', '--config', file, '--port', port])
    expect(stranger.stderr).toContain(`Port ${port} on 127.0.0.1 is in use by another dragoman`)
    await first.stop()
  })

  it.runIf(process.platform === 'linux')('a port of another program: says its process', async () => {
    const port = await listen(http.createServer((_request, response) => response.writeHead(404).end()))
    const file = home.write('other.jsonc', {
      backends: { box: { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' } },
    })
    const { stderr } = await home.run(['serve', '--config', file, '--port', String(port)])
    expect(stderr).toMatch(new RegExp(`in use by process ${process.pid}: \\S`))
  })
})

describe('docs/troubleshooting.md', () => {
  it.each(mistakes)('lists $typed', ({ typed, said }) => {
    const ticks = said.includes('`') ? '``' : '`'
    expect(document).toContain(`| \`${typed}\` | ${ticks}${said}${ticks} |`)
  })
})
