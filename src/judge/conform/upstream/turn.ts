// A well-formed turn, described once and rendered for either service, streamed or not.

import type { Finish } from '../../clients/answer.ts'
import { parsed, type Shape } from '../../clients/json.ts'
import * as anthropic from './anthropic.ts'
import * as openai from './openai.ts'
import type { Piece, Play, Played } from './played.ts'

export type Part =
  | { text: string }
  | { think: string; signature?: string }
  | { call: string; id: string; input: string }
  | { piece: Piece }

export interface Turn {
  parts: readonly Part[]
  end: Finish
  /** Deltas for each text and each input. */
  cuts?: number
}

export const turn =
  (parts: readonly Part[], end: Finish, more: { cuts?: number; bytesPerWrite?: number } = {}): Play =>
  ({ kind, stream, body }) => {
    const told = { parts, end, cuts: more.cuts ?? 2 }
    const played =
      kind === 'openai' ? openaiTurn(told, stream, openai.wantsUsage(body)) : anthropicTurn(told, stream)
    return more.bytesPerWrite === undefined ? played : { ...played, bytesPerWrite: more.bytesPerWrite }
  }

export const says = (text: string): Play => turn([{ text }], 'stop')

/** Splits by characters: no delta holds half of one. */
export function cut(text: string, cuts: number): string[] {
  const characters = [...text]
  const length = Math.max(1, Math.ceil(characters.length / cuts))
  const pieces: string[] = []
  for (let from = 0; from < characters.length; from += length)
    pieces.push(characters.slice(from, from + length).join(''))
  return pieces
}

const anthropicStops: Record<Finish, string> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

function openaiTurn({ parts, end, cuts = 2 }: Turn, stream: boolean, usage: boolean): Played {
  if (!stream) return openaiWhole(parts, end)
  let index = -1
  const pieces = parts.flatMap((part): Piece[] => {
    if ('piece' in part) return [part.piece]
    if ('text' in part) return cut(part.text, cuts).map((content) => openai.chunk({ content }))
    if ('think' in part)
      return cut(part.think, cuts).map((reasoning_content) => openai.chunk({ reasoning_content }))
    index++
    return [
      openai.callStart(index, part.id, part.call),
      ...cut(part.input, cuts).map((text) => openai.callMore(index, text)),
    ]
  })
  return openai.chunks(pieces, end, usage)
}

function openaiWhole(parts: readonly Part[], end: Finish): Played {
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('')
  const thought = parts.map((part) => ('think' in part ? part.think : '')).join('')
  const calls = parts.flatMap((part) => ('call' in part ? [openai.call(part.id, part.call, part.input)] : []))
  return openai.completion(
    {
      content: text === '' ? null : text,
      ...(thought === '' ? {} : { reasoning_content: thought }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
    end,
  )
}

function anthropicTurn({ parts, end, cuts = 2 }: Turn, stream: boolean): Played {
  const stop = anthropicStops[end]
  if (!stream) return anthropic.message(parts.flatMap(wholeBlock), stop)
  let index = -1
  const pieces = parts.flatMap((part): Piece[] => {
    if ('piece' in part) return [part.piece]
    index++
    const deltas = deltasOf(part, cuts).map((delta) => anthropic.blockDelta(index, delta))
    return [anthropic.blockStart(index, emptyBlock(part)), ...deltas, anthropic.blockStop(index)]
  })
  return anthropic.events(pieces, stop)
}

type Content = Exclude<Part, { piece: Piece }>

function wholeBlock(part: Part): Shape[] {
  if ('piece' in part) return []
  if ('text' in part) return [{ type: 'text', text: part.text }]
  if ('think' in part) return [{ type: 'thinking', thinking: part.think, signature: part.signature ?? 'sig' }]
  return [{ type: 'tool_use', id: part.id, name: part.call, input: parsed(part.input) ?? {} }]
}

function emptyBlock(part: Content): Shape {
  if ('text' in part) return { type: 'text', text: '' }
  if ('think' in part) return { type: 'thinking', thinking: '', signature: '' }
  return { type: 'tool_use', id: part.id, name: part.call, input: {} }
}

function deltasOf(part: Content, cuts: number): Shape[] {
  if ('text' in part) return cut(part.text, cuts).map((text) => ({ type: 'text_delta', text }))
  if ('think' in part)
    return [
      ...cut(part.think, cuts).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: part.signature ?? 'sig' },
    ]
  return cut(part.input, cuts).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
}
