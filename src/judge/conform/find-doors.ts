import { clients } from '../clients/all.ts'
import type { Answer, DialectClient, DoorName } from '../clients/answer.ts'
import { parsed, textAt } from '../clients/json.ts'
import { CannotJudge, unreachable } from './target.ts'
import { type Judged, Wiring } from './wiring.ts'

/** Finds missing doors. A door is there if it answers anything but "no such route". */
export async function findDoors(
  wanted: readonly DoorName[],
  options: Judged,
): Promise<Map<DoorName, string>> {
  const missing = new Map<DoorName, string>()
  let unknownModel = ''
  const routeOf = (name: DoorName) =>
    clients[name].url(options.target.base, { model: options.model, form: 'whole' })
  for (const name of wanted) {
    const answer = await knock(clients[name], options)
    const { status, text } = answer.reply
    if (status === 401)
      throw new CannotJudge(
        `${routeOf(name)} refuses the key (HTTP 401: ${errorOf(text)}). Pass the gateway's own key with --key.`,
      )
    if (!isMissing(answer)) continue
    missing.set(name, `HTTP ${status}: ${errorOf(text)}`)
    if (/model/i.test(errorOf(text)) || textAt(parsed(text), 'error', 'code') === 'model_not_found')
      unknownModel ||= errorOf(text)
  }
  if (missing.size < wanted.length) return missing
  if (unknownModel !== '')
    throw new CannotJudge(
      `The gateway does not know the model "${options.model.replaceAll('{case}', 'CASE')}": ${unknownModel} Name another with --model.`,
    )
  const tried = wanted.map(routeOf).join(', ')
  throw new CannotJudge(
    `No gateway answers there: ${tried} all say ${[...new Set(missing.values())].join(', ')}. Give the base URL for OpenAI clients; it usually ends in /v1.`,
  )
}

/** Some gateways use another status for it, or show their web page at every path. */
const isMissing = ({ reply: { status, headers, text } }: Answer): boolean =>
  [404, 405, 501].includes(status) ||
  (status >= 400 && saysMissing.test(errorOf(text))) ||
  (status < 400 && String(headers['content-type']).startsWith('text/html'))

const saysMissing = /\bnot (supported|implemented|available)\b|\bunsupported (route|endpoint|path)\b/i

async function knock(door: DialectClient, options: Judged): Promise<Answer> {
  try {
    return await new Wiring(options, door, `shared-${door.name}-whole`).ask({ form: 'whole', maxTokens: 64 })
  } catch (error) {
    throw new CannotJudge(unreachable(options.target.base, error))
  }
}

const errorOf = (text: string) => {
  const body = parsed(text)
  return (textAt(body, 'error', 'message') || textAt(body, 'message') || text || 'an empty body').slice(
    0,
    200,
  )
}
