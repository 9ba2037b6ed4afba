// Extended backends: a member of `Backend` or `SessionHost` that an extension does not override reaches the original.

import { describe, expect, it, vi } from 'vitest'
import { type PeerOptions, withPeers } from '../cluster/with-peers.ts'
import type { Backend, SessionHost } from '../core/backend.ts'
import type { ToolTextSettings } from '../protocols/tool-text/markup.ts'
import { withToolText } from './tool-text/with-tool-text.ts'

// The compiler demands a row for each new member: an optional one too.
const backendMembers: Record<keyof Required<Backend>, 'method' | 'value'> = {
  kind: 'value',
  dialects: 'value',
  toolFacts: 'method',
  models: 'method',
  run: 'method',
  countTokens: 'method',
  sessions: 'value',
  pool: 'value',
  describe: 'method',
  close: 'method',
}
const sessionMembers: Record<keyof Required<SessionHost>, 'method'> = {
  has: 'method',
  isElsewhere: 'method',
  resume: 'method',
  deliver: 'method',
  onOutput: 'method',
  drop: 'method',
  dropWaiting: 'method',
  counts: 'method',
  list: 'method',
  modelOf: 'method',
  onGone: 'method',
}

type Members = Record<string, unknown>

const mocked = (members: Record<string, string>): Members =>
  Object.fromEntries(
    Object.entries(members).map(([name, kind]) => [name, kind === 'method' ? vi.fn(() => name) : name]),
  )

const original = () => {
  const sessions = mocked(sessionMembers)
  return { sessions, backend: { ...mocked(backendMembers), sessions } as Members }
}

function expectForwarded(extended: object, inner: Members, overridden: readonly string[]): void {
  for (const [name, member] of Object.entries(inner)) {
    if (overridden.includes(name)) continue
    const own = (extended as Members)[name]
    if (typeof member !== 'function') expect(own, name).toBe(member)
    else {
      expect(own, name).toBeTypeOf('function')
      expect((own as (...args: string[]) => unknown)('a', 'b'), name).toBe(name)
      expect(member, name).toHaveBeenLastCalledWith('a', 'b')
    }
  }
}

describe('a backend', () => {
  it('among peers has every member of the original', () => {
    const { backend, sessions } = original()
    const options = { name: 'box', directory: { release: () => undefined } } as unknown as PeerOptions
    const extended = withPeers(backend as never, options)
    expectForwarded(extended, backend, ['run', 'sessions', 'close'])
    expectForwarded(extended.sessions, sessions, ['isElsewhere', 'deliver'])
  })

  it('with tools as text has every member of the original', () => {
    const { backend } = original()
    expectForwarded(withToolText(backend as never, {} as ToolTextSettings), backend, [
      'run',
      'dialects',
      'toolFacts',
    ])
  })
})
