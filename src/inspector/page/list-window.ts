// Which rows of a long list are there: those in view and some around them. Heights are known, so that nothing has to be measured.

import type { TurnSummary } from '../api.ts'
import type { Conversation } from './conversations.ts'

/** As in styles/list.css and styles/search.css. */
export const heights = { head: 28, row: 64, line: 18, lineGap: 4 }

/** A line of the list: the head of a conversation, or a turn. */
export interface ListItem {
  key: string
  conversation: Conversation
  turn: TurnSummary | undefined
  isFirst: boolean
  /** The number of further lines below the turn. */
  lines: number
  top: number
  height: number
}

export interface Layout {
  items: readonly ListItem[]
  height: number
}

export function layOut(
  conversations: readonly Conversation[],
  linesOf: (turn: TurnSummary) => number,
  isSingle: (conversation: Conversation) => boolean,
): Layout {
  const items: ListItem[] = []
  let top = 0
  const add = (item: Omit<ListItem, 'top'>) => {
    items.push({ ...item, top })
    top += item.height
  }
  for (const conversation of conversations) {
    const hasHead = !isSingle(conversation)
    if (hasHead)
      add({
        ...{ key: `head ${conversation.id}`, conversation, turn: undefined },
        ...{ isFirst: true, lines: 0, height: heights.head },
      })
    for (const [at, turn] of conversation.turns.entries()) {
      const lines = linesOf(turn)
      const height = heights.row + (lines === 0 ? 0 : lines * heights.line + heights.lineGap)
      add({ key: turn.id, conversation, turn, isFirst: at === 0 && !hasHead, lines, height })
    }
  }
  return { items, height: top }
}

/** The items between two heights: from the first to before the second. */
export function between({ items }: Layout, top: number, bottom: number): [number, number] {
  const from = firstWhere(items, (item) => item.top + item.height > top)
  const to = firstWhere(items, (item) => item.top >= bottom)
  return [from, Math.max(from, to)]
}

/** `holds` is false up to some item, and true from there. */
function firstWhere(items: readonly ListItem[], holds: (item: ListItem) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(items[middle] as ListItem)) high = middle
    else low = middle + 1
  }
  return low
}
