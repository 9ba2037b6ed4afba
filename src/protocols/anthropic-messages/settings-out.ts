// Settings apart from the conversation: sampling, stop sequences, user id.

import type { TurnRequest } from '../../core/request.ts'
import type { Block } from './media-out.ts'
import type { AnthropicModel } from './models.ts'
import type { Thinking } from './thinking-out.ts'

export function toSampling(
  request: TurnRequest,
  model: AnthropicModel,
  thinking: Thinking,
  note: (text: string) => void,
): Block {
  const { temperature, topP, topK } = request
  if (temperature === undefined && topP === undefined && topK === undefined) return {}
  if (model.sampling === 'none' || model.sampling === 'defaults') {
    if (temperature !== 1 || topP !== undefined || topK !== undefined)
      note('temperature, top_p and top_k are not taken by this model and were left out')
    return {}
  }
  if (thinking.on) {
    if (temperature !== 1 || topP !== undefined || topK !== undefined)
      note(
        'temperature, top_p and top_k were left out: the upstream does not take them while the model thinks',
      )
    return {}
  }
  if (temperature !== undefined && temperature > 1)
    note(`temperature ${temperature} was lowered to 1, the upstream's highest`)
  const both = temperature !== undefined && topP !== undefined && model.sampling === 'one'
  if (both) note('top_p was left out: this model takes temperature or top_p, not both')
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(temperature, 1) }),
    ...(topP === undefined || both ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
  }
}

export function toStop(request: TurnRequest, note: (text: string) => void): Block {
  if (!request.stop) return {}
  const usable = request.stop.filter((sequence) => sequence.trim() !== '')
  if (usable.length < request.stop.length) note('blank stop sequences were left out')
  return usable.length > 0 ? { stop_sequences: usable } : {}
}

const personal = /@|^\+?[\d\s().-]{7,}$/

export function toMetadata(request: TurnRequest, note: (text: string) => void): Block {
  if (request.user === undefined || request.user === '') return {}
  if (personal.test(request.user)) {
    note('user was left out: it looks like an e-mail address or a phone number')
    return {}
  }
  return { metadata: { user_id: request.user.slice(0, 256) } }
}
