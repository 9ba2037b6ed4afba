// `dragoman setup` says what the documents show.

import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startCursorSim } from '../../sim/cursor.ts'
import { atEnd } from '../at-end.ts'
import { blocks, commandsOf } from './doc-blocks.ts'
import { Home } from './program.ts'
import { run } from './setup-run.ts'

const keyFile = '.local/share/dragoman/key'

/** The folders of a user without settings of their own. */
const foldersOf = (home: Home) => ({
  XDG_CONFIG_HOME: home.path('.config'),
  XDG_DATA_HOME: home.path('.local', 'share'),
  XDG_STATE_HOME: home.path('.local', 'state'),
})

interface Transcript {
  at: string
  args: string[]
  model: string
  shown: string
}

const transcripts: Transcript[] = blocks
  .filter(({ language }) => language === 'console')
  .flatMap(({ at, text }) =>
    text.split(/^\$ /m).map((part) => ({ at, command: part.split('\n', 1)[0] ?? '', part })),
  )
  .filter(({ command }) => command.startsWith('dragoman setup '))
  .map(({ at, command, part }) => {
    const args = commandsOf(command)[0]?.slice(2) ?? []
    return { at, args, model: args[2] ?? '', shown: part.slice(command.length + 1) }
  })
  .filter(({ shown }) => shown.trim() !== '')

/** The files that a transcript shows as they were: what it keeps and what it takes out. */
function filesBefore(shown: string): [name: string, text: string][] {
  const parts = shown.split(/^(?=~\/)/m).slice(1)
  return parts
    .map((part) => part.split('\n'))
    .filter(([name]) => !name?.endsWith(' (new)'))
    .map(([name = '', ...lines]) => {
      const was = lines.filter((line) => /^[- ] /.test(line)).map((line) => `${line.slice(2)}\n`)
      return [name.slice(2), was.join('')]
    })
}

let urls: Record<string, string>
const server = new Home()
const env = foldersOf(server)

beforeAll(async () => {
  const cursor = await startCursorSim({ models: ['composer-2', 'default', 'gpt-5.5'] })
  const claude = await startAnthropicSim({ models: ['opus'] })
  atEnd(() => Promise.all([cursor.close(), claude.close()]))
  const backends = {
    cursor: { kind: 'cursor', baseUrl: cursor.url, apiKey: 'crsr_test' },
  }
  const house = {
    backends: { claude: { kind: 'anthropic', baseUrl: claude.url, apiKey: 'x' } },
    models: { house: 'claude/opus' },
  }
  const demo = await server.start(['demo', '--port', '0'])
  const [one, other] = [await server.serve({ backends }, [], { env }), await server.serve(house, [], { env })]
  urls = { 'demo-anthropic/claude-demo': demo.url, 'cursor/composer-2': one.url, house: other.url }
})

describe.each(transcripts)('$at', ({ args, model, shown }) => {
  it(`dragoman setup ${args.join(' ')}`, async () => {
    const home = new Home()
    for (const [name, text] of filesBefore(shown)) home.write(name, text)
    const url = urls[model] ?? ''
    // The demo asks for no key.
    if (!model.startsWith('demo-')) home.write(keyFile, readFileSync(server.path(keyFile), 'utf8'))
    const { screen } = await run(home, [...args, '--url', url], {
      env: foldersOf(home),
      answers: ['y'],
    })
    const said = screen.replaceAll(url, 'http://127.0.0.1:18741').replaceAll(home.folder, '/home/me')
    expect(said).toBe(shown)
  })
})
