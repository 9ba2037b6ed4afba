import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { RequestContextSchema } from '../../../proto/gen/agent/v1/context_pb.ts'
import { ExecClientMessageSchema, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { Tool, ToolResult } from '../../core/request.ts'
import { decideExec, type ExecDesk } from './exec.ts'
import type { ExecReply } from './native.ts'

const tool = (name: string, ...properties: string[]): Tool => ({
  name,
  schema: {
    type: 'object',
    properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
    required: properties,
  },
})

const desk = (more: Partial<ExecDesk> = {}): ExecDesk => ({
  // As OpenCode has them, whose reads are numbered and capped.
  tools: [
    {
      name: 'read',
      description: 'Read a file or directory',
      schema: {
        type: 'object',
        properties: { filePath: { type: 'string' }, offset: { type: 'number' }, limit: { type: 'number' } },
        required: ['filePath'],
      },
    },
    tool('write', 'filePath', 'content'),
    tool('get_weather', 'city'),
  ],
  context: () => create(RequestContextSchema, { cloudRule: 'be brief' }),
  workspace: '/w',
  partlyRead: new Set(),
  note: () => undefined,
  ...more,
})

const decide = (request: JsonValue, at = desk()) => decideExec(fromJson(ExecServerMessageSchema, request), at)

const inJson = (replies: readonly ExecReply[]) =>
  replies.map((message) => toJson(ExecClientMessageSchema, create(ExecClientMessageSchema, { message })))

const result = (text: string, more: Partial<ToolResult> = {}): ToolResult => ({
  callId: 'x',
  content: [{ type: 'text', text }],
  ...more,
})

function callOf(request: JsonValue, at = desk()) {
  const decision = decide(request, at)
  if (decision.type !== 'call') throw new Error(`no call but ${JSON.stringify(decision)}`)
  return decision.call
}

function repliesOf(request: JsonValue, at = desk()) {
  const decision = decide(request, at)
  if (decision.type !== 'reply') throw new Error(`no reply but ${decision.type}`)
  return inJson(decision.replies)
}

describe('MCP calls', () => {
  const weather = {
    mcpArgs: { name: 'get_weather', args: { city: 'Köln', days: 3, deep: { a: [null, true] } } },
  }

  it('go to the tool of that name, with their arguments as they are', () => {
    const call = callOf(weather)
    expect([call.tool, call.input]).toEqual([
      'get_weather',
      { city: 'Köln', days: 3, deep: { a: [null, true] } },
    ])
  })

  it('give text, images and failures of the tool as its result', () => {
    const data = Buffer.from('png').toString('base64')
    const image = { type: 'image' as const, source: { mediaType: 'image/png', data } }
    expect(inJson(callOf(weather).answer(result('sunny')))).toEqual([
      { mcpResult: { success: { content: [{ text: { text: 'sunny' } }] } } },
    ])
    expect(inJson(callOf(weather).answer(result('no', { isError: true })))).toEqual([
      { mcpResult: { success: { content: [{ text: { text: 'no' } }], isError: true } } },
    ])
    expect(inJson(callOf(weather).answer({ callId: 'x', content: [image] }))).toEqual([
      { mcpResult: { success: { content: [{ image: { data, mimeType: 'image/png' } }] } } },
    ])
  })

  it('of a tool that is not there name what there is', () => {
    expect(repliesOf({ mcpArgs: { name: 'client-fly', toolName: 'fly' } })).toEqual([
      { mcpResult: { toolNotFound: { name: 'fly', availableTools: ['read', 'write', 'get_weather'] } } },
    ])
  })
})

describe('native requests', () => {
  it('of a picture give its bytes', () => {
    const data = Buffer.from('png').toString('base64')
    const call = callOf({ readArgs: { path: 'a.png' } })
    const content = [{ type: 'image' as const, source: { mediaType: 'image/png', data } }]
    expect(inJson(call.answer({ callId: 'x', content }))).toEqual([
      { readResult: { success: { path: 'a.png', data, fileSize: '3' } } },
    ])
  })

  it('a glob beyond the bounds is refused before the client is asked', () => {
    const at = desk({ tools: [tool('glob', 'pattern')] })
    for (const glob of ['{a,b}'.repeat(40), '['.repeat(100_000), '{'.repeat(100_000)]) {
      const told = JSON.stringify(repliesOf({ grepArgs: { glob } }, at))
      expect(told).toContain('Search with a simpler one')
    }
  })

  it('without tools, or without a fitting one, are refused by type with what there is', () => {
    expect(repliesOf({ shellArgs: { command: 'ls' } }, desk({ tools: [] }))).toMatchObject([
      { shellResult: { rejected: { reason: expect.stringContaining('answer in text') } } },
    ])
    const only = desk({ tools: [tool('get_weather', 'city')] })
    expect(repliesOf({ shellStreamArgs: { command: 'ls' } }, only)).toMatchObject([
      { shellStream: { rejected: { reason: expect.stringContaining('get_weather') } } },
    ])
  })

  it('of an unknown kind are thrown back', () => {
    expect(decide({}).type).toBe('throw')
  })
})

describe('a file that was read in part', () => {
  const capped = `<path>/w/a.txt</path>\n<type>file</type>\n<content>\n1: one\n2: two\n\n(Showing lines 1-2 of 9. Use offset=3 to continue.)\n</content>`
  const whole =
    '<path>/w/a.txt</path>\n<type>file</type>\n<content>\n1: one\n2: two\n\n(End of file - total 2 lines)\n</content>'
  const write = (path: string) => ({ writeArgs: { path, fileText: 'new' } })

  it('cannot be written back, however its path is spelled, until it was read whole', () => {
    const at = desk()
    const [first] = inJson(callOf({ readArgs: { path: 'a.txt' } }, at).answer(result(capped)))
    expect(first).toMatchObject({ readResult: { success: { content: 'one\ntwo', truncated: true } } })
    for (const path of ['a.txt', '/w/a.txt', './x/../a.txt'])
      expect(repliesOf(write(path), at)).toMatchObject([
        { writeResult: { rejected: { path, reason: expect.stringContaining('only a part') } } },
      ])
    expect(decide(write('b.txt'), at).type).toBe('call')
    callOf({ readArgs: { path: '/w/a.txt' } }, at).answer(result(whole))
    expect(decide(write('a.txt'), at).type).toBe('call')
  })

  it('is the same file on a machine with drives', () => {
    const at = desk({ workspace: 'C:\\w' })
    callOf({ readArgs: { path: 'a.txt' } }, at).answer(result(capped))
    for (const path of ['C:\\w\\a.txt', 'C:/w/a.txt', '.\\a.txt'])
      expect(repliesOf(write(path), at)).toMatchObject([{ writeResult: { rejected: { path } } }])
  })

  it('as was asked for is no hindrance', () => {
    const at = desk()
    callOf({ readArgs: { path: 'a.txt', offset: 1, limit: 2 } }, at).answer(result(capped))
    expect(decide(write('a.txt'), at).type).toBe('call')
  })
})
