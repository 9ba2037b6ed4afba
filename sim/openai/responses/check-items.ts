// The rules for the items of a request: ids, calls and their outputs, reasoning, references to stored items.

import { Refusal } from '../refusal.ts'
import { type Item, typeOf } from './request.ts'
import { type Owner, unseal } from './sealed.ts'
import type { Stored } from './stored.ts'

const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
}

export interface ItemRules {
  readonly owner: Owner
  readonly stored: Stored
  readonly isStoring: boolean
}

/** `at` is the index of the first item of the request: stored items come before it. */
export function checkItems(items: readonly Item[], rules: ItemRules): void {
  for (const [at, item] of items.entries()) {
    checkId(item, at)
    checkReasoning(item, at, rules)
  }
}

/** Puts stored items in the place of references. */
export function resolved(items: readonly Item[], { stored, isStoring }: ItemRules): Item[] {
  return items.map((item) => {
    if (typeOf(item) !== 'item_reference') return item
    const found = stored.items.get(String(item.id))
    if (found) return found
    const advice = isStoring
      ? ''
      : ' Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.'
    throw new Refusal(`Item with id '${item.id}' not found.${advice}`, { status: 404, param: 'input' })
  })
}

function checkId(item: Item, at: number): void {
  const prefix = PREFIXES[typeOf(item)]
  const isIn = typeOf(item) === 'message' && item.role !== 'assistant'
  if (prefix === undefined || isIn || typeof item.id !== 'string' || item.id.startsWith(prefix)) return
  throw new Refusal(`Invalid 'input[${at}].id': '${item.id}'. Expected an ID that begins with '${prefix}'.`, {
    param: `input[${at}].id`,
    code: 'invalid_value',
  })
}

function checkReasoning(item: Item, at: number, { owner }: ItemRules): void {
  if (item.type !== 'reasoning' && item.type !== 'compaction') return
  if (Array.isArray(item.content) && item.content.length > 0)
    throw new Refusal(
      `Invalid 'input[${at}].content': array too long. Expected an array with maximum length 0, but got an array with length ${item.content.length} instead.`,
      { param: `input[${at}].content`, code: 'array_above_max_length' },
    )
  if (typeof item.encrypted_content === 'string') unseal(item.encrypted_content, owner)
}

const CALLS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  tool_search_call: 'tool_search_output',
}
const OUTPUTS = Object.values(CALLS)

/** Each call has an output of its kind after it, and each output a call before it. */
export function checkPairs(items: readonly Item[]): void {
  const calls = new Map<string, string>()
  const answered = new Set<string>()
  for (const item of items) {
    const type = typeOf(item)
    const id = item.call_id ?? ''
    // A search that the service ran has no id of a call.
    if (type.startsWith('tool_search') && id === '') continue
    if (CALLS[type] !== undefined) calls.set(id, type)
    else if (OUTPUTS.includes(type)) {
      if (CALLS[calls.get(id) ?? ''] !== type) throw unpaired(wordsOf(type), id)
      if (answered.has(id))
        throw new Refusal(`Duplicate tool output found for call_id ${id}.`, { param: 'input' })
      answered.add(id)
    }
  }
  for (const [id, type] of calls)
    if (!answered.has(id))
      throw new Refusal(`No tool output found for ${type.replaceAll('_', ' ')} ${id}.`, { param: 'input' })
}

const wordsOf = (type: string) => type.replaceAll('_', ' ').replace(' output', '')

const unpaired = (call: string, id: string) =>
  new Refusal(`No tool call found for ${call} output with call_id ${id}.`, { param: 'input' })

/** Items that are sent with their ids must come with the items that belong to them. */
export function checkNeighbours(items: readonly Item[], { stored }: ItemRules): void {
  const sent = new Set(items.map(({ id }) => id))
  for (const [at, item] of items.entries()) {
    if (typeof item.id !== 'string') continue
    const needed = stored.reasonedBy.get(item.id)
    if (needed !== undefined && !sent.has(needed))
      throw new Refusal(
        `Item '${item.id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${needed}'.`,
        { param: 'input' },
      )
    const next = items[at + 1]
    const isFollowed = next !== undefined && (isOfModel(next) || typeOf(next) === 'reasoning')
    if (item.type === 'reasoning' && !isFollowed)
      throw new Refusal(
        `Item '${item.id}' of type 'reasoning' was provided without its required following item.`,
        { param: 'input' },
      )
  }
}

const isOfModel = (item: Item) =>
  item.role === 'assistant' || typeOf(item).endsWith('_call') || typeOf(item) === 'program'
