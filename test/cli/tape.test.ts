// `dragoman tape` on recorded tapes and on files that are not tapes.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { Home, root, stackTrace } from './program.ts'

const home = new Home()
const fixture = (name: string) => join(root, 'test', 'tapes', `${name}.jsonl`)
const anthropic = fixture('anthropic-tool-call')
const cursor = fixture('cursor-two-turns')

/** The fixture with this done to its text. */
function changed(name: string, change: (text: string) => string): string {
  const path = home.path(`${name}-${Math.random().toString(36).slice(2)}.jsonl`)
  writeFileSync(path, change(readFileSync(fixture(name), 'utf8')))
  return path
}

const secret = 'sk-ant-api03-typed-in-by-hand'
const withSecret = () =>
  changed('anthropic-tool-call', (text) => text.replace('Read README.md', `My key is ${secret}`))

describe('a gateway that records', () => {
  const turns: string[] = []

  beforeAll(async () => {
    const sim = await home.start(['sim', 'openai', '--port', '0'])
    const config = {
      auth: 'none',
      backends: { box: { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: 'sk-recorded-0123456789abcdef' } },
    }
    const gateway = await home.serve(config, ['--record'])
    for (const stream of [true, true]) {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'box/m', stream, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await response.text()
      turns.push(response.headers.get('x-dragoman-turn') ?? '')
    }
    await gateway.stop()
    await sim.stop()
  })

  it('has tapes that are listed, damaged ones as such', async () => {
    const folder = home.path('state', 'dragoman', 'tapes')
    writeFileSync(join(folder, 'zz.jsonl'), '{"tape":1')
    const { code, stdout } = await home.run(['tape', 'ls'])
    expect(code).toBe(0)
    const [, ...rows] = stdout.trimEnd().split('\n')
    expect(rows.map((row) => row.split(/\s{2,}/).slice(1, 6))).toEqual([
      ...turns.map((turn) => [turn, 'openai-chat', 'box/m', 'stop', '0']),
      expect.arrayContaining([join(folder, 'zz.jsonl')]),
    ])
    const { stdout: json } = await home.run(['tape', 'ls', folder, '--json'])
    const { tapes } = JSON.parse(json)
    expect(tapes.map((file: { tapes: { turn: string }[] }) => file.tapes.map(({ turn }) => turn))).toEqual([
      ...turns.map((turn) => [turn]),
      [],
    ])
    expect(tapes.at(-1).damaged).toContain('is not a tape: its first line (1) is not JSON')
  })

  it('has tapes that are found by their turn, shown, replayed and compared', async () => {
    const [one, other] = turns as [string, string]
    const shown = await home.run(['tape', 'show', one])
    expect(shown.stdout).toContain('model box/m; 1 message, no tools')
    expect(shown.output).not.toContain('sk-recorded')
    const replayed = await home.run(['tape', 'replay', one])
    expect(replayed).toMatchObject({ code: 0, stderr: '' })
    expect(replayed.stdout).toMatch(
      new RegExp(`^${one}: the client side is equal to the byte \\(\\d+ bytes, \\d+ writes?\\)\n$`),
    )
    const same = await home.run(['tape', 'diff', one, other])
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('the same but for ids and times') })
  })
})

describe('tape replay', () => {
  it('plays the turns of a run one after the other', async () => {
    const { code, stdout } = await home.run(['tape', 'replay', cursor, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ turns: [{ writes: 1 }, { writes: 2 }], remarks: [] })
  })

  it('finds the turns before in the same folder, and says if one is missing', async () => {
    const lines = readFileSync(cursor, 'utf8').trimEnd().split('\n')
    const second = lines.findIndex((line, at) => at > 0 && line.startsWith('{"tape"'))
    const folder = home.path('apart')
    mkdirSync(folder)
    const [a, b] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')]
    writeFileSync(b, lines.slice(second).join('\n'))
    expect(await home.run(['tape', 'replay', b])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('whose tape is neither in the file nor in its folder'),
    })
    const exported = await home.run(['tape', 'export', b])
    expect(exported).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('can be shown, but not replayed'),
    })
    writeFileSync(a, lines.slice(0, second).join('\n'))
    expect((await home.run(['tape', 'export', b])).stdout).toBe(readFileSync(cursor, 'utf8'))
    const both = await home.run(['tape', 'replay', b])
    expect(both.stdout.match(/equal to the byte/g)).toHaveLength(2)
  })

  it('shows each difference with its place and both sides', async () => {
    const wrong = changed('anthropic-tool-call', (text) =>
      text.replace(/^.*"do":"write".*$/gm, (line) => line.replace('README.md', 'README.txt')),
    )
    const { code, stdout } = await home.run(['tape', 'replay', wrong])
    expect(code).toBe(1)
    expect(stdout).toContain('the first difference is in the answer')
    expect(stdout).toMatch(/recorded {2}frame \d+, at .*README\.txt/)
    expect(stdout).toMatch(/now {7}frame \d+, at .*README\.md/)
    const compared = await home.run(['tape', 'diff', anthropic, wrong])
    expect(compared).toMatchObject({ code: 1, stdout: expect.stringContaining('README.txt') })
  })

  it.each([
    [
      'a tape that was cut',
      (text: string) => text.replace('"tape":1', '"tape":1,"cut":true'),
      'the turn was too long',
    ],
    ['no backend', (text: string) => text.replace(/^.*"do":"target".*\n/gm, ''), 'no backend was reached'],
    [
      'no request',
      (text: string) => text.replace(/^.*"side":"client","do":"request".*\n/gm, ''),
      "the client's request is missing",
    ],
  ])('refuses %s', async (_what, change, words) => {
    const { code, stderr } = await home.run(['tape', 'replay', changed('anthropic-tool-call', change)])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) })
  })
})

describe('tape show', () => {
  it.each([
    [[], ['asked: ', 'call read_file', 'end: tool-calls']],
    [['--frames'], ['upstream #1 data', '"type":"message_start"']],
    [['--json'], ['"timeline"']],
    [['--frames', '--json'], ['"events"']],
  ])('%j', async (flags, words) => {
    const { code, stdout } = await home.run(['tape', 'show', anthropic, ...flags])
    expect(code).toBe(0)
    for (const word of words) expect(stdout).toContain(word)
    if (flags.includes('--json')) expect(() => JSON.parse(stdout)).not.toThrow()
  })

  it('--blobs', async () => {
    const { stdout } = await home.run(['tape', 'show', cursor, '--blobs'])
    expect(stdout).toMatch(/^BLOB +SIZE +KIND +ROLE +WHO AND WHEN +CONTENT$/m)
    expect(stdout).toMatch(/protobuf +assistant +server set it at .* README\.md begins/)
    expect((await home.run(['tape', 'show', anthropic, '--blobs'])).stdout).toContain('no blobs')
  })

  it.each([[[]], [['--frames']], [['--json']], [['--frames', '--json']]])(
    '%j: masks a secret',
    async (flags) => {
      const { code, output, stderr } = await home.run(['tape', 'show', withSecret(), ...flags])
      expect(code).toBe(0)
      expect(output).not.toContain(secret)
      expect(stderr).toContain('masked')
    },
  )
})

describe('tape export', () => {
  it('refuses a secret by its line and its place, without it, and writes nothing', async () => {
    const output = home.path('out', 'never.jsonl')
    mkdirSync(home.path('out'), { recursive: true })
    const { code, stdout, stderr } = await home.run(['tape', 'export', withSecret(), '-o', output])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/line 3, client request, messages\[0\]\.content: looks like an Anthropic key/)
    expect(stderr).toContain('--scrub')
    expect(stderr).not.toContain(secret)
    expect(readdirSync(home.path('out'))).toEqual([])
  })

  it('--scrub: without it, and it still replays', async () => {
    const output = home.path('scrubbed.jsonl')
    const { code, stderr } = await home.run(['tape', 'export', withSecret(), '--scrub', '-o', output])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/1 turn, .*, \d secrets? replaced\n$/),
    })
    expect(readFileSync(output, 'utf8')).not.toContain(secret)
    expect(statSync(output).mode & 0o777).toBe(0o600)
    expect((await home.run(['tape', 'replay', output])).code).toBe(0)
  })

  it('to standard output, unchanged', async () => {
    const { code, stdout } = await home.run(['tape', 'export', cursor])
    expect({ code, same: stdout === readFileSync(cursor, 'utf8') }).toEqual({ code: 0, same: true })
  })

  it('into a missing folder: an error, and no file', async () => {
    const output = home.path('none', 'x.jsonl')
    const { code, stderr } = await home.run(['tape', 'export', anthropic, '-o', output])
    expect({ code, stderr }).toEqual({ code: 2, stderr: `dragoman: ${output}: cannot be written (ENOENT)\n` })
    expect(existsSync(home.path('none'))).toBe(false)
  })
})

describe('control characters of terminals', () => {
  const act = '\\u001b]0;owned\\u0007\\u001b[2J'
  const everywhere = (text: string) => text.replaceAll('"turn":"turn_', `"turn":"${act}turn_`)

  it.each([
    ['in all ids', everywhere],
    [
      'in the id of a turn before',
      (text: string) => text.replace('"tape":1', `"tape":1,"continues":"${act}"`),
    ],
    ['in a kind', (text: string) => text.replaceAll('"kind":"anthropic"', `"kind":"${act}"`)],
    ['beside a secret', (text: string) => everywhere(text).replace('Read README.md', `My key is ${secret}`)],
  ])('is not told as it is: %s', async (_where, change) => {
    const tape = changed('anthropic-tool-call', change)
    for (const args of [
      ['show'],
      ['show', '--frames'],
      ['replay'],
      ['export'],
      ['diff', tape],
      ['diff', anthropic],
    ]) {
      const { stdout, stderr } = await home.run(['tape', ...args, tape])
      expect([args, /(?![\n\t])\p{Cc}/u.test(stdout + stderr)]).toEqual([args, false])
      expect(stderr).not.toMatch(stackTrace)
    }
  })
})

describe('files that are not tapes', () => {
  const bad = (name: string, content: string | Buffer) => {
    const path = home.path(name)
    writeFileSync(path, content)
    return path
  }
  const cases: [string, () => string, string][] = [
    ['nothing', () => bad('empty.jsonl', ''), 'is not a tape: it is empty'],
    ['bytes', () => bad('bytes.jsonl', Buffer.from([0, 1, 2])), 'is not a tape: it is binary'],
    [
      'a usage log',
      () => bad('usage.jsonl', '{"time":"t","turn":"a","key":"k","outcome":"stop"}\n'),
      "a gateway's usage log",
    ],
    ['a cut tape', () => changed('openai-whole', (text) => text.slice(0, -30)), 'is cut off'],
    [
      'a newer one',
      () => changed('openai-whole', (text) => text.replace('"tape":1', '"tape":2')),
      'the format is newer (2)',
    ],
    ['a folder', () => home.path(), 'is a folder'],
    ['no file', () => home.path('gone.jsonl'), 'is neither a file nor the id of a turn with a tape in'],
  ]

  it.each(spread(cases, 4))('%s: each command says so, with 2', async (_what, make, words) => {
    const path = make()
    for (const args of [['show'], ['replay'], ['export'], ['diff', anthropic]]) {
      const { code, stdout, stderr } = await home.run(['tape', ...args, path])
      expect({ args, code, stdout, stderr }).toEqual({
        args,
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(words),
      })
      expect(stderr).not.toMatch(stackTrace)
    }
  })

  it('a folder without tapes, and a path that is not a folder', async () => {
    mkdirSync(home.path('no-tapes'))
    expect((await home.run(['tape', 'ls', home.path('no-tapes')])).stdout).toContain('no tapes in')
    copyFileSync(anthropic, home.path('a.jsonl'))
    expect(await home.run(['tape', 'ls', home.path('a.jsonl')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a folder'),
    })
    expect(await home.run(['tape', 'ls', home.path('nowhere')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no such folder'),
    })
    expect((await home.run(['tape', 'replay', anthropic, '--speed', 'fast'])).stderr).toContain(
      'a number above 0',
    )
  })
})
