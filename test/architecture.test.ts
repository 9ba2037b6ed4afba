// The arrow of imports. A folder imports itself, `base` and the folders in its row, types included. A row may only name rows
// above it, so the folders have no cycles. Tests may import anything.

import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const rows: readonly (readonly [folder: string, mayImport: string])[] = [
  ['base', ''],
  ['core', ''],
  ['protocols/streams', 'core'],
  ['protocols/errors', 'core'],
  ['protocols/requests', 'core'],
  ['protocols/connect', 'core'],
  ['protocols/client-tools', 'core'],
  ['protocols/tool-search', 'core'],
  ['protocols/web-tools', 'core'],
  ['protocols/local-tools', 'core protocols/client-tools protocols/requests'],
  ['protocols/call-check', 'core'],
  ['protocols/tool-text', 'core protocols/call-check protocols/requests protocols/streams'],
  ['protocols/qwen-web', 'core protocols/errors protocols/requests protocols/streams'],
  ['protocols/tool-schemas', ''],
  [
    'protocols/anthropic-messages',
    'core protocols/errors protocols/requests protocols/streams protocols/tool-schemas protocols/web-tools',
  ],
  ['protocols/aws', ''],
  [
    'protocols/claude-clouds',
    'core protocols/anthropic-messages protocols/aws protocols/errors protocols/requests',
  ],
  [
    'protocols/openai-responses',
    'core protocols/errors protocols/requests protocols/streams protocols/tool-schemas',
  ],
  ['protocols/ollama', 'core protocols/requests'],
  ['protocols/gemini', 'core protocols/errors protocols/requests protocols/streams protocols/tool-schemas'],
  [
    'protocols/openai-chat',
    'core protocols/anthropic-messages protocols/errors protocols/openai-responses protocols/requests protocols/streams protocols/tool-schemas protocols/tool-text',
  ],
  [
    'protocols/cursor-agent',
    'core proto protocols/client-tools protocols/connect protocols/errors protocols/local-tools protocols/requests',
  ],
  ['upstream', 'core'],
  ['doors', 'core protocols'],
  ['config', 'doors protocols upstream'],
  ['credentials', 'config core upstream'],
  ['observe', 'config core upstream'],
  ['backends/http', 'core protocols upstream'],
  ['backends/tool-text', 'core protocols'],
  ['backends/anthropic', 'backends/http core protocols upstream'],
  ['backends/claude-clouds', 'backends/anthropic backends/http core credentials protocols upstream'],
  ['backends/gemini', 'backends/http core protocols upstream'],
  ['backends/openai', 'backends/http core credentials protocols upstream'],
  ['backends/qwen-web', 'backends/http backends/tool-text core credentials protocols upstream'],
  ['backends/cursor', 'core credentials proto protocols upstream'],
  [
    'backends',
    'backends/anthropic backends/claude-clouds backends/cursor backends/gemini backends/openai backends/qwen-web backends/tool-text config core credentials protocols upstream',
  ],
  ['http', 'core'],
  ['local-tools', 'core observe protocols'],
  ['web', 'core local-tools protocols upstream'],
  ['cluster', 'config core http observe protocols upstream'],
  ['tapes', 'config core http observe proto protocols'],
  ['inspector', 'core doors http observe proto protocols tapes'],
  ['server', 'cluster core doors http inspector local-tools observe protocols tapes web'],
  ['generation', 'backends cluster config core doors http inspector local-tools observe server tapes web'],
  ['gateway.ts', 'backends cluster config core doors generation http inspector observe server'],
  ['index.ts', 'config core gateway.ts'],
  ['process', 'cluster config core gateway.ts http inspector local-tools observe server'],
  ['replay', 'backends/cursor config core gateway.ts local-tools protocols server tapes upstream'],
  ['judge', 'config core protocols'],
  ['setup', 'core doors'],
  ['service', ''],
  ['plugin', 'backends config core credentials doors gateway.ts protocols server'],
  [
    'cli',
    'cluster config core credentials gateway.ts judge local-tools observe process replay server service setup sim tapes upstream web',
  ],
  ['cli.ts', 'cli'],
]

const folders = rows.map(([folder]) => folder)
const outside = ['proto', 'sim']

/** The row of a path below `src`: the longest that it begins with. */
function rowOf(path: string): string | undefined {
  const fitting = folders.filter((folder) => path === folder || path.startsWith(`${folder}/`))
  return fitting.sort((one, other) => other.length - one.length)[0]
}

const allows = (row: string, folder: string) => folder === row || folder.startsWith(`${row}/`)

function importsOf(file: string): string[] {
  const text = readFileSync(`${root}src/${file}`, 'utf8')
  const specifiers = text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)'(\.[^']+)'/g)
  return [...specifiers].map(([, specifier]) => posix.join('src', posix.dirname(file), specifier as string))
}

const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture)\.tsx?$/.test(file))

it('has a row for every file of src, and a file for every row', () => {
  expect(files.filter((file) => rowOf(file) === undefined)).toEqual([])
  expect(folders.filter((folder) => !files.some((file) => rowOf(file) === folder))).toEqual([])
})

it('names only rows above in each row', () => {
  const below = rows.flatMap(([folder, mayImport], at) => {
    const above = [...outside, ...folders.slice(0, at)]
    const named = mayImport.split(' ').filter(Boolean)
    return named
      .filter((name) => !above.some((one) => allows(name, one)))
      .map((name) => `${folder} → ${name}`)
  })
  expect(below).toEqual([])
})

it('imports along the arrow only', () => {
  const mayImport = new Map(rows.map(([folder, names]) => [folder, ['base', ...names.split(' ')]]))
  const against = files.flatMap((file) => {
    const own = rowOf(file) as string
    return importsOf(file).flatMap((path) => {
      const folder = path.startsWith('src/') ? rowOf(path.slice(4)) : path.split('/')[0]
      if (folder === undefined) return [`${file} → ${path}: no such row`]
      const isAllowed = folder === own || mayImport.get(own)?.some((name) => allows(name, folder))
      return isAllowed ? [] : [`${file} → ${path}`]
    })
  })
  expect(against).toEqual([])
})

it('uses every import that a row allows', () => {
  const seen = new Map<string, Set<string>>()
  for (const file of files) {
    const own = rowOf(file) as string
    const used = seen.get(own) ?? new Set()
    for (const path of importsOf(file))
      used.add((path.startsWith('src/') ? rowOf(path.slice(4)) : path.split('/')[0]) ?? path)
    seen.set(own, used)
  }
  const unused = rows.flatMap(([folder, names]) =>
    names
      .split(' ')
      .filter((name) => name !== '' && ![...(seen.get(folder) ?? [])].some((used) => allows(name, used)))
      .map((name) => `${folder} → ${name}`),
  )
  expect(unused).toEqual([])
})
