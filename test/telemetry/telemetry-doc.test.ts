// docs/telemetry.md has every attribute, event and variable that there is, and no other.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { events, names } from '../../src/observe/traces/attributes.ts'

const root = join(import.meta.dirname, '..', '..')
const text = readFileSync(join(root, 'docs', 'telemetry.md'), 'utf8')
const section = (from: string, to: string) => text.slice(text.indexOf(`## ${from}`), text.indexOf(`## ${to}`))
const firstCells = (part: string) => [...part.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1])

it('attributes', () => {
  expect(firstCells(section('Attributes', 'Variables')).sort()).toEqual(Object.values(names).sort())
})

it('events', () => {
  const spans = section('Spans', 'Attributes')
  for (const event of Object.values(events)) expect(spans).toContain(`\`${event}\``)
})

it('variables', () => {
  const source = readFileSync(join(root, 'src', 'config', 'telemetry.ts'), 'utf8')
  const read = new Set([...source.matchAll(/\('(OTEL_\w+)'/g)].map((match) => match[1]))
  expect(firstCells(section('Variables', 'Whose trace')).sort()).toEqual([...read].sort())
})
