// Cuts a text into a given number of pieces, as evenly as can be, never inside a surrogate pair.

export function cutIntoPieces(text: string, pieces: number): string[] {
  const characters = Array.from(text)
  const count = Math.min(pieces, characters.length)
  return Array.from({ length: count }, (_, index) => {
    const start = Math.floor((index * characters.length) / count)
    const end = Math.floor(((index + 1) * characters.length) / count)
    return characters.slice(start, end).join('')
  })
}

/** Words with their trailing spaces if `count` is the number of words; else pieces of equal size. */
export function cutText(text: string, pieces: number): string[] {
  const words = text.match(/^\s*\S+\s*|\S+\s*/g) ?? [text]
  return words.length === pieces ? words : cutIntoPieces(text, pieces)
}

/** Word by word. */
export const cutWords = (text: string): string[] => cutText(text, Math.max(1, text.split(/\s+/).length))
