// The text of `tape show --frames`: every frame, decoded.

import { visible } from '../base/visible-text.ts'
import { decodeEvents, decodeMessage } from './decode.ts'
import { frameTitle, time } from './format.ts'
import type { Frame } from './frame.ts'
import type { ReadTape } from './read.ts'

/** Each line names the frame's number, as `tape diff` does, and its line in the file. */
export function frameLines({ frames, lines }: ReadTape): string {
  const width = String(lines.at(-1)).length
  const place = (at: number) =>
    `frame ${String(at + 1).padStart(width)}, line ${String(lines[at]).padStart(width)}`
  return visible(frames.map((frame, at) => `${time(frame.at)}  ${place(at)}  ${words(frame)}\n`).join(''))
}

function words(frame: Frame): string {
  const { at: _at, turn: _turn, side: _side, do: _do, ...rest } = frame
  const details = Object.entries({ ...rest, exchange: undefined, text: undefined, base64: undefined })
  const shown = Object.fromEntries(details.filter(([, value]) => value !== undefined))
  const plain = Object.keys(shown).length === 0 ? '' : ` ${JSON.stringify(shown)}`
  return frameTitle(frame) + plain + contentWords(frame)
}

function contentWords(frame: Frame): string {
  if (frame.side === 'run' && 'base64' in frame) {
    const { name, json } = decodeMessage(frame)
    return ` ${name} ${JSON.stringify(json)}`
  }
  if ('base64' in frame) return ` ${frame.base64.length} characters of base64: ${frame.base64}`
  if (!('text' in frame)) return ''
  const events = decodeEvents(frame.text)
  if (!events) return ` ${JSON.stringify(frame.text)}`
  return events.map((event) => `\n                 ${JSON.stringify(event)}`).join('')
}
