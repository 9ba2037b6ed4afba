// A command loads only the modules it needs: it starts fast and stays small.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isNightly, spread } from '../depth.ts'
import { Home, root } from './program.ts'

const home = new Home()
const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }

/** Node's coverage file lists all scripts that ran, however they were loaded. */
function recorded(): { env: Record<string, string>; files(): string[] } {
  const folder = mkdtempSync(home.path('loaded-'))
  return {
    env: { NODE_V8_COVERAGE: folder },
    files: () =>
      readdirSync(folder)
        .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result as { url: string }[])
        .filter(({ url }) => url.startsWith('file:'))
        .map(({ url }) => decodeURIComponent(new URL(url).pathname).slice(root.length)),
  }
}

async function loadedBy(backends: Record<string, unknown>, settings: Record<string, unknown> = {}) {
  const { env, files } = recorded()
  const running = await home.serve({ auth: 'none', backends, ...settings }, [], { env })
  const { code } = await running.stop()
  expect(code).toBe(0)
  return files()
}

/** What some configurations need, by where it is. */
const parts = {
  anthropic: /^dist\/src\/backends\/anthropic\//,
  cluster: /^dist\/src\/cluster\/cluster\.js/,
  cursor: /^dist\/(src\/(backends|protocols)\/cursor|src\/credentials\/cursor\.js|proto\/)|@bufbuild/,
  inspector: /^dist\/src\/inspector\//,
  'local tools': /^dist\/src\/local-tools\/executor\.js/,
  'proxy agents': /undici\/index\.js/,
  'qwen-web': /^dist\/src\/(backends|protocols)\/qwen-web/,
  simulators: /^dist\/sim\//,
  telemetry: /^dist\/src\/observe\/traces\//,
  'tool text': /^dist\/src\/backends\/tool-text\/with-tool-text/,
}

const partsIn = (files: readonly string[]) =>
  Object.entries(parts).flatMap(([name, pattern]) => (files.some((file) => pattern.test(file)) ? [name] : []))

describe('serve', () => {
  const rows = [
    { backends: { box: openai }, loaded: [] },
    { backends: { box: { ...openai, tools: 'text' } }, loaded: ['tool text'] },
    { backends: { box: { ...openai, connect: { proxy: 'http://127.0.0.1:9' } } }, loaded: ['proxy agents'] },
    { backends: { claude: { kind: 'anthropic', apiKey: 'k' } }, loaded: ['anthropic'] },
    { backends: { account: { kind: 'cursor', apiKey: 'k' } }, loaded: ['cursor'] },
    { backends: { web: { kind: 'qwen-web', token: 't' } }, loaded: ['qwen-web'] },
  ]

  it.each(spread(rows, 3))('$backends: of what only some need, $loaded', async ({ backends, loaded }) => {
    const files = await loadedBy(backends)
    expect(files).toContain('dist/src/gateway.js')
    expect(partsIn(files)).toEqual(loaded)
  })

  it('with the inspector, that too, but nothing to read runs with before there is one', async () => {
    expect(partsIn(await loadedBy({ box: openai }, { inspector: { enabled: true } }))).toEqual(['inspector'])
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
    expect(others).toContain('dist/src/cli.js')
    expect(others.filter((file) => /node_modules|gateway|config\/(load|schema)|backends/.test(file))).toEqual(
      [],
    )
  },
)

it.each(['opencode', 'opencode-1'])(
  'the plugin %s: no gateway until there is something to call it with',
  (name) => {
    const { env, files } = recorded()
    const plugin = JSON.stringify(join(root, 'dist', 'src', 'plugin', `${name}.js`))
    execFileSync(process.execPath, ['-e', `import(${plugin})`], { env })
    expect(files()).toContain(`dist/src/plugin/${name}.js`)
    expect(
      files().filter((file) =>
        /node_modules\/(undici|@bufbuild)|src\/(gateway|backends|local-tools)/.test(file),
      ),
    ).toEqual([])
  },
)
