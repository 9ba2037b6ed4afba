// A command loads only the modules it needs: it starts fast and stays small.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isNightly, spread } from '../depth.ts'
import { Home, root } from './program.ts'

const home = new Home()
const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }

/** The modules in a file of the bundle, by its source map, as paths in the repository; of other files the file itself. */
function modulesIn(file: string): string[] {
  const map = join(root, `${file}.map`)
  if (!file.startsWith('dist/') || !existsSync(map)) return [file]
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }
  return sources.map((source) => posix.join(posix.dirname(file), source))
}

/** Node's coverage file lists all scripts that ran, however they were loaded. */
function recorded() {
  const folder = mkdtempSync(home.path('loaded-'))
  const loaded = () =>
    readdirSync(folder)
      .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result as { url: string }[])
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url }) => decodeURIComponent(new URL(url).pathname).slice(root.length))
  return { env: { NODE_V8_COVERAGE: folder }, loaded, files: () => loaded().flatMap(modulesIn) }
}

async function loadedBy(
  backends: Record<string, unknown>,
  settings: Record<string, unknown> = {},
  use: (url: string) => Promise<unknown> = async () => undefined,
) {
  const { env, files, loaded } = recorded()
  const running = await home.serve({ auth: 'none', backends, ...settings }, [], { env })
  await use(running.url)
  const { code } = await running.stop()
  expect(code).toBe(0)
  // Each file takes time to be found and read.
  expect(loaded().filter((file) => file.startsWith('dist/')).length).toBeLessThan(mostFiles)
  return files()
}

/** Of the bundle; of one file for each module it would be 480. */
const mostFiles = 60

/** What some configurations need, by where it is. */
const parts = {
  anthropic: /^src\/backends\/anthropic\//,
  'cloud libraries': /node_modules\/(?:@aws-sdk|@smithy|google-auth-library)\//,
  clouds: /^src\/(?:backends\/claude-clouds|protocols\/aws|credentials\/(?:aws|google))/,
  cluster: /^src\/cluster\/cluster\.ts/,
  cursor: /^(src\/(backends|protocols)\/cursor|src\/credentials\/cursor\.ts|proto\/)|@bufbuild/,
  inspector: /^src\/inspector\//,
  'local tools': /^src\/local-tools\/executor\.ts/,
  'proxy agents': /undici\/index\.js/,
  gemini: /^src\/backends\/gemini/,
  ollama: /^src\/server\/ollama-routes/,
  'qwen-web': /^src\/(backends|protocols)\/qwen-web/,
  simulators: /^sim\//,
  telemetry: /^src\/observe\/traces\//,
  tokenizer: /node_modules\/gpt-tokenizer\//,
  'tool text': /^src\/backends\/tool-text\/with-tool-text/,
}

const partsIn = (files: readonly string[]) =>
  Object.entries(parts).flatMap(([name, pattern]) => (files.some((file) => pattern.test(file)) ? [name] : []))

describe('serve', () => {
  const rows = [
    { backends: { box: openai }, loaded: [] },
    { backends: { box: { ...openai, tools: 'text' } }, loaded: ['tool text'] },
    { backends: { box: { ...openai, connect: { proxy: 'http://127.0.0.1:9' } } }, loaded: ['proxy agents'] },
    { backends: { claude: { kind: 'anthropic', apiKey: 'k' } }, loaded: ['anthropic'] },
    {
      backends: { cloud: { kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', apiKey: 'k' } },
      loaded: ['anthropic', 'clouds'],
    },
    {
      backends: { cloud: { kind: 'anthropic', provider: 'bedrock', region: 'us-east-1', profile: 'work' } },
      loaded: ['anthropic', 'cloud libraries', 'clouds'],
    },
    {
      backends: {
        cloud: {
          kind: 'anthropic',
          provider: 'vertex',
          project: 'my-project',
          region: 'global',
          accessToken: 't',
          models: ['claude-sonnet-5-5'],
        },
      },
      loaded: ['anthropic', 'clouds'],
    },
    { backends: { account: { kind: 'cursor', apiKey: 'k' } }, loaded: ['cursor'] },
    { backends: { google: { kind: 'gemini', apiKey: 'k' } }, loaded: ['gemini'] },
    { backends: { web: { kind: 'qwen-web', token: 't' } }, loaded: ['qwen-web'] },
  ]

  it.each(spread(rows, 1))('$backends: of what only some need, $loaded', async ({ backends, loaded }) => {
    const files = await loadedBy(backends)
    expect(files).toContain('src/gateway.ts')
    expect(partsIn(files)).toEqual(loaded)
  })

  it('with the inspector, that too, but nothing to read runs with before there is one', async () => {
    expect(partsIn(await loadedBy({ box: openai }, { inspector: { enabled: true } }))).toEqual(['inspector'])
  })

  it.runIf(isNightly)(
    "with a count for one of OpenAI's models, their tokenizer, and with a row about the length alone, not yet",
    async () => {
      const models = { best: [{ when: { inputTokens: '>2000' }, use: 'box/gpt-5' }, 'box/gpt-4o'] }
      const count = (model: string) => async (url: string) => {
        const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] })
        const answer = await fetch(`${url}/v1/messages/count_tokens`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        expect(await answer.json()).toHaveProperty('input_tokens')
      }
      expect(partsIn(await loadedBy({ box: openai }, { models }, count('box/qwen3')))).toEqual([])
      expect(partsIn(await loadedBy({ box: openai }, { models }, count('box/gpt-5')))).toEqual(['tokenizer'])
    },
  )

  it.runIf(isNightly)("with Ollama's API, that too", async () => {
    expect(partsIn(await loadedBy({ box: openai }, { ollama: { enabled: true } }))).toEqual(['ollama'])
  })

  it.runIf(isNightly)('with local tools, those too', async () => {
    expect(partsIn(await loadedBy({ box: openai }, { exec: { enabled: true } }))).toEqual(['local tools'])
  })

  it.runIf(isNightly)('with traces, those too', async () => {
    expect(partsIn(await loadedBy({ box: openai }, { telemetry: { traces: true } }))).toEqual(['telemetry'])
  })
})

it.each(spread(['--version', '--help', 'serve --help'], 1))(
  '%s: nothing but the commands and their parser',
  async (args) => {
    const { env, files } = recorded()
    await home.run(args.split(' '), { env })
    const others = files().filter((file) => !file.startsWith('node_modules/commander/'))
    expect(others).toContain('src/cli.ts')
    const unneeded = /node_modules|src\/gateway|config\/(load|schema)|backends|process\/run-gateway/
    expect(others.filter((file) => unneeded.test(file))).toEqual([])
  },
)

it.runIf('enableCompileCache' in module)(
  "keeps what Node has compiled, in the user's own folder",
  async () => {
    await home.run(['--version'], { ownProcess: true })
    expect(readdirSync(home.path('state', 'dragoman', 'compiled'))).toHaveLength(1)
  },
)

it.each(['opencode', 'opencode-1'])(
  'the plugin %s: no gateway until there is something to call it with',
  (name) => {
    const { env, files } = recorded()
    const plugin = JSON.stringify(join(root, 'dist', 'src', 'plugin', `${name}.js`))
    execFileSync(process.execPath, ['-e', `import(${plugin})`], { env })
    expect(files()).toContain(`src/plugin/${name}.ts`)
    expect(
      files().filter((file) =>
        /node_modules\/(undici|@bufbuild)|src\/(gateway|backends|local-tools)/.test(file),
      ),
    ).toEqual([])
  },
)
