// Parts of long texts.

const pieceLength = 8 * 1024

export interface Limit {
  characters: number
  lines: number
}

export function beginningOf(text: string, { characters, lines }: Limit): string {
  let end = -1
  for (let line = 0; line < lines; line++) {
    end = text.indexOf('\n', end + 1)
    if (end < 0 || end > characters) break
  }
  const most = end < 0 ? characters : Math.min(characters, end)
  // A fold that hides next to nothing is none.
  if (text.length <= most * 1.2) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most)
}

/** A piece ends at a line end if one is in its second half. Windows' line ends are shown as others. */
export function piecesOf(given: string): string[] {
  const text = given.includes('\r\n') ? given.replaceAll('\r\n', '\n') : given
  const pieces: string[] = []
  for (let at = 0; at < text.length || at === 0; ) {
    const end = endOf(text, at)
    // The line end itself is made by the next piece's own line.
    pieces.push(text.slice(at, text[end - 1] === '\n' && end < text.length ? end - 1 : end))
    at = Math.max(end, at + 1)
  }
  return pieces
}

function endOf(text: string, from: number): number {
  const end = from + pieceLength
  if (end >= text.length) return text.length
  // Within the piece: a search of the whole text before it would take quadratic time.
  const middle = from + pieceLength / 2
  const line = text.slice(middle, end).lastIndexOf('\n')
  if (line >= 0) return middle + line + 1
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 ? end + 1 : end
}
