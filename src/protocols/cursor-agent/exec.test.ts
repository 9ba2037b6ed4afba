import { create, fromBinary, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { RequestContextSchema } from '../../../proto/gen/agent/v1/context_pb.ts'
import { ExecClientMessageSchema, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  AgentServerMessageSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import type { Tool, ToolResult } from '../../core/request.ts'
import { execReplies } from './client-messages.ts'
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

  it('of a missing tool get the names of the available ones', () => {
    expect(repliesOf({ mcpArgs: { name: 'client-fly', toolName: 'fly' } })).toEqual([
      {
        mcpResult: {
          toolNotFound: {
            name: 'fly',
            availableTools: ['client-read', 'client-write', 'client-get_weather'],
          },
        },
      },
    ])
  })
})

function serverOf({ message }: AgentClientMessage) {
  const result = message.case === 'execClientMessage' ? message.value.message : undefined
  const state = result?.case === 'mcpStateExecResult' ? result.value.result : undefined
  return state?.case === 'success' ? state.value.servers[0] : undefined
}

describe('the state of the MCP servers', () => {
  const one: Tool = { name: 'read', description: 'Reads a file', schema: { type: 'object' } }
  const bytes = (hex: string) => fromBinary(AgentServerMessageSchema, Buffer.from(hex, 'hex'))
  const serversOf = (args: JsonValue, tools: Tool[]) =>
    repliesOf({ mcpStateExecArgs: args }, desk({ tools }))[0] as {
      mcpStateExecResult: { success: { servers?: { serverIdentifier: string; tools: { name: string }[] }[] } }
    }

  it('is answered as captured: after the trace of the service, with explicit default values', () => {
    const { message } = bytes(
      '124908019a01360a2030616637363531393136636434336464383434386562323131633830333139631210623761643662373136393230333333311800a202080a06636c69656e74b80300',
    )
    if (message.case !== 'execServerMessage') throw new Error('no exec')
    const decision = decideExec(message.value, desk({ tools: [one] }))
    if (decision.type !== 'reply') throw new Error('no reply')
    const [reply, close] = execReplies(message.value.id, decision.replies)
    const told = fromBinary(AgentClientMessageSchema, reply ?? new Uint8Array())
    const expected = fromBinary(
      AgentClientMessageSchema,
      Buffer.from(
        '12650801a202600a5e0a5c0a06636c69656e741206636c69656e742a3f0a0b636c69656e742d72656164120c526561647320612066696c651a142a120a100a047479706512081a066f626a6563742206636c69656e742a04726561643a09636f6e6e6563746564',
        'hex',
      ),
    )
    // The vector has the bare name within the provider, which Cursor has a tool of: that is an alias here.
    const server = serverOf(expected)
    if (server?.tools[0]) server.tools[0].toolName = 'client-read'
    expect(told).toEqual(expected)
    expect(Buffer.from(close ?? []).toString('hex')).toBe('2a040a020801')
  })

  it('has the requested servers, or all if none is named', () => {
    const names = (args: JsonValue, tools = [one]) =>
      serversOf(args, tools).mcpStateExecResult.success.servers?.map(
        ({ serverIdentifier }) => serverIdentifier,
      ) ?? []
    expect(names({})).toEqual(['client'])
    expect(names({ serverIdentifiers: ['other', 'client'] })).toEqual(['client'])
    expect(names({ serverIdentifiers: ['other'] })).toEqual([])
    expect(names({ kickOnly: true })).toEqual(['client'])
    expect(names({}, [])).toEqual([])
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

  it('without a fitting tool are refused by type, with the names of the available tools', () => {
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
