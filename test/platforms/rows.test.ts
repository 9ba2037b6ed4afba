// The table of what differs between systems: complete, used and documented.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../src/base/platform/rows.ts'
import * as tables from '../../src/base/platform/rows.ts'
import { systems, systemTitles } from '../../src/base/platform/system.ts'

const root = join(import.meta.dirname, '..', '..')
const { folders, places, modes, commands, signals, differences, services } = tables
const sections: Record<string, Record<string, Row>> = {
  folders,
  places,
  modes,
  commands,
  signals,
  differences,
  services,
}
const rows = Object.values(sections).flatMap((section) => Object.values(section))

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$|^inspector\/page\//.test(file))

/** Without comments: they may speak of any system. */
const codeOf = (file: string) =>
  readFileSync(join(root, 'src', file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

const namedBy = (section: Record<string, Row>, file: string, fits: (row: Row) => boolean = () => true) =>
  Object.values(section).some((row) => fits(row) && row.in.some((place) => file.startsWith(place)))

describe('every path, mode, command and signal has a row', () => {
  const uses = files
    .filter((file) => file !== 'base/platform/rows.ts')
    .map((file) => ({ file, code: codeOf(file) }))
  const without = (pattern: RegExp, hasRow: (file: string, found: string) => boolean) =>
    uses.flatMap(({ file, code }) =>
      [...code.matchAll(pattern)].flatMap(([found]) => (hasRow(file, found) ? [] : [`${file}: ${found}`])),
    )

  it.each<[string, RegExp, (file: string, found: string) => boolean]>([
    ['signals', /\bSIG[A-Z]+\b/g, (file, found) => namedBy(signals, file, (row) => systems.some((one) => row[one].includes(found)))],
    ['modes', /\b0o[0-7]{3,4}\b|\bchmod|\bfchmod/g, (file) => namedBy(modes, file)],
    ['commands', /\b(?:spawn|execFile|fork)(?:Sync)?\b(?=[(),])/g, (file) => namedBy({ ...commands, ...services }, file)],
    ['paths', /\bhomedir\b|\btmpdir\b|XDG_\w+(?=['"])|'\.(?:config|local)'/g, (file) => namedBy({ ...folders, ...places, ...services }, file)],
    ['renames', /\brename(?:Sync)?\b(?=[(,])/g, (file) => namedBy({ replace: differences.replace, local: differences.localTools }, file)],
    ['files of Linux', /'\/(?:proc|dev|sys)\/|`\/(?:proc|dev|sys)\//g, (file) => namedBy({ port: differences.portHolder, local: differences.localTools }, file)],
    ['questions for the system', /process\.platform|os\.platform/g, (file) => file === 'base/platform/system.ts' || file.startsWith('local-tools/')],
  ])('%s', (_, pattern, hasRow) => {
    expect(without(pattern, hasRow)).toEqual([])
  }) // biome-ignore format: a table

  it('and every row names files that exist', () => {
    const gone = rows.flatMap((row) =>
      row.in.filter((place) => !files.some((file) => file.startsWith(place))),
    )
    expect(gone).toEqual([])
  })
})

describe('docs/platforms.md', () => {
  const text = readFileSync(join(root, 'docs', 'platforms.md'), 'utf8')
  // Code spans as it reads best.
  const plain = (markdown: string) => markdown.replaceAll('`', '')
  const line = (row: Row) => `| ${[row.what, ...systems.map((system) => row[system])].join(' | ')} |`

  it.each(Object.entries(sections))('has the table of %s', (_, section) => {
    const head = `| | ${systems.map((system) => systemTitles[system]).join(' | ')} |\n|---|---|---|---|`
    const table = [head, ...Object.values(section).map(line)].join('\n')
    expect(plain(text)).toContain(plain(table))
  })
})
