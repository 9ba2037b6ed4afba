// `dragoman init`, with servers on ports of the test's own, a home of its own, and someone who answers.

import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { type InitFlags, init } from '../../src/cli/init.ts'
import { NoAnswer, type Terminal } from '../../src/cli/setup-terminal.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { CommandError } from '../../src/process/command-error.ts'
import { deadPort, Home, listen, stackTrace } from './program.ts'

const ctrlC = '\x03'

interface Settings {
  env?: Record<string, string>
  /** What the user types, question by question; without it there is no terminal. */
  answers?: string[]
  servers?: { name: string; title: string; port: number; keyVariable?: string }[]
}

async function run(home: Home, flags: InitFlags, { env = {}, answers, servers = [] }: Settings = {}) {
  const said = { stdout: '', stderr: '', examined: [] as string[] }
  const terminal: Terminal = {
    interactive: answers !== undefined,
    ask: async (question) => {
      said.stderr += `${question}\n`
      const answer = answers?.shift() ?? ''
      if (answer === ctrlC) throw new NoAnswer()
      return answer
    },
    askSecret: (question) => terminal.ask(question),
    out: (text) => {
      said.stdout += text
    },
    err: (text) => {
      said.stderr += text
    },
  }
  const environment = readEnvironment({ PATH: home.path('bin'), ...home.env, ...env })
  const examine = async ({ config }: { config: string }) => void said.examined.push(config)
  let code = 0
  try {
    await init(flags, { environment, terminal, servers, examine })
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof ConfigError)) throw error
    code = error instanceof CommandError ? error.exitCode : 2
    said.stderr += error.message
  }
  return { code, ...said }
}

/** A model server, or something else that listens there. */
async function answering(answers: Record<string, [status: number, body: unknown]>): Promise<number> {
  const server = createServer((request, response) => {
    const [status, body] = answers[request.url ?? ''] ?? [404, {}]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  return listen(server)
}

const models = { data: [{ id: 'qwen3-coder' }, { id: 'gpt-oss' }] }
const userFile = 'config/dragoman/config.jsonc'
const written = (home: Home, file = userFile) => parse(readFileSync(home.path(file), 'utf8'))

describe('what is found', () => {
  it('keys, logins and servers become backends; keys stay in their variables', async () => {
    const home = new Home()
    const port = await answering({ '/v1/models': [200, models] })
    const closed = await answering({ '/v1/models': [401, {}] })
    const env = { ANTHROPIC_API_KEY: 'sk-ant-secret-of-mine', CURSOR_API_KEY: 'crsr_secret-of-mine' }
    const servers = [
      { name: 'ollama', title: 'Ollama', port },
      { name: 'vllm', title: 'vLLM', port: await deadPort() },
      { name: 'litellm', title: 'LiteLLM', port: closed, keyVariable: 'ANTHROPIC_API_KEY' },
    ]
    const { code, stdout, stderr, examined } = await run(home, { yes: true }, { env, servers })
    expect({ code, examined }).toEqual({ code: 0, examined: [home.path(userFile)] })
    expect(written(home)).toEqual({
      backends: {
        cursor: { kind: 'cursor' },
        claude: { kind: 'anthropic', apiKey: '{env:ANTHROPIC_API_KEY}' },
        ollama: { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` },
        litellm: {
          ...{ kind: 'openai', baseUrl: `http://127.0.0.1:${closed}/v1` },
          apiKey: '{env:ANTHROPIC_API_KEY}',
        },
      },
    })
    expect(statSync(home.path(userFile)).mode & 0o777).toBe(0o600)
    expect(stdout + stderr + readFileSync(home.path(userFile), 'utf8')).not.toContain('secret')
  })

  it.each([
    ['a page', { '/v1/models': [200, 'welcome'] }],
    ['another program', { '/v1/models': [500, {}] }],
    ['a gateway', { '/v1/models': [200, models], '/api/hello': [200, { message: 'hello' }] }],
  ] as const)(
    '%s on a usual port is no backend, and nothing found says what to do',
    async (_what, answers) => {
      const home = new Home()
      const port = await answering(answers as never)
      const servers = [{ name: 'vllm', title: 'vLLM', port }]
      const { code, stderr, examined } = await run(home, { yes: true }, { servers })
      expect({ code, examined }).toEqual({ code: 1, examined: [] })
      for (const word of ['dragoman demo', 'ANTHROPIC_API_KEY', 'dragoman login cursor', '--backend'])
        expect(stderr).toContain(word)
      expect(existsSync(home.path('config'))).toBe(false)
    },
  )
})

describe('an existing file', () => {
  const env = { GROQ_API_KEY: 'x', OPENAI_API_KEY: 'x' }
  const mine =
    '{\n  // mine\n  "backends": { "fast": { "kind": "openai", "baseUrl": "https://api.groq.com/openai/v1" } }\n}\n'

  it('is extended by what it lacks, and restored by --undo', async () => {
    const home = new Home()
    home.write(userFile, mine)
    const { code, stderr } = await run(home, { yes: true }, { env })
    expect(code).toBe(0)
    expect(stderr).toContain('has 1 of them already')
    const text = readFileSync(home.path(userFile), 'utf8')
    expect(text).toContain('// mine')
    expect(Object.keys(parse(text).backends)).toEqual(['fast', 'openai'])
    expect((await run(home, { yes: true }, { env })).stderr).toContain('nothing to add')
    expect((await run(home, { undo: true })).code).toBe(0)
    expect(readFileSync(home.path(userFile), 'utf8')).toBe(mine)
    expect(await run(home, { undo: true })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing to undo'),
    })
  })

  it('--undo takes back only the file that it names', async () => {
    const home = new Home()
    const [one, other] = ['one.jsonc', 'other.jsonc'].map((name) => home.path(name)) as [string, string]
    const flags = { yes: true, backend: ['ollama'] }
    for (const config of [one, other]) await run(home, { ...flags, config })
    const { stderr } = await run(home, flags)
    expect(stderr).toContain('`dragoman init --undo` takes it back')
    const undone = await run(home, { undo: true, config: other })
    expect(undone.code).toBe(0)
    expect([one, other, home.path(userFile)].map(existsSync)).toEqual([true, false, true])
    expect(await run(home, { undo: true, config: other })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`nothing to ${other}. Undo ${one} with --config ${one}.`),
    })
    expect((await run(home, { undo: true })).code).toBe(0)
    expect([one, home.path(userFile)].map(existsSync)).toEqual([true, false])
  })

  it.each(['{ "backends": ', '{ "backends": 1 }', '{ "bakends": {} }'])(
    'that is wrong is left alone: %s',
    async (broken) => {
      const home = new Home()
      home.write(userFile, broken)
      const { code, stderr } = await run(home, { yes: true }, { env })
      expect(code).toBeGreaterThan(0)
      expect(stderr).toContain('config.jsonc')
      expect(readFileSync(home.path(userFile), 'utf8')).toBe(broken)
    },
  )
})

it('a home that cannot be written is named, with what to do', async () => {
  const home = new Home()
  const config = home.path('own.jsonc')
  const env = { XDG_DATA_HOME: home.write('a-file', '') }
  const { code, stderr } = await run(home, { yes: true, backend: ['ollama'], config }, { env })
  expect({ code, isWritten: existsSync(config) }).toEqual({ code: 1, isWritten: false })
  expect(stderr).toMatch(/needs cannot be kept in \S+\/a-file\/dragoman\/setup \(\w+\)\..*set XDG_DATA_HOME/)
})

describe('at a terminal', () => {
  const env = { GROQ_API_KEY: 'x', OPENAI_API_KEY: 'x' }

  it('the user chooses, adds a service with a typed key, agrees, and sets up a client', async () => {
    const home = new Home()
    const port = await answering({ '/v1/models': [200, models] })
    const servers = ['ollama', 'vllm'].map((name) => ({ name, title: name, port }))
    chmodSync(home.write('bin/codex', '#!/bin/sh\n'), 0o755)
    const answers = [
      '2',
      'mistrall',
      `http://127.0.0.1:${port}/v1`,
      'typed-secret-key',
      '',
      'y',
      '1',
      '1',
      'y',
    ]
    const { code, stdout, stderr } = await run(home, {}, { servers, answers })
    expect({ code, answers }).toEqual({ code: 0, answers: [] })
    expect(stderr).toContain(`  2  vllm (127.0.0.1:${port}, 2 models)`)
    expect(stderr).toContain('did you mean mistral?')
    expect(written(home).backends).toEqual({
      vllm: { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` },
      box: { kind: 'openai', baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'typed-secret-key' },
    })
    expect(stdout).not.toContain('typed-secret-key')
    expect(readFileSync(home.path('.codex/config.toml'), 'utf8')).toContain('[model_providers.dragoman]')
  }, 30_000)

  it('a key loses the quotes around it, and Ctrl-C at its question ends the command', async () => {
    const home = new Home()
    const answers = ['localhost:11434', 'mistral', '"typed-secret-key"', '', 'y', 'none']
    const { code, stderr } = await run(home, { setup: false }, { answers })
    expect({ code, first: stderr.indexOf('Which service?') }).toMatchObject({ code: 0 })
    expect(stderr).toContain('No key, login or server was found on this machine.\nWhich service?')
    expect(stderr).toContain('begins with http:// or https://: http://localhost:11434')
    expect(stderr).toContain('Quotes or "Bearer" around the key were left out.')
    expect(written(home).backends.mistral.apiKey).toBe('typed-secret-key')
    const ended = await run(new Home(), {}, { answers: ['mistral', ctrlC] })
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing was written\.$/) })
  })

  it('nothing is written without consent', async () => {
    const home = new Home()
    const { code, stderr } = await run(home, {}, { env, answers: ['', '', 'n'] })
    expect(code).toBe(1)
    expect(stderr).toContain('Nothing was written.')
    expect(existsSync(home.path('config'))).toBe(false)
    const silent = await run(home, {}, { env })
    expect(silent).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  })
})

describe('for scripts', () => {
  it('--backend takes what is named and asks nobody; a variable that is not set is named', async () => {
    const home = new Home()
    const backend = ['anthropic', 'openai=https://llm.example.com/v1', 'ollama', 'cursor']
    const config = home.path('other.jsonc')
    const flags = { yes: true, backend, config }
    const { code, stderr, examined } = await run(home, flags, { env: { GROQ_API_KEY: 'x' } })
    expect({ code, examined }).toEqual({ code: 0, examined: [] })
    expect(Object.keys(written(home, 'other.jsonc').backends)).toEqual([
      'claude',
      'example',
      'ollama',
      'cursor',
    ])
    expect(stderr).toContain('Set ANTHROPIC_API_KEY')
    expect(stderr).toContain(`dragoman init --undo --config ${config}`)
    expect(stderr).toContain(`dragoman serve --config ${config}`)
  })

  it('--print writes nothing, and prints a whole file', async () => {
    const home = new Home()
    const { code, stdout, examined } = await run(home, { print: true, backend: ['ollama'] })
    expect({ code, examined }).toEqual({ code: 0, examined: [] })
    expect(JSON.parse(stdout).backends.ollama.kind).toBe('openai')
    expect(existsSync(home.path('config'))).toBe(false)
  })

  it.each([
    ['olama', 'did you mean ollama?'],
    ['nothing-of-the-kind', 'These are: cursor, anthropic, openai'],
    ['groq=https://x.example', 'openai=https://x.example'],
    ['openai=x', 'begins with http://'],
  ])('--backend %s is explained', async (word, says) => {
    const ended = await run(new Home(), { yes: true, backend: [word] })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(says)
  })

  it('the program writes, checks, and says how to start a client', async () => {
    const home = new Home()
    const port = await answering({ '/v1/models': [200, models] })
    const args = ['init', '--yes', '--backend', `openai=http://127.0.0.1:${port}/v1`]
    chmodSync(home.write('bin/claude', '#!/bin/sh\n'), 0o755)
    const env = { PATH: home.path('bin'), PORT: String(await deadPort()) }
    const { code, stdout, stderr } = await home.run(args, { env })
    expect(stdout).toContain('backend box: reached, lists 2 models')
    expect(stderr).toContain('dragoman launch claude-code')
    expect(stderr).not.toMatch(stackTrace)
    expect(code).toBe(0)
  })
})
