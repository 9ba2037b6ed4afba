// Cuts blocks out of a text that others have written: each block is looked for once, however many are begun and never ended.

/** `opening` is global and finds the beginning of a block; `endOf` returns the end marker of that block. */
export function cutBlocks(
  text: string,
  opening: RegExp,
  endOf: (found: RegExpExecArray) => string,
  onBlock: (content: string, found: RegExpExecArray) => void = () => undefined,
): string {
  const missing = new Set<string>()
  let kept = ''
  let from = 0
  opening.lastIndex = 0
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const end = endOf(found)
    const at = missing.has(end) ? -1 : text.indexOf(end, opening.lastIndex)
    if (at < 0) {
      missing.add(end)
      continue
    }
    onBlock(text.slice(opening.lastIndex, at), found)
    kept += text.slice(from, found.index)
    from = at + end.length
    opening.lastIndex = from
  }
  return kept + text.slice(from)
}
