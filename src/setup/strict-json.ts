// JSON with comments and trailing commas → JSON without them, for clients that read no other. All other text stays.

import { createScanner } from 'jsonc-parser'

/** A text that is JSON already is returned unchanged, and so is one that is not JSON at all. */
export function strictJson(text: string): string {
  if (isJson(text)) return text
  const bare = withoutBlankedLines(text, withoutTrivia(text))
  return isJson(bare) ? bare : text
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return true
  } catch {
    return false
  }
}

const isComment = (token: string) => token.startsWith('//') || token.startsWith('/*')

/** Line breaks inside comments stay, so that lines can be compared. */
function withoutTrivia(text: string): string {
  const scanner = createScanner(text, false)
  const pieces: string[] = []
  /** The place of a comma that may turn out to be the last. */
  let comma: number | undefined
  for (;;) {
    scanner.scan()
    const from = scanner.getTokenOffset()
    const token = text.slice(from, from + scanner.getTokenLength())
    if (token === '') break
    if (isComment(token)) {
      pieces.push(token.replace(/[^\r\n]/g, ''))
      continue
    }
    if ((token === '}' || token === ']') && comma !== undefined) pieces[comma] = ''
    if (token === ',') comma = pieces.length
    else if (token.trim() !== '') comma = undefined
    pieces.push(token)
  }
  return pieces.join('')
}

/** Without the lines that had nothing but a comment. */
function withoutBlankedLines(before: string, after: string): string {
  const were = before.split('\n')
  return after
    .split('\n')
    .flatMap((line, at) => {
      if (line === were[at]) return [line]
      const kept = line.trimEnd()
      const end = line.endsWith('\r') ? '\r' : ''
      return kept === '' && were[at]?.trim() !== '' ? [] : [kept + end]
    })
    .join('\n')
}
