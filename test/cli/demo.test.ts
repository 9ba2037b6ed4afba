// `dragoman demo`: the first thing a newcomer runs.

import { existsSync } from 'node:fs'
import net from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { isNightly } from '../depth.ts'
import { answered, called, chat, chatStream, user } from '../harness.ts'
import { deadPort, get, Home, listen, type Running, stackTrace } from './program.ts'

const home = new Home()
let running: Running

beforeAll(async () => {
  // A dead proxy in the environment must not matter: nothing leaves the machine.
  const proxy = `http://127.0.0.1:${await deadPort()}`
  running = await home.start(['demo', '--port', '0'], { env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } })
})

const readFileTool = {
  type: 'function',
  function: {
    name: 'read_file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}
const readme = (model: string) => ({ model, messages: [user('Read README.md')], tools: [readFileTool] })

it('prints the ready line first, then what to try', async () => {
  expect(running.stdout().split('\n', 1)[0]).toMatch(/^dragoman listening on http:\/\/127\.0\.0\.1:[1-9]\d*$/)
  await expect.poll(() => running.stdout()).toContain(`${running.url}/v1`)
  expect(running.stdout().split('\n')[1]).toMatch(/^Inspector: http:\/\/127\.0\.0\.1:\d+\/#login=[\w-]{43}$/)
})

it('takes any key or none, and makes no key file', async () => {
  for (const key of [undefined, '', 'sk-anything'])
    expect((await get(`${running.url}/v1/models`, key)).status).toBe(200)
  expect(existsSync(home.keyFile)).toBe(false)
})

it('lists models of each backend', async () => {
  const { data } = (await (await get(`${running.url}/v1/models`)).json()) as { data: { id: string }[] }
  for (const backend of [
    'demo-anthropic/',
    'demo-cursor/',
    'demo-gemini/',
    'demo-openai/',
    'demo-responses/',
    'demo-text/',
  ])
    expect(data.filter(({ id }) => id.startsWith(backend)).length, backend).toBeGreaterThan(0)
})

describe.each(['demo-anthropic/claude-demo', 'demo-gemini/gemini-demo', 'demo-text/text-demo'])(
  '%s',
  (model) => {
    it('calls the tool, streamed', async () => {
      const stream = await chatStream(running.url, readme(model))
      expect(stream.problems).toEqual([])
      expect(stream.finishReason).toBe('tool_calls')
      expect(stream.calls.map(({ name, arguments: input }) => [name, JSON.parse(input)])).toEqual([
        ['read_file', { path: 'README.md' }],
      ])
    })

    it('calls the tool, whole, and continues with its result', async () => {
      const first = await chat(running.url, readme(model))
      expect(first.status).toBe(200)
      const [choice] = first.json.choices
      expect(choice.finish_reason).toBe('tool_calls')
      const [call] = choice.message.tool_calls
      expect(call.function.name).toBe('read_file')
      expect(JSON.parse(call.function.arguments)).toEqual({ path: 'README.md' })

      const messages = [
        user('Read README.md'),
        {
          role: 'assistant',
          content: null,
          tool_calls: [called(call.id, 'read_file', call.function.arguments)],
        },
        answered(call.id, '# The title\n\nSome text.'),
      ]
      const second = await chat(running.url, { model, messages, tools: [readFileTool] })
      expect(second.status).toBe(200)
      expect(second.json.choices[0].finish_reason).toBe('stop')
      expect(second.json.choices[0].message.content).not.toBe('')
    })
  },
)

it('the printed example works unchanged', async () => {
  await expect.poll(() => running.stdout()).toContain('Ctrl-C')
  const body = /-d '(\{[^']*\})'/.exec(running.stdout())?.[1]
  const stream = await chatStream(running.url, JSON.parse(body ?? 'null'))
  expect(stream.calls.map(({ name }) => name)).toEqual(['read_file'])
})

it("calls an agent's tools by their own names", async () => {
  const tool = {
    type: 'function',
    function: {
      name: 'Read',
      description: 'Reads a file',
      parameters: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
    },
  }
  for (const model of ['demo-anthropic/claude-demo', 'demo-openai/gpt-demo']) {
    const { calls } = await chatStream(running.url, { ...readme(model), tools: [tool] })
    expect(calls.map(({ name, arguments: input }) => [name, JSON.parse(input)])).toEqual([
      ['Read', { file_path: expect.stringContaining('README.md') }],
    ])
  }
})

it('says a line for each turn, refused ones too, and what to do', async () => {
  const send = (body: string, host?: string) =>
    fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(host ? { origin: host } : {}) },
      body,
    })
  await chat(running.url, readme('demo-anthropic/claude-demo'))
  await send('{"model": ')
  await send(JSON.stringify(readme('demo-anthropik/claude-demo')))
  for (let nth = 0; nth < 3; nth++) await send('{}', 'http://evil.example')
  await expect.poll(() => running.stderr()).toContain('turned away: forbidden')
  const lines = running.stderr().split('\n')
  for (const line of [
    /^\d\d:\d\d:\d\d {2}openai-chat {2}demo-anthropic\/claude-demo {2}tool-calls, 1 call, \d+→\d+ tokens, \d+ ms$/,
    /^\d\d:\d\d:\d\d {2}openai-chat {2}unknown {2}refused: invalid-request: The body is not valid JSON.* → Correct the request/,
    /refused: not-found: The model "demo-anthropik\/claude-demo" does not exist here\. .* → Check the model’s name/,
  ])
    expect(
      lines.some((one) => line.test(one)),
      String(line),
    ).toBe(true)
  expect(lines.filter((line) => line.includes('turned away')).length).toBeLessThanOrEqual(2)
  expect(running.stderr()).not.toMatch(/^\{/m)
})

it.runIf(isNightly)('a busy port is named with its remedy', async () => {
  const port = await listen(net.createServer())
  const byFlag = await home.run(['demo', '--port', String(port)])
  const byVariable = await home.run(['demo'], { env: { PORT: String(port) } })
  for (const { code, stdout, stderr } of [byFlag, byVariable]) {
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain(`Port ${port}`)
    expect(stderr).toContain('--port 0')
    expect(stderr).not.toMatch(stackTrace)
  }
})

it('needs no configuration, not even a good one', async () => {
  home.write('work/dragoman.jsonc', '{ broken')
  const second = await home.start(['demo', '--port', '0'])
  expect((await get(`${second.url}/healthz`)).status).toBe(200)
  await second.stop()
})

it('stops on SIGINT, with 0', async () => {
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^(?:\d\d:\d\d:\d\d {2}.*\n)*$/),
  })
})
