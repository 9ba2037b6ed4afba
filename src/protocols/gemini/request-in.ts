// A generateContent request → TurnRequest. Unknown fields are tolerated; errors name the exact field.
// https://ai.google.dev/api/generate-content

import type { GatewayError } from '../../core/errors.ts'
import type { Notes } from '../../core/notes.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { defined, type Fields, object, optional, unsupported } from '../requests/decode.ts'
import { readHistory } from '../requests/history-in.ts'
import { hasOpaquePart } from '../requests/opaque-parts.ts'
import { ContentsReader, readParts, readText } from './contents-in.ts'
import { dialect } from './dialect.ts'
import { member } from './member.ts'
import { readSettings } from './settings-in.ts'
import { readToolsAndChoice } from './tools-in.ts'

export interface GeminiRequest {
  turn: TurnRequest
  /** The client wants to see thoughts. */
  showsThoughts: boolean
}

interface Target {
  /** The model in the path. */
  model: string
  stream: boolean
}

export function fromGeminiRequest(body: unknown, notes: Notes, { model, stream }: Target): GeminiRequest {
  const given = object(body, 'body')
  // The form of countTokens for a whole request.
  const fields = optional(member(given, 'generateContentRequest'), 'generateContentRequest', object) ?? given
  let faithful = true
  const note = (text: string) => {
    faithful = false
    notes.add(text)
  }
  const conversation = [...readSystem(fields), ...new ContentsReader(model).read(fields.contents)]
  const messages = readHistory(conversation, 'contents', note)
  const { tools, toolChoice, opaqueTools, needs } = readToolsAndChoice(fields)
  const config = optional(member(fields, 'generationConfig'), 'generationConfig', object) ?? {}
  const settings = readSettings(config)
  const needed = [...neededFields(fields), ...needs]
  const turn: TurnRequest = {
    model,
    messages,
    tools,
    stream,
    ...settings.turn,
    ...defined({
      toolChoice,
      opaqueTools: opaqueTools.length > 0 ? opaqueTools : undefined,
      hasOpaqueParts: messages.some(hasOpaquePart) ? true : undefined,
      needs: needed.length > 0 ? needed : undefined,
    }),
    origin: { dialect, body: fields, faithful },
  }
  return { turn, showsThoughts: settings.showsThoughts }
}

/** Text alone. Its role says nothing. */
function readSystem(fields: Fields): Message[] {
  const path = 'systemInstruction'
  const value = member(fields, path)
  if (value === undefined || value === null) return []
  const parts = typeof value === 'string' ? [{ text: value }] : readParts(object(value, path), path)
  const content = parts.flatMap((part, at) => readText(part, `${path}.parts[${at}]`) ?? [])
  return content.length === 0 ? [] : [{ role: 'system', content }]
}

/** The errors of fields that cannot be left out without changing the meaning of the request. */
function neededFields(fields: Fields): GatewayError[] {
  const refusal = (name: string, instead: string) =>
    (member(fields, name) ?? null) === null
      ? []
      : [unsupported(name, `leads to what is stored at Google; ${instead}.`)]
  return [
    ...refusal('cachedContent', 'send the contents themselves'),
    ...refusal('continuationToken', 'ask again without it'),
  ]
}
