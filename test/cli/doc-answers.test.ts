// What the documents send gets the answers that they show.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startCursorSim } from '../../sim/cursor.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import { atEnd } from '../at-end.ts'
import { isNightly } from '../depth.ts'
import { blocks, commandsOf, root, scriptOf, spansOf } from './doc-blocks.ts'
import { Home, type Running } from './program.ts'

const home = new Home()
let demo: Running
beforeAll(async () => {
  demo = await home.start(['demo', '--port', '0'])
})

const blocksOf = (document: string, ...languages: string[]) =>
  blocks.filter((block) => block.document === document && languages.includes(block.language))

const curlsOf = (script: string) => commandsOf(script).filter(([name]) => name === 'curl')

interface Replacements {
  url: string
  key?: string
  words?: Record<string, string>
}

/** Sends what a curl command would, to the gateway that runs here. */
function send(
  [, ...words]: readonly string[],
  { url, key = '', words: others = {} }: Replacements,
): Promise<Response> {
  const here = (word: string) =>
    Object.entries(others).reduce(
      (text, [shown, real]) => text.replaceAll(shown, real),
      word.replace('http://127.0.0.1:18741', url).replace(/\$\(cat [^)]*\/key\)/, key),
    )
  const after = (flag: string) => words.filter((_word, nth) => words[nth - 1] === flag).map(here)
  const [body] = after('-d')
  const headers = after('-H').map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ')
    return [name, value.join(': ')]
  })
  const address = words.find((word) => word.startsWith('http')) ?? ''
  return fetch(here(address), { headers, ...(body === undefined ? {} : { method: 'POST', body }) })
}

/** Without what differs each time. */
const lasting = (text: string) =>
  text
    .replaceAll(/"(chatcmpl-|toolu_|turn_)[^"]*"/g, '"$1…"')
    .replaceAll(/"created":\d+/g, '"created":0')
    .trim()

it('no curl command is left out', () => {
  const documents = blocks
    .filter((block) => curlsOf(scriptOf(block)).length > 0)
    .map(({ document }) => document)
  expect([...new Set(documents)].sort()).toEqual(['docs/cursor.md', 'docs/local-tools.md', 'docs/tour.md'])
})

describe('docs/tour.md', () => {
  const curls = blocksOf('docs/tour.md', 'sh').flatMap(({ text }) => curlsOf(text))
  const answer = async (nth: number) => (await send(curls[nth] ?? [], { url: demo.url })).text()

  it('a tool call: the answer is the one that is shown', async () => {
    const [shown] = blocksOf('docs/tour.md', 'json')
    expect(lasting(await answer(0))).toBe(lasting(shown?.text ?? ''))
  })

  it('tool results, streamed: the chunks are those that are shown', async () => {
    const [shown] = blocksOf('docs/tour.md', 'text')
    const [before = '', between = '', after = ''] = lasting(shown?.text ?? '').split(/^(….*…)$/m)
    const came = lasting(await answer(1))
    expect(came.startsWith(before.trim())).toBe(true)
    expect(came.endsWith(after.trim())).toBe(true)
    const deltas = [...between.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([text]) => text)
    const middle = came.slice(before.trim().length, came.length - after.trim().length)
    expect([...middle.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => text)).toEqual(deltas)
  })

  it('the other two doors: Messages and Responses call the tool', async () => {
    expect(curls).toHaveLength(4)
    const messages = JSON.parse(await answer(2))
    expect(messages.content).toMatchObject([
      { type: 'tool_use', name: 'read_file', input: { path: 'README.md' } },
    ])
    const { output } = JSON.parse(await answer(3))
    expect(output).toMatchObject([
      { type: 'function_call', name: 'read_file', arguments: '{"path":"README.md"}' },
    ])
  })

  it('the list of models has every model that the page names', async () => {
    const [span] = spansOf('curl').filter(({ document }) => document === 'docs/tour.md')
    const [words = []] = curlsOf(span?.span ?? '')
    const { data } = (await (await send(words, { url: demo.url })).json()) as { data: { id: string }[] }
    const page = readFileSync(join(root, 'docs', 'tour.md'), 'utf8')
    const models = [...new Set(page.match(/demo-\w+\/[\w.-]+\w/g))]
    expect(models.length).toBeGreaterThan(3)
    expect(models.filter((model) => !data.some(({ id }) => id === model))).toEqual([])
  })
})

it('docs/cursor.md: a result ahead of the request is accepted', async () => {
  const [block] = blocksOf('docs/cursor.md', 'sh').filter(({ text }) => text.includes('curl'))
  const [asked] = blocksOf('docs/tour.md', 'sh').flatMap(({ text }) => curlsOf(text))
  const first = await send(asked ?? [], {
    url: demo.url,
    words: { 'demo-anthropic/claude-demo': 'demo-cursor/composer-2' },
  })
  const [choice] = ((await first.json()) as { choices: { message: { tool_calls: { id: string }[] } }[] })
    .choices
  const id = choice?.message.tool_calls[0]?.id ?? ''
  const [words = []] = curlsOf(block?.text ?? '')
  const answer = await send(words, { url: demo.url, words: { 'sess_…__call_0': id } })
  const [, shown = ''] = /^# (\{.*\})$/m.exec(block?.text ?? '') ?? []
  expect(await answer.text()).toBe(shown.replace('sess_…__call_0', id))
})

it.runIf(isNightly)(
  'docs/local-tools.md: the request is answered, with the configuration above it',
  async () => {
    const sim = await startCursorSim()
    atEnd(() => sim.close())
    const [settings] = blocksOf('docs/local-tools.md', 'jsonc')
    const config = (settings?.text ?? '')
      .replace('"kind": "cursor"', `"kind": "cursor", "baseUrl": "${sim.url}", "apiKey": "crsr_test"`)
      .replace('~/project', home.path('work'))
    const gateway = await home.serve(config)
    const key = readFileSync(home.keyFile, 'utf8').trim()
    const [words = []] = curlsOf(blocksOf('docs/local-tools.md', 'sh')[0]?.text ?? '')
    const answer = await send(words, { url: gateway.url, key })
    expect(answer.status).toBe(200)
    expect((await answer.text()).trim().endsWith('data: [DONE]')).toBe(true)
    await gateway.stop()
  },
)

describe('docs/errors.md', () => {
  const shown = blocksOf('docs/errors.md', 'json').map(({ text }) =>
    lasting(JSON.stringify(JSON.parse(text))),
  )
  const messages = [{ role: 'user', content: 'x' }]
  let gateway: Running
  beforeAll(async () => {
    const sim = await startOpenAISim({ models: ['gpt-5'] })
    atEnd(() => sim.close())
    const box = { kind: 'openai', baseUrl: `${sim.url}/v1`, apiKey: 'x' }
    gateway = await home.serve({ auth: 'none', ollama: { enabled: true }, backends: { box } })
  })

  it.each([
    ['Chat Completions', '/v1/chat/completions', { model: 'gpt-6', messages }, 0],
    ['Responses', '/v1/responses', { model: 'gpt-6', input: 'x' }, 0],
    ['Messages', '/v1/messages', { model: 'gpt-6', max_tokens: 9, messages }, 1],
    ['Gemini', '/v1beta/models/gpt-6:generateContent', { contents: [{ parts: [{ text: 'x' }] }] }, 2],
    ['Ollama', '/api/chat', { model: 'gpt-6', messages }, 3],
  ])('%s: the error is the one that is shown', async (_door, path, body, nth) => {
    const answer = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(lasting(JSON.stringify(await answer.json()))).toBe(shown[nth])
  })
})

it('docs/library.md: the example runs', () => {
  const [example] = blocksOf('docs/library.md', 'js')
  const code = `${example?.text}\nconsole.log(typeof answer.status)`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...home.env },
    encoding: 'utf8',
    // The log: nothing answers at the address of the example.
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(output).toBe('number\n')
})
