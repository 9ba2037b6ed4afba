// docs/tapes.md matches the program: every frame has a valid example, every command is documented.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { secretForms } from '../../src/base/secrets/forms.ts'
import { frameKinds, frameProblem } from '../../src/tapes/check-frame.ts'
import { commandSource } from '../cli/command-source.ts'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, '..', '..', ...path), 'utf8')
const text = read('docs', 'tapes.md')
const lines = [...text.matchAll(/```jsonl\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.trimEnd().split('\n'),
)
const values = lines.map((line) => JSON.parse(line))
const frames = values.filter((value) => !('tape' in value))

describe('docs/tapes.md', () => {
  it('shows every kind of frame', () => {
    expect([...new Set(frames.map((frame) => `${frame.side} ${frame.do}`))].sort()).toEqual(
      [...frameKinds].sort(),
    )
  })

  it.each(frames.map((frame) => [`${frame.side} ${frame.do}`, frame]))('%s is one', (_name, frame) => {
    expect(frameProblem(frame)).toBeUndefined()
  })

  it('names every field of the head', () => {
    const source = read('src', 'tapes', 'frame.ts')
    const head = source.slice(source.indexOf('export interface TapeHead'))
    const fields = [...head.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name]) => name)
    const told = [...text.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name)
    expect(told).toEqual(fields)
  })

  it('names every command of the program', () => {
    const commands = [...commandSource('tape').matchAll(/^ {2}tape\n {4}\.command\('(\w+)'\)/gm)].map(
      ([, name]) => name,
    )
    expect(commands).toHaveLength(5)
    for (const command of commands) expect(text).toContain(`| \`tape ${command} `)
  })

  it('names the patterns of secrets', () => {
    for (const name of [
      'Anthropic',
      'sk-…',
      'Cursor',
      'GitHub',
      'AWS',
      'Google',
      'Slack',
      'JSON web token',
      'bearer',
      'private key',
    ])
      expect([name, text.includes(name), secretForms.some(({ what }) => what.includes(name))]).toEqual([
        name,
        true,
        true,
      ])
  })
})
