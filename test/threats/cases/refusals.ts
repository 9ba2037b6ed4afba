// Errors of services, with texts of ours in all of their members: in place of an answer, and in the middle of one.

import { encodeException } from '../../../sim/clouds/event-stream.ts'
import type { Step } from '../../../sim/script.ts'
import type { ClaudeName } from '../../harness.ts'
import {
  anthropicFrame,
  blockDelta,
  blockStart,
  chunk,
  done,
  geminiChunk,
  messageStart,
} from '../../wire-cases/frames.ts'

interface Refusal {
  early: readonly Step[]
  late: readonly Step[]
}

/** An answer of Claude that has said something. */
export const begun: readonly Step[] = [
  ...[messageStart, blockStart(0, { type: 'text', text: '' })],
  ...[blockDelta(0, { type: 'text_delta', text: 'x' }), { wait: 5 }],
]

export const refusals: Record<'openai' | 'gemini' | ClaudeName, (type: string, message: string) => Refusal> =
  {
    openai(type, message) {
      const error = { message, type, code: type, param: type }
      return {
        early: [{ status: 400, headers: { 'retry-after': '1' }, body: { error } }],
        late: [chunk({ role: 'assistant', content: 'x' }), { wait: 5 }, { frame: { error } }, done],
      }
    },
    anthropic(type, message) {
      const body = { type: 'error', error: { type, message } }
      return { early: [{ status: 400, body }], late: [...begun, anthropicFrame(body)] }
    },
    bedrock(type, message) {
      const headers = { 'x-amzn-errortype': 'ValidationException' }
      return {
        early: [
          { status: 400, body: { message, __type: type } },
          { status: 400, headers, body: { message } },
        ],
        late: [...begun, { raw64: encodeException(type, message).toString('base64') }],
      }
    },
    gemini(type, message) {
      const reason = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: type, domain: type }
      const error = {
        code: 400,
        message,
        status: type,
        details: [reason, { '@type': type, [type]: message }],
      }
      return {
        early: [
          { status: 400, body: { error } },
          { status: 400, body: [{ error }] },
        ],
        late: [geminiChunk([{ text: 'x' }]), { wait: 5 }, { frame: { error } }],
      }
    },
    vertex(type, message) {
      const body = [{ error: { code: 400, message, status: type } }]
      return { early: [{ status: 400, body }], late: refusals.anthropic(type, message).late }
    },
  }
