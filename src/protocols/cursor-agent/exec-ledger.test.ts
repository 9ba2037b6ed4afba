import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { McpResultSchema } from '../../../proto/gen/agent/v1/exec_mcp_pb.ts'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { ToolResult } from '../../core/request.ts'
import type { ExecCall } from './exec.ts'
import { ExecLedger } from './exec-ledger.ts'

const call: ExecCall = {
  tool: 'add',
  input: { a: 1 },
  carries: true,
  answer: () => [],
  failed: () => [],
  aborted: () => [],
}

const execOf = (id: number, toolCallId = `tool_${id}`) =>
  create(ExecServerMessageSchema, { id, message: { case: 'mcpArgs', value: { name: 'add', toolCallId } } })

const resultOf = (callId: string, text = 'ok'): ToolResult => ({ callId, content: [{ type: 'text', text }] })

/** Calls `onLook` for every read of the request. */
function watched(exec: ExecServerMessage, onLook: () => void): ExecServerMessage {
  for (const name of ['id', 'message'] as const) {
    const value = exec[name]
    const get = () => {
      onLook()
      return value
    }
    Object.defineProperty(exec, name, { get, enumerable: true, configurable: true })
  }
  return exec
}

/** The number of reads of requests while `calls` calls are made and answered. */
function looks(calls: number, { together }: { together: boolean }): number {
  const ledger = new ExecLedger('s'.repeat(12))
  let count = 0
  let results = new Map<string, ToolResult>()
  for (let id = 1; id <= calls; id++) {
    const exec = watched(execOf(id), () => count++)
    expect(ledger.recall(exec)).toBeUndefined()
    const { callId } = ledger.open(exec, call)
    results.set(callId, resultOf(callId))
    if (together && id < calls) continue
    ledger.giveAll(results)
    results = new Map()
  }
  return count
}

describe('ExecLedger', () => {
  it.each([true, false])('looks at a request as often in many calls as in few (together: %s)', (together) => {
    const [few, many] = [looks(20, { together }), looks(400, { together })]
    expect(few).toBeGreaterThan(0)
    expect(many / 400).toBeLessThanOrEqual(few / 20)
  })

  it('finds open execs by number and by call, and repeats answers', () => {
    const ledger = new ExecLedger('s'.repeat(12))
    const { callId } = ledger.open(execOf(1), call)
    expect([ledger.recall(execOf(1)), ledger.recall(execOf(7, 'tool_1'))]).toEqual([[], []])
    expect(ledger.openIds).toEqual([1, 7])
    ledger.give(resultOf(callId))
    expect(ledger.recall(execOf(1))).toBeDefined()
    // Work of the same call under a new number is new, as long as the stream is the same.
    expect(ledger.recall(execOf(9, 'tool_1'))).toBeUndefined()
    ledger.onStreamLost()
    expect(ledger.recall(execOf(3, 'tool_1'))).toBeDefined()
    expect(ledger.recall(execOf(4, 'tool_1'))).toBeUndefined()
    expect(ledger.recall(execOf(3, 'tool_1'))).toBeDefined()
  })

  it('knows which results the server has that its last checkpoint has not', () => {
    const answering: ExecCall = {
      ...call,
      answer: () => [{ case: 'mcpResult', value: create(McpResultSchema) }],
    }
    const ledger = new ExecLedger('s'.repeat(12))
    const calls = [1, 2].map((id) => ledger.open(execOf(id), answering).callId)
    expect(ledger.isAheadOfCheckpoint(100)).toBe(false)
    // After five other messages: two results, each with its close.
    ledger.giveAll(new Map(calls.map((callId) => [callId, resultOf(callId)])), undefined, 5)
    expect([5, 6, 100].map((taken) => ledger.isAheadOfCheckpoint(taken))).toEqual([false, true, true])
    ledger.onCheckpoint()
    expect(ledger.isAheadOfCheckpoint(100)).toBe(false)
    ledger.acknowledge('tool_2')
    expect(ledger.isAheadOfCheckpoint(0)).toBe(true)
    ledger.onStreamLost()
    expect(ledger.isAheadOfCheckpoint(0)).toBe(true)
    ledger.onCheckpoint()
    expect(ledger.isAheadOfCheckpoint(0)).toBe(false)
    ledger.onStreamLost()
    expect(ledger.recall(execOf(1), 3)).toHaveLength(2)
    expect([3, 4].map((taken) => ledger.isAheadOfCheckpoint(taken))).toEqual([false, true])
  })

  it('exec numbers of a broken stream mean nothing on the next', () => {
    const ledger = new ExecLedger('s'.repeat(12))
    ledger.open(execOf(1), call)
    ledger.onStreamLost()
    expect(ledger.recall(execOf(1, 'tool_other'))).toBeUndefined()
    expect([ledger.recall(execOf(2, 'tool_1')), ledger.openIds]).toEqual([[], [2]])
    expect(ledger.abort(1)).toBeUndefined()
    expect(ledger.abort(2)).toBeDefined()
  })

  it('calls without a name are each their own', () => {
    const ledger = new ExecLedger('s'.repeat(12))
    ledger.open(execOf(1, ''), call)
    expect(ledger.recall(execOf(2, ''))).toBeUndefined()
  })

  it('forgets the oldest answers beyond 1 MB, never those of the last round; a gap is known until a checkpoint', () => {
    const ledger = new ExecLedger('s'.repeat(12))
    const large = { ...call, input: { a: 'x'.repeat(400_000) } }
    for (let id = 1; id <= 4; id++) {
      const { callId } = ledger.open(execOf(id), large)
      ledger.giveAll(new Map([[callId, resultOf(callId)]]))
    }
    expect([1, 2, 3, 4].map((id) => ledger.recall(execOf(id)) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(ledger.bytes).toBeLessThanOrEqual(2 ** 20)
    expect(ledger.remembersEnough).toBe(false)
    ledger.onCheckpoint()
    expect(ledger.remembersEnough).toBe(true)
    const round = [11, 12, 13, 14].map((id) => ledger.open(execOf(id), large).callId)
    ledger.giveAll(new Map(round.map((callId) => [callId, resultOf(callId)])))
    expect([3, 4, 11, 12, 13, 14].map((id) => ledger.recall(execOf(id)) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ])
    expect(ledger.remembersEnough).toBe(true)
    expect(ledger.stateOf(resultOf(round[0] ?? ''))).toBe('duplicate')
    expect(ledger.stateOf(resultOf(round[0] ?? '', 'other'))).toBe('different')
  })
})
