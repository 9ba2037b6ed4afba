// generationConfig of a request.

import type { Fields } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { SchemaLowering } from '../tool-schemas/lowered-tools.ts'
import type { GeminiModel } from './models.ts'
import { toThinkingConfig } from './thinking-out.ts'

type Note = (text: string) => void

const mostStops = 5

export function toGenerationConfig(request: TurnRequest, model: GeminiModel, note: Note): Fields {
  const { temperature, topP, topK } = request
  const thinkingConfig = toThinkingConfig(request, model, note)
  const maxOutputTokens = toOutputLimit(request, model, note)
  const stopSequences = toStop(request, note)
  return {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature: Math.min(temperature, 2) }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(stopSequences ? { stopSequences } : {}),
    ...toFormat(request, model, note),
    ...(thinkingConfig ? { thinkingConfig } : {}),
  }
}

/** Above its limit, the newest generation stops in the middle and wants to be asked again. */
function toOutputLimit(
  { maxOutputTokens: asked, stream }: TurnRequest,
  { mostOutput }: GeminiModel,
  note: Note,
): number | undefined {
  const most = stream ? mostOutput?.streamed : mostOutput?.whole
  if (asked === undefined || most === undefined || asked <= most) return asked
  note(`max_tokens was lowered from ${asked} to ${most}, the most of one request to this model`)
  return most
}

function toStop({ stop }: TurnRequest, note: Note): string[] | undefined {
  if (!stop) return undefined
  const usable = stop.filter((sequence) => sequence !== '')
  if (usable.length > mostStops)
    note(`only the first ${mostStops} stop sequences were sent: the upstream takes no more`)
  return usable.length > 0 ? usable.slice(0, mostStops) : undefined
}

function toFormat(
  { responseFormat, tools, toolChoice }: TurnRequest,
  { mixes }: GeminiModel,
  note: Note,
): Fields {
  if (!responseFormat) return {}
  const isForced = toolChoice?.type === 'required' || toolChoice?.type === 'tool'
  if (tools.length > 0 && (!mixes || isForced)) {
    note('response_format was left out: this model does not take it beside tools')
    return {}
  }
  const json = { responseMimeType: 'application/json' }
  if (responseFormat.type === 'json') return json
  const lowering = new SchemaLowering({ subset: 'gemini-json', keywords: [] })
  const responseJsonSchema = lowering.lower(responseFormat.schema)
  if (lowering.note !== undefined) note(lowering.note)
  return { ...json, responseJsonSchema }
}
