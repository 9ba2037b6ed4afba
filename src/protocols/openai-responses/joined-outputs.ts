// Several outputs of one call, as one. A program of Codex reports while it runs, each time by the id of its call; services take one
// output of a call and refuse a second.

import type { Fields } from '../../base/json.ts'
import type { PlacedItem } from './items-in.ts'

const isOutput = ({ type }: Fields) => type === 'function_call_output' || type === 'custom_tool_call_output'

interface Output {
  /** Its place among the items. */
  at: number
  /** The outputs that it consists of, once there are several: a repeated one is left out. */
  texts: Set<string>
  parts: unknown[]
}

/** The same list if no call has several outputs. */
export function joinOutputs(
  items: readonly PlacedItem[],
  note: (text: string) => void,
): readonly PlacedItem[] {
  const joined: PlacedItem[] = []
  /** Clients also give several calls one id: each of them has an output of its own. */
  const calls = new Map<unknown, number>()
  const outputs = new Map<unknown, Output[]>()
  for (const placed of items) {
    const { type, call_id: id } = placed.item
    if (typeof type === 'string' && type.endsWith('_call')) calls.set(id, (calls.get(id) ?? 0) + 1)
    const earlier = isOutput(placed.item) ? (outputs.get(id) ?? []) : undefined
    const last = earlier?.at(-1)
    if (last && earlier && earlier.length >= (calls.get(id) ?? 0)) {
      join(joined, last, placed.item)
      continue
    }
    earlier?.push({ at: joined.length, texts: new Set(), parts: [] })
    if (earlier && calls.has(id)) outputs.set(id, earlier)
    joined.push(placed)
  }
  if (joined.length === items.length) return items
  note('several outputs of one tool call were joined')
  return joined
}

function join(items: PlacedItem[], { at, texts, parts }: Output, { output }: Fields): void {
  const { item, path } = items[at] as PlacedItem
  if (texts.size === 0) {
    texts.add(JSON.stringify(item.output ?? ''))
    addParts(parts, item.output)
    items[at] = { item: { ...item, output: parts }, path }
  }
  const text = JSON.stringify(output ?? '')
  if (!texts.has(text)) addParts(parts, output)
  texts.add(text)
}

function addParts(parts: unknown[], output: unknown): void {
  if (!Array.isArray(output)) parts.push({ type: 'input_text', text: output ?? '' })
  else for (const part of output) parts.push(part)
}
