import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import type { Tool } from '../../core/request.ts'
import { isMarked, unmarkId } from './marked-id.ts'
import { type CheckMode, type CheckOutcome, TurnCalls } from './turn-calls.ts'

const read: Tool = {
  name: 'read_file',
  schema: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      limit: { type: 'integer' },
      ids: { type: 'array', items: { type: 'number' } },
    },
    required: ['path'],
  },
}
const free: Tool = { name: 'free', schema: {} }

interface Setting {
  mode?: Exclude<CheckMode, 'off'>
  tools?: readonly Tool[]
  opaqueTools?: readonly (string | undefined)[]
  isShown?: boolean
}

function check(
  name: string,
  input: string,
  { mode = 'repair', tools = [read, free], isShown = false, ...more }: Setting = {},
) {
  const notes: string[] = []
  const outcomes: CheckOutcome[] = []
  const repairs: unknown[] = []
  const calls = new TurnCalls({
    mode,
    tools,
    marksIds: true,
    note: (text) => notes.push(text),
    onChecked: (outcome) => outcomes.push(outcome),
    onRepaired: (call, made) => repairs.push([call, made]),
    ...more,
  })
  const made = { callId: 'call_1', name, input }
  const call = calls.check(made, isShown)
  return { made, call, notes, outcome: outcomes.join(), repairs, unfit: [...calls.unfit.values()] }
}

describe('a call', () => {
  it('that fits is passed on as it is', () => {
    const { made, call, notes, outcome } = check('read_file', '{ "path" : "a", "limit": 5.0 }')
    expect(call).toBe(made)
    expect({ notes, outcome }).toEqual({ notes: [], outcome: 'fits' })
  })

  it('in another spelling gets the name that was offered, and a mark', () => {
    const { made, call, notes, outcome, repairs } = check('functions.ReadFile', '{"path":"a"}')
    expect(call).toEqual({ callId: 'call_1_mended', name: 'read_file', input: '{"path":"a"}' })
    expect(notes).toEqual(['the tool "functions.ReadFile" was read as "read_file"'])
    expect(outcome).toBe('repaired')
    expect(repairs).toEqual([[call, made]])
    expect([isMarked(call.callId), unmarkId(call.callId)]).toEqual([true, 'call_1'])
  })

  it('keeps the source of what is not repaired', () => {
    const { call, notes } = check('read_file', '{"path": "a","limit":"5","ids":[12345678901234567890, 1.0]}')
    expect(call.input).toBe('{"path":"a","limit":5,"ids":[12345678901234567890, 1.0]}')
    expect(notes).toEqual(['read_file: limit: a string became a number'])
  })

  it.each([
    ['a list of one', '{"path":"a","ids":1.0}', '{"path":"a","ids":[1.0]}'],
    [
      'text',
      '{"path":"a","ids":"[12345678901234567890, 1.0]"}',
      '{"path":"a","ids":[12345678901234567890,1.0]}',
    ],
    ['another member', '{"Path":"a","ids":[1.0]}', '{"path":"a","ids":[1.0]}'],
  ])('keeps the digits of numbers in %s', (_, input, fitted) => {
    expect(check('read_file', input).call.input).toBe(fitted)
  })

  it('that does not fit is passed on with a note', () => {
    const { made, call, notes, outcome, unfit } = check('read_file', '{"limit":"five"}')
    expect(call).toBe(made)
    expect(notes).toEqual(['read_file: the arguments do not fit its schema: path: is missing'])
    expect(outcome).toBe('unfit')
    expect(unfit).toMatchObject([{ made, shown: made, tool: read }])
  })

  it('that is put right in part is passed on with both notes', () => {
    const { call, notes, outcome, unfit } = check('ReadFile', '{"limit":"5"}')
    expect(call).toMatchObject({ name: 'read_file', input: '{"limit":5}' })
    expect(notes).toHaveLength(3)
    expect(outcome).toBe('unfit')
    expect(unfit).toMatchObject([{ made: { name: 'ReadFile' }, shown: call }])
  })

  it('of no tool is passed on with a note', () => {
    const { made, call, notes, unfit } = check('delete', '{}')
    expect(call).toBe(made)
    expect(notes).toEqual(['the model called "delete", which is none of the tools of the request'])
    expect(unfit).toMatchObject([{ tool: undefined }])
  })

  it.each([[['delete']], [[undefined]]])(
    'of a tool that only the dialect knows is not checked: %j',
    (opaqueTools) => {
      expect(check('delete', '{}', { opaqueTools })).toMatchObject({ notes: [], outcome: 'unchecked' })
    },
  )

  it('of a tool that only the dialect knows keeps its name beside a similar one', () => {
    const { made, call, outcome } = check('ReadFile', '{"path":"a"}', { opaqueTools: ['ReadFile'] })
    expect(call).toBe(made)
    expect(outcome).toBe('unchecked')
  })

  it('of a tool that takes free text is not checked, only its name', () => {
    const schema = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
    const tools = [{ name: 'apply_patch', schema, custom: {} }]
    const { made, call, outcome } = check('apply_patch', '{"patch":"*** Begin"}', { tools })
    expect(call).toBe(made)
    expect(outcome).toBe('unchecked')
    expect(check('ApplyPatch', '{"patch":"*** Begin"}', { tools })).toMatchObject({
      call: { name: 'apply_patch', input: '{"patch":"*** Begin"}' },
      outcome: 'repaired',
      unfit: [],
    })
  })

  it('of a tool without a schema is not checked', () => {
    expect(check('free', '{"a":1}')).toMatchObject({ notes: [], outcome: 'unchecked' })
  })

  it('whose schema can be checked only in part says so', () => {
    const schema = { type: 'object', properties: { path: { type: 'string', pattern: '(?<=a)b' } } }
    const setting = { tools: [{ name: 'read_file', schema }] }
    const { notes, outcome } = check('read_file', '{"path":"ab"}', setting)
    expect(notes).toEqual(['read_file: its schema could be checked only in part'])
    expect(outcome).toBe('unchecked')
    expect(check('read_file', '{"path":5}', setting).outcome).toBe('unfit')
  })

  it('is only noted in the mode note, and if the client has seen it', () => {
    for (const setting of [{ mode: 'note' as const }, { isShown: true }]) {
      const { made, call, notes, outcome } = check('read_file', '{"path":"a","limit":"5"}', setting)
      expect(call).toBe(made)
      expect(notes).toEqual([
        'read_file: the arguments do not fit its schema: limit: must be integer, not string',
      ])
      expect(outcome).toBe('unfit')
    }
    expect(check('ReadFile', '{}', { isShown: true })).toMatchObject({
      call: { name: 'ReadFile' },
      unfit: [],
    })
  })

  it('has no mark if its id would be too long for a service', () => {
    const calls = new TurnCalls({ mode: 'repair', tools: [read], marksIds: true, note: () => undefined })
    const callId = 'x'.repeat(60)
    expect(calls.check({ callId, name: 'ReadFile', input: '{"path":"a"}' }, false).callId).toBe(callId)
  })
})

it('any text of a call that fits stays, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer(),
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
      fc.boolean(),
      (path, limit, ids, spaced) => {
        const input = JSON.stringify({ path, limit, ids }, undefined, spaced ? 1 : 0)
        const { made, call, notes } = check('read_file', input)
        expect(call).toBe(made)
        expect(notes).toEqual([])
      },
    ),
    fuzz,
  )
})
