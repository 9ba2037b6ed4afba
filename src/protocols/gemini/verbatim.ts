// Forwards a generateContent request unchanged to the service that defines it, so that fields which the gateway does not know arrive,
// and prompt caches stay valid. Only signatures are looked at: those that this gateway wrote are unwrapped, and a call without one gets
// what the service wants in its place. Not if the model would refuse the settings: an alias may lead to another than the client knows.

import { writeExact } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { filler, signatureOf } from './call-signature.ts'
import { type ContentsOptions, fillerNote } from './contents-out.ts'
import { dialect } from './dialect.ts'
import { member } from './member.ts'
import type { GeminiModel } from './models.ts'
import { isOwnSignature, thoughtsOf } from './thought-signature.ts'

/** Undefined if the request must be translated. */
export function verbatimBody(request: TurnRequest, options: ContentsOptions): Fields | undefined {
  const { origin } = request
  if (origin.dialect !== dialect || !origin.faithful || options.fillsAll) return undefined
  if (!fitsModel(origin.body, options.model)) return undefined
  const { model: _, ...body } = origin.body
  if (!Array.isArray(body.contents)) return undefined
  const answer = { hasCall: false }
  const contents = body.contents.map((content: unknown) => readable(content, answer, options))
  const isSame = contents.every((content, at) => content === (body.contents as unknown[])[at])
  return isSame ? body : { ...body, contents }
}

/** A setting of thinking that the model refuses. */
function fitsModel(body: Readonly<Fields>, { thinking, levelsOnly }: GeminiModel): boolean {
  const config = member(body, 'generationConfig')
  const asked = isObject(config) ? member(config, 'thinkingConfig') : undefined
  if (!isObject(asked)) return true
  if (thinking === undefined) return false
  const [level, budget] = [member(asked, 'thinkingLevel'), member(asked, 'thinkingBudget')]
  if ('levels' in thinking) {
    if (typeof budget === 'number') return !levelsOnly
    return typeof level !== 'string' || thinking.levels.some((one) => one === level.toLowerCase())
  }
  if (level !== undefined && level !== null) return false
  if (typeof budget !== 'number' || budget === -1) return true
  return budget === 0 ? thinking.isOptional : budget >= thinking.least && budget <= thinking.most
}

/** The same object if nothing has to be changed. `answer`: Google's SDK sends each chunk of an answer as a content of its own. */
function readable(content: unknown, answer: { hasCall: boolean }, options: ContentsOptions): unknown {
  if (!isObject(content) || content.role !== 'model') answer.hasCall = false
  if (!isObject(content) || content.role !== 'model' || !Array.isArray(content.parts)) return content
  let isChanged = false
  const parts = content.parts.map((part: unknown) => {
    const isCall = isObject(part) && member(part, 'functionCall') !== undefined
    const signed = isObject(part) ? withSignature(part, isCall && !answer.hasCall, options) : part
    answer.hasCall ||= isCall
    if (signed !== part) isChanged = true
    return signed
  })
  return isChanged ? { ...content, parts } : content
}

function withSignature(
  part: Fields,
  isFirstCall: boolean,
  { model, source, recall, note }: ContentsOptions,
): Fields {
  const given = member(part, 'thoughtSignature')
  const isOwn = typeof given === 'string' && isOwnSignature(given)
  const needs = isFirstCall && model.needsSignatures
  if (!isOwn && (given || !needs)) return part
  const { thoughtSignature: _, thought_signature: __, ...rest } = part
  const carried = isOwn ? thoughtsOf(given).flatMap((thought) => signatureOf(thought, source) ?? []) : []
  const original = carried.at(-1) ?? kept(part, recall)
  if (original !== undefined) return { ...rest, thoughtSignature: original }
  // A part may have nothing but a signature.
  if (!needs) return Object.keys(rest).length === 0 ? { text: '' } : rest
  note(fillerNote)
  return { ...rest, thoughtSignature: filler }
}

function kept(part: Fields, recall: ContentsOptions['recall']): string | undefined {
  const call = member(part, 'functionCall')
  if (!isObject(call) || typeof call.id !== 'string' || typeof call.name !== 'string') return undefined
  const input = writeExact(call.args ?? {})
  return recall({ type: 'tool-call', callId: call.id, name: call.name, input })
}
