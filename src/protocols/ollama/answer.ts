// A turn as one answer that is not streamed.

import type { CollectedTurn } from '../../core/collect.ts'
import {
  type AnswerOptions,
  callText,
  ending,
  filteredNote,
  filteredText,
  opening,
  saying,
  text,
} from './line.ts'

export function ollamaAnswer(
  { parts, reason, usage }: CollectedTurn,
  options: AnswerOptions,
  note: (text: string) => void,
): string {
  let said = ''
  let thinking = ''
  const calls: string[] = []
  for (const part of parts)
    if (part.type === 'reasoning') thinking += part.text
    else if (part.type === 'tool-call') calls.push(callText(part, calls.length))
    else said += part.text
  if (reason === 'content-filter') {
    if (said === '' && calls.length === 0) said = filteredText
    else note(filteredNote)
  }
  const thought = options.showsThinking && thinking !== '' ? `,"thinking":${text(thinking)}` : ''
  const called = calls.length === 0 ? '' : `,"tool_calls":[${calls.join(',')}]`
  return `${opening(options)}${saying(options.form, text(said), thought + called)},${ending(reason, usage, options)}}`
}

/** The answer to a request that only loads a model, or unloads it. */
export const loadedAnswer = (
  { model, reason }: { model: string; reason: 'load' | 'unload' },
  form: AnswerOptions['form'],
  createdAt: Date,
): Record<string, unknown> => ({
  model,
  created_at: createdAt.toISOString(),
  ...(form === 'chat' ? { message: { role: 'assistant', content: '' } } : { response: '' }),
  done: true,
  done_reason: reason,
})
