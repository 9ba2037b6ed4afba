// `reasoning_effort`: a value that the model accepts, also beside function tools.

import { type Fields, isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import { fittingEffort } from '../requests/nearest-effort.ts'
import type { ServerTraits } from './servers.ts'

interface EffortOptions {
  traits: ServerTraits
  note(text: string): void
}

/** Sets `body.reasoning_effort` to an accepted value. Every change is a note. */
export function writeEffort(body: Fields, request: TurnRequest, options: EffortOptions): void {
  const asked = askedEffort(body, request, options)
  const effort = asked === undefined ? undefined : fittingEffort(asked, request, options)
  if (effort !== undefined) body.reasoning_effort = effort
  else delete body.reasoning_effort
  if (request.tools.length > 0) fitTools(body, request, options)
}

/** From Chat's own field, another dialect's field, or the model name. */
function askedEffort(
  { reasoning_effort: stated, reasoning }: Fields,
  request: TurnRequest,
  { traits }: EffortOptions,
) {
  if (typeof stated === 'string') return stated
  // Some services of this dialect have a `reasoning` setting: it is forwarded unchanged unless the service refuses it.
  if (isObject(reasoning) && !traits.refuses.includes('reasoning')) return undefined
  return request.reasoning?.effort ?? request.otherEffort
}

function fitTools(body: Fields, { model }: TurnRequest, { traits, note }: EffortOptions): void {
  const { reasoning_effort: effort } = body
  switch (traits.chatTools) {
    case 'any':
      return
    case 'never':
      throw new GatewayError(
        'unsupported',
        `OpenAI takes function tools with ${model} only on its Responses API (/v1/responses), and this backend has "api": "chat". Set "auto" or "responses", send the request without tools, or choose a model that takes tools there: gpt-5.2 with reasoning, gpt-5.6 or gpt-6-sol without.`,
        { param: 'tools' },
      )
    case 'without reasoning':
      if (effort === undefined || effort === 'none') return
      break
    case 'stated none':
      if (effort === 'none') return
  }
  body.reasoning_effort = 'none'
  note(
    `the model answers without reasoning (reasoning_effort "none"): with function tools OpenAI takes nothing else for ${model} on Chat Completions; it reasons beside tools only on the Responses API`,
  )
}
