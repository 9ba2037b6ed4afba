// Conversations that clients continue by `previous_response_id`: their items, from the tapes of earlier turns.

import { type Fields, isObject, parseJson } from '../../base/json.ts'
import type { CallerResponses } from '../../doors/response-store.ts'
import { responseId } from '../../protocols/openai-responses/response-out.ts'
import { answerEvents } from '../../tapes/answer-events.ts'
import type { Frame } from '../../tapes/frame.ts'
import { requestIn, type TapedTurn } from './taped-turn.ts'

const mostTurns = 500
/** Characters that name the answer. The rest of an id may name the instance that stored the answer. */
const idLength = 16

export class StoredItems implements CallerResponses {
  readonly #find: (turn: string) => TapedTurn | undefined
  /** A turn of the conversation is not kept. */
  isMissing = false

  constructor(find: (turn: string) => TapedTurn | undefined) {
    this.#find = find
  }

  conversation(id: string): readonly Fields[] | undefined {
    const turns: Fields[][] = []
    let at: unknown = id
    while (typeof at === 'string' && turns.length < mostTurns) {
      const found = this.#turnOf(at)
      const body = found && parseJson(requestIn(found)?.body ?? '')
      if (!found || !isObject(body)) {
        this.isMissing = true
        break
      }
      turns.unshift([...inputOf(body), ...outputOf(found.frames)])
      at = body.previous_response_id
    }
    return turns.length === 0 ? undefined : turns.flat()
  }

  itemsOf(id: string): readonly Fields[] | undefined {
    const found = this.#turnOf(id)
    this.isMissing ||= !found
    return found && outputOf(found.frames)
  }

  #turnOf(id: string): TapedTurn | undefined {
    const name = id.slice(responseId('').length)
    return this.#find(`turn_${name}`) ?? this.#find(`turn_${name.slice(0, idLength)}`)
  }

  /** Nothing is kept here, and no seal can be opened. */
  idOf = (turn: string) => turn
  gather = async () => undefined
  keep = () => undefined
  response = () => undefined
  seal = (text: string) => text
  delete = async () => false
}

/** Item references are left out: the items are in earlier answers. */
function inputOf({ input }: Fields): Fields[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return Array.isArray(input) ? input.filter(isObject).filter(({ type }) => type !== 'item_reference') : []
}

function outputOf(frames: readonly Frame[]): Fields[] {
  const writes = frames.flatMap((frame) => (frame.side === 'client' && frame.do === 'write' ? [frame] : []))
  const items: Fields[] = []
  let whole: unknown[] = []
  for (const { event } of answerEvents(writes)) {
    if (!isObject(event)) continue
    if (event.type === 'response.output_item.done' && isObject(event.item)) items.push(event.item)
    const { output } = isObject(event.response) ? event.response : event
    if (Array.isArray(output)) whole = output
  }
  return items.length > 0 ? items : whole.filter(isObject)
}
