// What the model says of one kind: alone or between calls that fit, and when it is asked once more.

import { bystander, bystanderCall, type CallClass, type EmittedCall, type Kind } from './kind.ts'
import type { Dialect, ModelAnswer, ModelCall } from './renderings.ts'

export const firstUsage = { input: 10, output: 7 }
export const secondUsage = { input: 20, output: 5 }
export const refusal = 'I cannot do that.'
export const words = 'Let me see.'

export const siblings: readonly [EmittedCall, EmittedCall] = [bystanderCall('UTC'), bystanderCall('CET')]
export const badId = 'call_bad1'

export const toolsOf = ({ tools }: Kind) => [...tools, bystander]

/** What the parser of calls in text makes of it. */
export const classOf = (kind: Kind, dialect: Dialect): CallClass =>
  (dialect === 'text' ? kind.inText?.class : undefined) ?? kind.class

export const becomes = (kind: Kind, dialect: Dialect): EmittedCall =>
  (dialect === 'text' ? kind.inText?.becomes : undefined) ?? kind.becomes ?? kind.call

/** Before anything is checked. */
export const isAlwaysMended = (kind: Kind, dialect: Dialect): boolean =>
  ((dialect === 'text' ? kind.inText?.always : undefined) ?? kind.always) === true

const emit = (id: string, { name, arguments: input }: EmittedCall, block?: string): ModelCall => ({
  id,
  name,
  arguments: input,
  block,
})

export function firstAnswer(kind: Kind, parallel: boolean): ModelAnswer {
  const bad = emit(badId, kind.call, kind.inText?.says)
  const [one, two] = [emit('call_one1', siblings[0]), emit('call_two1', siblings[1])]
  // In text, a call that cannot be read has no certain end: what follows may be part of it.
  const calls = !parallel ? [bad] : kind.class === 'broken' ? [one, two, bad] : [one, bad, two]
  return { text: words, calls, usage: firstUsage }
}

/** `good`: the call as it should be. `again`: as before. `repeats`: with the calls that fitted, once more. */
export type SecondTry = 'good' | 'again' | 'prose' | 'repeats'

export function secondAnswer(kind: Kind, second: SecondTry): ModelAnswer {
  const good = emit('call_bad2', kind.again ?? kind.call)
  const calls = {
    good: [good],
    again: [emit('call_bad2', kind.call, kind.inText?.says)],
    prose: [],
    repeats: [emit('call_one2', siblings[0]), good, emit('call_two2', siblings[1])],
  }
  return { text: second === 'prose' ? refusal : '', calls: calls[second], usage: secondUsage }
}
