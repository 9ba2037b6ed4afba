import { expect, it } from 'vitest'
import type { Message, TurnRequest } from '../core/request.ts'
import { CallChecks } from './call-checks.ts'

const caller = { key: 'laptop' }
const request = (messages: Message[]): TurnRequest => ({
  model: 'm',
  messages,
  tools: [{ name: 'read', schema: { type: 'object', properties: { path: { type: 'string' } } } }],
  stream: true,
  origin: { dialect: 'openai-chat', body: {}, faithful: true },
})
const note = () => undefined

it('calls that a server numbers alike in two conversations keep their own records', () => {
  const checks = new CallChecks(new Map([['box', 'repair']]))
  const repaired = (turnId: string, name: string) =>
    checks
      .begin(request([]), { backend: 'box', caller, turnId, keepsRecords: true, note })
      ?.check({ callId: 'read:0', name, input: '{"path":"a"}' }, false)
  const nameSent = (call: ReturnType<typeof repaired>) => {
    const content = call ? [{ type: 'tool-call' as const, ...call }] : []
    const results = [{ callId: call?.callId ?? '', content: [] }]
    const history = request([
      { role: 'assistant', content },
      { role: 'tool', results },
    ])
    const [message] = checks.restore(history, { caller }, note).messages
    return message?.role === 'assistant' ? message.content[0] : undefined
  }
  const one = repaired('turn_aaaaaaaaaaaaaaaa', 'Read')
  const other = repaired('turn_bbbbbbbbbbbbbbbb', 'READ')
  expect([one?.callId, other?.callId]).toEqual(['read:0_mended_aaaaaa', 'read:0_mended_bbbbbb'])
  expect(nameSent(one)).toMatchObject({ callId: 'read:0', name: 'Read' })
  expect(nameSent(other)).toMatchObject({ callId: 'read:0', name: 'READ' })
})

it('calls are not checked without tools, or if the backend has the setting off', () => {
  const checks = new CallChecks(new Map([['box', 'off']]))
  const options = { backend: 'box', caller, keepsRecords: true, note }
  expect(checks.begin(request([]), options)).toBeUndefined()
  const on = new CallChecks(new Map([['box', 'note']]))
  expect(on.begin({ ...request([]), tools: [] }, options)).toBeUndefined()
  expect(on.begin(request([]), options)).toBeDefined()
})
