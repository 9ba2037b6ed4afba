import { createHash } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  ConversationStateStructureSchema,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { reachableBlobs } from './blob-graph.ts'
import { BlobStore } from './blobs.ts'
import { Checkpoint } from './checkpoint.ts'

const idOf = (data: Uint8Array) => createHash('sha256').update(data).digest()
const bytes = (text: string) => Buffer.from(text)

function stored(blobs: BlobStore, data: Uint8Array): Uint8Array {
  blobs.set(idOf(data), data)
  return idOf(data)
}

/** A conversation of one turn with one call, and a blob that it does not lead to. */
function conversation(callId: string) {
  const blobs = new BlobStore()
  const step = create(ConversationStepSchema, {
    message: { case: 'toolCall', value: { toolCallId: callId } },
  })
  const stepId = stored(blobs, toBinary(ConversationStepSchema, step))
  const userId = stored(blobs, bytes('user'))
  const turn = create(ConversationTurnStructureSchema, {
    turn: { case: 'agentConversationTurn', value: { userMessage: userId, steps: [stepId] } },
  })
  const turnId = stored(blobs, toBinary(ConversationTurnStructureSchema, turn))
  const rootId = blobs.add(bytes('{"role":"system","content":"x"}'))
  stored(blobs, bytes('of an earlier state'))
  const state = create(ConversationStateStructureSchema, {
    rootPromptMessagesJson: [rootId],
    turns: [turnId],
    pendingToolCalls: ['{"toolCallId":"tool_pending"}'],
  })
  return { blobs, state, ids: [rootId, turnId, userId, stepId] }
}

const hex = (id: Uint8Array) => Buffer.from(id).toString('hex')

describe('the blobs that a state reaches', () => {
  it('are those it refers to, directly or through others, and nothing else', () => {
    const { blobs, state, ids } = conversation('tool_1')
    const found = reachableBlobs(toBinary(ConversationStateStructureSchema, state), blobs)
    expect(found.map(({ id }) => hex(id)).sort()).toEqual(ids.map(hex).sort())
  })

  it('is found in fields that we do not know, too', () => {
    const blobs = new BlobStore()
    const inner = stored(blobs, bytes('inner'))
    // Field 99, a message with field 3, which is an id.
    const nested = Buffer.concat([Buffer.from([0x1a, 32]), inner, Buffer.from([0x22, 2, 1, 1])])
    const outer = Buffer.concat([Buffer.from([0x9a, 0x06, nested.length]), nested])
    expect(reachableBlobs(outer, blobs).map(({ id }) => hex(id))).toEqual([hex(inner)])
  })

  it('comes to an end with any bytes, and with blobs that name each other', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (all) => {
        const blobs = new BlobStore()
        const ids = all.map((data) => stored(blobs, data))
        const field = (id: Uint8Array) => Buffer.concat([Buffer.from([0x0a, 32]), id])
        const loop = Buffer.concat([...ids.map(field), ...all])
        blobs.set(Buffer.alloc(32, 1), Buffer.concat([field(Buffer.alloc(32, 1)), loop]))
        expect(reachableBlobs(field(Buffer.alloc(32, 1)), blobs).length).toBeGreaterThanOrEqual(1)
      }),
      fuzz,
    )
  })
})

describe('a checkpoint', () => {
  const taken = () => {
    const { blobs, state } = conversation('tool_done')
    const checkpoint = new Checkpoint()
    checkpoint.take(state)
    return { blobs, checkpoint }
  }

  it('knows the calls it has, done or pending, and no others', () => {
    const { blobs, checkpoint } = taken()
    expect(checkpoint.knows(['tool_done', 'tool_pending'], blobs)).toBe(true)
    expect(checkpoint.knows([], blobs)).toBe(true)
    expect(checkpoint.knows(['tool_done', 'tool_new'], blobs)).toBe(false)
    expect(checkpoint.knows([''], blobs)).toBe(false)
    expect(new Checkpoint().knows([], blobs)).toBe(false)
  })

  it('knows them however they are spelled', () => {
    const long = 'x'.repeat(1_000)
    for (const id of ['call_é(1|2)\nfc_*', 'call_1', `tool_${long}`, '.', '日本']) {
      const { blobs, state } = conversation(`${id}0`)
      const checkpoint = new Checkpoint()
      checkpoint.take(state)
      // One may be a part of the other.
      expect(checkpoint.knows([`${id}0`, id], blobs)).toBe(true)
      expect(checkpoint.knows([`${id}0`, `${id}1`], blobs)).toBe(false)
    }
  })

  it('does not look through all of it for each of very many', () => {
    const blobs = new BlobStore()
    const ids = Array.from({ length: 1_200 }, (_, at) => `tool_${at + 10_000}`)
    const turns = ids.map((id) => stored(blobs, bytes(`{"id":"${id}"}`)))
    const checkpoint = new Checkpoint()
    checkpoint.take(create(ConversationStateStructureSchema, { turns }))
    const includes = vi.spyOn(Buffer.prototype, 'includes')
    const known = checkpoint.knows(ids, blobs)
    const looks = includes.mock.calls.length
    includes.mockRestore()
    expect([known, checkpoint.knows([...ids, 'tool_new'], blobs)]).toEqual([true, false])
    expect(looks).toBeLessThan(ids.length)
  })

  it('continues an answer that has shown nothing since, repeats one that it covers nothing of', () => {
    const { checkpoint } = taken()
    const both = () => [checkpoint.continuesAnswer, checkpoint.repeatsAnswer]
    checkpoint.onAnswer()
    expect(both()).toEqual([true, true])
    checkpoint.onShown()
    expect(both()).toEqual([false, true])
    checkpoint.take(create(ConversationStateStructureSchema, {}))
    expect(both()).toEqual([true, false])
    checkpoint.onShown()
    expect(both()).toEqual([false, false])
    checkpoint.onAnswerDropped()
    expect(both()).toEqual([true, true])
  })

  it('is useless after an answer that has shown more than it covers', () => {
    const { checkpoint } = taken()
    const both = () => [checkpoint.continuesAnswer, checkpoint.repeatsAnswer]
    checkpoint.onShown()
    checkpoint.onAnswer()
    expect(both()).toEqual([false, false])
    checkpoint.take(create(ConversationStateStructureSchema, {}))
    expect(both()).toEqual([true, true])
  })
})
