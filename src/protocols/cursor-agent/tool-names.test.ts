import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tool } from '../../core/request.ts'
import { findTool, offeredName, offeredToolName } from './tool-names.ts'

const tools = (...names: string[]): Tool[] => names.map((name) => ({ name, schema: { type: 'object' } }))
const found = (offered: Tool[], name: string, toolName = '') => findTool(offered, { name, toolName })?.name

describe('the names that tools are offered under', () => {
  it.each([
    ['add', 'client-add', 'add'],
    ['read', 'client-read', 'client-read'],
    ['WebFetch', 'client-WebFetch', 'client-WebFetch'],
    ['web_search', 'client-web_search', 'client-web_search'],
    ['webfetch', 'client-webfetch', 'client-webfetch'],
    ['Bash', 'client-Bash', 'Bash'],
    ['TodoWrite', 'client-TodoWrite', 'TodoWrite'],
  ])('%s', (name, whole, within) => {
    expect([offeredName(name), offeredToolName(name)]).toEqual([whole, within])
  })

  it('are cut to 64 characters, and stay different', () => {
    const long = 'x'.repeat(100)
    const names = [long, `${long}y`].map(offeredName)
    expect(names.map(({ length }) => length)).toEqual([64, 64])
    expect(new Set(names).size).toBe(2)
    expect(offeredName(long)).toBe(names[0])
  })
})

describe('the tool that a call means', () => {
  it.each([
    'client-read',
    'read',
    'client___read',
    'mcp_client_read',
    'mcp__client__read',
    'client-client-read',
    'mcp_client_client-read',
  ])('is found as %s', (spelling) => {
    expect(found(tools('add', 'read'), spelling)).toBe('read')
    expect(found(tools('add', 'read'), 'something', spelling)).toBe('read')
  })

  it('is the one of exactly that name before all others', () => {
    const offered = tools('mcp_client_read', 'read', 'client-read', 'client-client-read')
    expect(found(offered, 'client-read', 'client-read')).toBe('read')
    expect(found(offered, 'client-client-read', 'client-read')).toBe('client-read')
    expect(found(offered, 'mcp_client_read')).toBe('mcp_client_read')
    expect(found(offered, 'read')).toBe('read')
  })

  it('is undefined if no tool fits', () => {
    expect(found(tools('read'), 'fly', 'fly')).toBeUndefined()
    expect(found(tools('read'), '__proto__', 'constructor')).toBeUndefined()
  })

  it('is found by every name that it was offered under', () => {
    const name = fc.stringMatching(/^[A-Za-z_-]{1,80}$/)
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), (names) => {
        const offered = tools(...names)
        for (const own of names) expect(found(offered, offeredName(own), offeredToolName(own))).toBe(own)
      }),
    )
  })
})
