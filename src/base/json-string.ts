// A string as JSON has it. Most are short and need no escape: to see that here is faster than to have it made elsewhere.

const longest = 128

export function jsonString(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text)
}

/** Of plain values; what is undefined is left out. */
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

/** Nothing in it is written otherwise in JSON. Of longer ones it is not said. */
export function isPlain(text: string): boolean {
  if (text.length > longest) return false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    // Half a character is escaped, too; whole ones of two halves are rare enough to be left to the other way.
    if (code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff)) return false
  }
  return true
}
