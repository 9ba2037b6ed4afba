// Any turn that a backend may give: the input of door tests.

import fc from 'fast-check'
import { BlockWriter } from '../../src/core/blocks.ts'
import type { FinishReason, TurnEvent } from '../../src/core/events.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom('data: x\n\n', '\r\n', '[DONE]', '\u2028', '\ud800', ': c'),
)
const pieces = fc.array(text, { minLength: 1, maxLength: 4 })
const block = fc.oneof(
  pieces.map((all) => ({ kind: 'text' as const, pieces: all })),
  pieces.map((all) => ({ kind: 'reasoning' as const, pieces: all })),
  fc.record({
    kind: fc.constant('call' as const),
    id: fc.string({ minLength: 1 }),
    name: fc.string({ minLength: 1 }),
    input: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
    cuts: fc.nat(5),
  }),
)

export const turns: fc.Arbitrary<TurnEvent[]> = fc
  .record({
    blocks: fc.array(block, { maxLength: 5 }),
    end: fc.constantFrom<FinishReason>('stop', 'length', 'content-filter'),
    cut: fc.boolean(),
  })
  .map(({ blocks, end, cut }) => {
    const writer = new BlockWriter()
    writer.push({ type: 'turn-start', id: 'upstream', model: 'upstream-model' })
    for (const entry of blocks) {
      if (entry.kind === 'text') for (const piece of entry.pieces) writer.text(piece)
      else if (entry.kind === 'reasoning') for (const piece of entry.pieces) writer.reasoning(piece)
      else writeCall(writer, entry)
    }
    writer.close()
    if (cut && end === 'length') {
      writer.startCall('cut', 'never_shown')
      writer.callDelta('{"half":')
    }
    const reason = end === 'stop' && writer.calls > 0 ? 'tool-calls' : end
    writer.push({ type: 'turn-end', reason, usage: { inputTokens: 7, outputTokens: 5 } })
    return writer.take()
  })

function writeCall(
  writer: BlockWriter,
  { id, name, input, cuts }: { id: string; name: string; input: object; cuts: number },
): void {
  const whole = JSON.stringify(input)
  writer.startCall(id, name)
  const size = Math.max(1, Math.ceil(whole.length / (cuts + 1)))
  for (let at = 0; at < whole.length; at += size) writer.callDelta(whole.slice(at, at + size))
  writer.endCall(whole)
}

/** Splits events into batches, as upstream reads would. */
export function inBatches(events: readonly TurnEvent[], sizes: readonly number[]): TurnEvent[][] {
  const batches: TurnEvent[][] = []
  for (let at = 0, round = 0; at < events.length; round++) {
    const size = 1 + ((sizes[round % Math.max(1, sizes.length)] ?? 0) % 7)
    batches.push(events.slice(at, at + size))
    at += size
  }
  return batches
}
