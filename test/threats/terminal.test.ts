// Commands print foreign names, messages and files without control characters and bidi marks.

import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FrameBody } from '../../src/tapes/frame.ts'
import { madeTape } from '../../src/tapes/read.fixture.ts'
import { linesOf } from '../../src/tapes/tape-file.ts'
import { atEnd, get, Home, root } from '../cli/program.ts'
import { terminalTricks } from './cases/breaks.ts'

const home = new Home()
const tricks = terminalTricks.join('x')
/** In the name of a file: no slash is among them, and no NUL. */
const name = `tape${tricks}end`
const obeyed = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const key = 'gw-terminal-0123456789abcdef'

const tape = (turn: string) => {
  const more: FrameBody[] = [
    { side: 'gateway', do: 'note', text: tricks },
    {
      side: 'client',
      do: 'write',
      text: `data: ${JSON.stringify({ choices: [{ delta: { content: tricks } }] })}\n\n`,
    },
    { side: 'upstream', do: 'error', exchange: 1, message: tricks },
  ]
  const made = madeTape(turn, { title: tricks }, more)
  const [begin] = made.frames
  if (begin?.side === 'gateway' && begin.do === 'begin') begin.model = `m${tricks}`
  return made
}

let config: string
let upstream: string

beforeAll(async () => {
  const server = http.createServer((request, response) => {
    const isListing = request.url?.startsWith('/good/') && request.url.endsWith('/models')
    const listed = { object: 'list', data: [{ id: `small${tricks}`, object: 'model' }] }
    const refused = {
      error: { message: `no ${tricks} way`, code: `c${tricks}`, type: `t${tricks}`, param: tricks },
    }
    response.writeHead(isListing ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isListing ? listed : refused))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => server.close())
  upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  config = home.write(`${name}.jsonc`, {
    listen: { port: 0 },
    auth: { keys: [{ name: 'me', key }] },
    log: { level: 'debug' },
    backends: {
      good: { kind: 'openai', baseUrl: `${upstream}/good/v1`, apiKey: 'x' },
      bad: { kind: 'openai', baseUrl: `${upstream}/bad/v1`, apiKey: 'x' },
    },
    models: { [`alias${tricks}`]: `good/small${tricks}` },
  })
  home.write(`wrong${tricks}.jsonc`, { backends: { [`b${tricks}`]: { kind: `k${tricks}` } } })
  home.write(`tapes/${name}.jsonl`, linesOf([tape('turn_a')]))
  home.write('tapes/damaged\u001b[31m\u202e.jsonl', `{"tape":1}\n${tricks}`)
  home.write('one.jsonl', linesOf([tape('turn_a')]))
  home.write('other.jsonl', linesOf([madeTape('turn_a')]))
  home.write(
    '.qwen/settings.json',
    `{\n  // ${tricks.replaceAll('\r', '').replaceAll(/[\u2028\u2029]/g, '')}\n  "model": { "name": "x" }\n}\n`,
  )
})

const commands: readonly (readonly [what: string, args: () => string[], says: RegExp])[] = [
  ['models', () => ['models', '--config', config], /good\/small/],
  ['models --json', () => ['models', '--config', config, '--json'], /"good\/small/],
  ['doctor', () => ['doctor', '--config', config], /no .* way/],
  ['doctor --json', () => ['doctor', '--config', config, '--json'], /"findings"/],
  ['status', () => ['status', '--config', config], /logins/],
  ['config check', () => ['config', 'check', config], /: ok/],
  ['config check of a wrong file', () => ['config', 'check', home.path(`wrong${tricks}.jsonc`)], /use letters/],
  ['config check of no file', () => ['config', 'check', home.path(`none${tricks}`)], /none/],
  ['serve with a wrong file', () => ['serve', '--config', home.path(`wrong${tricks}.jsonc`)], /use letters/],
  ['setup', () => ['setup', 'qwen-code', '--config', config, '--model', 'good/x', '--url', 'http://127.0.0.1:18741', '--yes'], /\/\/ /],
  ['tape ls', () => ['tape', 'ls', home.path('tapes')], /damaged/],
  ['tape ls --json', () => ['tape', 'ls', home.path('tapes'), '--json'], /"damaged"/],
  ['tape show', () => ['tape', 'show', home.path('tapes', `${name}.jsonl`)], /turn_a/],
  ['tape show --frames', () => ['tape', 'show', home.path('one.jsonl'), '--frames'], /upstream/],
  ['tape show --json', () => ['tape', 'show', home.path('one.jsonl'), '--json'], /"head"/],
  ['tape show of a damaged one', () => ['tape', 'show', home.path('tapes', 'damaged\u001b[31m\u202e.jsonl')], /damaged/],
  ['tape show of none', () => ['tape', 'show', `turn${tricks}`], /turn/],
  ['tape diff', () => ['tape', 'diff', home.path('one.jsonl'), home.path('other.jsonl')], /turn_a/],
  ['tape export', () => ['tape', 'export', home.path('one.jsonl')], /"tape":1/],
  ['tape export -o', () => ['tape', 'export', home.path('one.jsonl'), '-o', home.path(`out${tricks}.jsonl`)], /1 turn/],
  ['tape replay', () => ['tape', 'replay', home.path('one.jsonl')], /turn_a|replay/],
  ['probe', () => ['probe', 'good/small', '--config', config, '--yes'], /probe/i],
  ['conform', () => ['conform', `${upstream}/good/v1`, '--yes'], /model|cases|judge/i],
  ['an unknown option', () => ['serve', `--nothing${tricks}`], /unknown option/],
  ['an unknown command', () => [`nothing${tricks}`], /unknown command/],
] // biome-ignore format: a table

describe('on standard output and standard error', () => {
  it.each(commands)('dragoman %s', async (_what, args, says) => {
    const { output } = await home.run(args())
    expect(output).toMatch(says)
    expect(obeyed.exec(output)?.[0]).toBeUndefined()
  })

  it('dragoman serve: its log, its figures and its models', async () => {
    const running = await home.start(['serve', '--config', config, '--port', '0'])
    const ask = (model: string) =>
      fetch(`${running.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
      }).then((answer) => answer.text())
    await ask(`bad/m${tricks}`)
    await ask(`nowhere${tricks}`)
    const models = await (await get(`${running.url}/v1/models`, key)).json()
    expect(JSON.stringify(models)).toContain(JSON.stringify(`good/small${tricks}`))
    const metrics = await (await get(`${running.url}/metrics`, key)).text()
    expect(metrics).toContain('model="m')
    expect(obeyed.exec(metrics)?.[0]).toBeUndefined()
    const { output } = await running.stop()
    expect(output).toContain('bad/m')
    expect(obeyed.exec(output)?.[0]).toBeUndefined()
  })

  it('everything that is printed goes through one writer', () => {
    const own = [
      'src/process/output.ts',
      'src/observe/stderr-lines.ts',
      'src/cli/probe-progress.ts',
      'src/cli/setup-terminal.ts',
    ]
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(
        (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !path.startsWith('inspector/page/'),
      )
      .map((path) => `src/${path}`)
    // `process.stderr.isTTY` is a question, `process.stderr.on` a listener.
    const direct =
      /process\s*\.\s*std(?:out|err)(?!\s*\.\s*(?:isTTY|columns|on|once)\b)|\bconsole\s*\.|\{[^}]*\bstd(?:out|err)\b[^}]*\} = process\b/
    const found = sources.filter((path) => direct.test(readFileSync(join(root, path), 'utf8')))
    expect(found.filter((path) => !own.includes(path))).toEqual([])
  })
})
