// JSON strings. Most are short and need no escape: checking that here is faster than JSON.stringify.

const longest = 128

export function jsonString(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text)
}

/** An object of plain values; undefined members are left out. */
export function flatJson(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let members = ''
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    const text = typeof value === 'string' ? jsonString(value) : JSON.stringify(value)
    members += `${members === '' ? '' : ','}${jsonString(name)}:${text}`
  }
  return `{${members}}`
}

/** Whether a short text needs no escape in JSON; false for longer ones. */
export function isPlain(text: string): boolean {
  if (text.length > longest) return false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // A lone surrogate must be escaped. Pairs are rare and take the slow path.
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return false
  }
  return true
}
