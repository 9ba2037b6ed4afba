// `dragoman sim`: one simulator alone.

import net from 'node:net'
import { describe, expect, it } from 'vitest'
import { readTool } from '../harness.ts'
import { Home, listen, stackTrace } from './program.ts'

const home = new Home()

const script = (kind: string) =>
  [
    { script: 1, kind, scenario: 'one line', source: 'made from documented shapes' },
    { turn: {} },
    { say: 'from the script' },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n')

const post = async (url: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return response.text()
}

const messages = [{ role: 'user', content: 'hello' }]
const asks: Record<string, (url: string) => Promise<string>> = {
  anthropic: (url) =>
    post(
      `${url}/v1/messages`,
      { model: 'claude-demo', max_tokens: 100, messages },
      { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
    ),
  openai: (url) => post(`${url}/v1/chat/completions`, { model: 'gpt-demo', messages }),
  text: (url) => post(`${url}/v1/chat/completions`, { model: 'text-demo', messages }),
}

describe.concurrent.each(['anthropic', 'openai', 'text'])('%s', (kind) => {
  it('prints the documented ready line, plays its script, then answers as the demo model', async () => {
    const file = home.write(`${kind}.jsonl`, script(kind))
    const running = await home.start(['sim', kind, '--port', '0', '--script', file])
    expect(running.stdout()).toMatch(
      new RegExp(`^simulator ${kind} listening on http://127\\.0\\.0\\.1:[1-9]\\d*\\n$`),
    )
    expect(await asks[kind]?.(running.url)).toContain('from the script')
    const afterwards = await asks[kind]?.(running.url)
    expect(afterwards).not.toContain('from the script')
    expect(afterwards).toContain('"model"')
    const { code, signal, stderr } = await running.stop()
    expect([code, signal]).toEqual([0, null])
    // A line for each request shows activity on the terminal.
    expect(stderr).toMatch(/^(POST \/v1\/\S+\n)+$/)
  })

  it('a script of the other kind is refused by name', async () => {
    const other = kind === 'openai' ? 'anthropic' : 'openai'
    const file = home.write(`other-${kind}.jsonl`, script(other))
    const { code, stderr } = await home.run(['sim', kind, '--port', '0', '--script', file])
    expect(stderr).toContain(file)
    expect(stderr).toContain(`"${other}"`)
    expect(stderr).not.toMatch(stackTrace)
    expect(code).toBe(2)
  })
})

it.concurrent('without --port picks a free one', async () => {
  const running = await home.start(['sim', 'openai'])
  expect(running.url).toMatch(/:[1-9]\d*$/)
  await running.stop()
})

it.concurrent('an unknown kind: says which there are', async () => {
  const { code, stdout, stderr } = await home.run(['sim', 'llama'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('"llama"')
  expect(stderr).toContain('anthropic, gemini, openai')
})

it.concurrent('no kind: says that one is needed', async () => {
  const { code, stderr } = await home.run(['sim'])
  expect(code).not.toBe(0)
  expect(stderr).toContain("missing required argument 'kind'")
})

it.concurrent.each([
  ['an unknown step', `${script('openai')}\n{"sya":"x"}`, 'line 4'],
  ['broken JSON', `${script('openai')}\n{"say":`, 'line 4'],
  ['no metadata', '{"turn":{}}', 'line 1'],
  ['an empty file', '', /script|line/],
])('a bad script, %s: file and line are named', async (name, content, expected) => {
  const file = home.write(`${name}.jsonl`, content)
  const { code, stdout, stderr } = await home.run(['sim', 'openai', '--script', file])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(file)
  expect(stderr).toMatch(expected)
  expect(stderr).not.toMatch(stackTrace)
})

it.concurrent('a script that is not there is named', async () => {
  const { code, stderr } = await home.run(['sim', 'openai', '--script', 'gone.jsonl'])
  expect(code).toBe(2)
  expect(stderr).toContain('gone.jsonl')
})

it.concurrent('a busy port is named with its remedy', async () => {
  const port = await listen(net.createServer())
  const { code, stderr } = await home.run(['sim', 'openai', '--port', String(port)])
  expect(code).toBe(1)
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`)
  expect(stderr).toContain('--port 0')
})

describe.concurrent('manners of an OpenAI-compatible server', () => {
  const home = new Home()

  it('--quirk and --lenient make it differ from OpenAI', async () => {
    const running = await home.start([
      'sim',
      'openai',
      '--port',
      '0',
      '--lenient',
      '--quirk',
      'stop-with-calls',
      'no-id',
    ])
    const body = {
      model: 'm',
      unknown: 1,
      messages: [{ role: 'user', content: 'Read a.txt' }],
      tools: [readTool],
    }
    const answer = await fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { choices } = (await answer.json()) as {
      choices: { finish_reason: string; message: { tool_calls: object[] } }[]
    }
    expect(choices[0]?.finish_reason).toBe('stop')
    expect(choices[0]?.message.tool_calls.every((call) => !('id' in call))).toBe(true)
    await running.stop()
  })

  it.each([
    [['openai', '--quirk', 'rude'], /no quirk "rude".*no-index/],
    [['openai', '--server', 'grog'], /no server "grog".*groq/],
    [['anthropic', '--lenient'], /for the openai simulator/],
  ])('%j is refused', async (args, expected) => {
    const { code, stderr } = await home.run(['sim', ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
  })
})

describe.concurrent('a model without tools', () => {
  const home = new Home()
  const tools = [
    '# Tools',
    'There is one.',
    '<tools>',
    JSON.stringify(readTool),
    '</tools>',
    'Call it so:',
    '<tool_call>',
    '{"name": "TOOL", "arguments": {"PARAMETER": "VALUE"}}',
    '</tool_call>',
  ].join('\n')

  it('--manner says how it writes its calls', async () => {
    const running = await home.start(['sim', 'text', '--port', '0', '--manner', 'bare-json'])
    const body = {
      model: 'm',
      messages: [
        { role: 'system', content: tools },
        { role: 'user', content: 'Read a.txt' },
      ],
    }
    const { choices } = JSON.parse(await post(`${running.url}/v1/chat/completions`, body))
    expect(JSON.parse(choices[0].message.content)).toMatchObject({ name: readTool.function.name })
    expect(await post(`${running.url}/v1/chat/completions`, { ...body, tools: [readTool] })).toContain(
      "Unsupported parameter: 'tools'",
    )
    await running.stop()
  })

  it.each([
    [['text', '--manner', 'rude'], /no manner "rude".*hermes/],
    [['openai', '--manner', 'hermes'], /--manner is for the text and qwen-web simulators, not for "openai"/],
    [['text', '--error', 'captcha'], /--error is for the qwen-web simulator/],
    [['qwen-web', '--error', 'captcha', 'bad-luck'], /no error "bad-luck".*captcha/],
  ])('%j is refused', async (args, expected) => {
    const { code, stderr } = await home.run(['sim', ...args])
    expect(code).toBe(2)
    expect(stderr).toMatch(expected)
  })

  it('a manner that there is not, in a script: the file is named', async () => {
    const call = '{"call":{"name":"x","arguments":{}},"as":"rude"}'
    const file = home.write('rude.jsonl', `${script('text')}\n${call}`)
    const { code, stderr } = await home.run(['sim', 'text', '--script', file])
    expect(code).toBe(2)
    expect(stderr).toContain(`${file}: there is no manner "rude"`)
    expect(stderr).not.toMatch(stackTrace)
  })
})

it.concurrent('qwen-web: --error is in effect for every request', async () => {
  const running = await home.start(['sim', 'qwen-web', '--port', '0', '--error', 'rate-limited', 'captcha'])
  for (const _ of [1, 2]) {
    const answer = await post(`${running.url}/api/v2/chat/completions`, {}, { version: '0.2.81' })
    expect(JSON.parse(answer)).toMatchObject({ success: false, data: { code: 'RateLimited', num: 7 } })
  }
  await running.stop()
})
