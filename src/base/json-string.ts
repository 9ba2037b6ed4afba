// JSON strings. Most are short and need no escape: checking that here is faster than JSON.stringify.

const longest = 128

export function jsonString(text: string): string {
  return isPlain(text) ? `"${text}"` : JSON.stringify(text)
}

/** The names of members in our own records: few, and the same in each. */
const leads = new Map<string, string>()
const mostLeads = 1_000

/** The comma, the name and the colon before a value. */
export function memberLead(name: string): string {
  const known = leads.get(name)
  if (known !== undefined) return known
  const lead = `,${jsonString(name)}:`
  if (leads.size < mostLeads) leads.set(name, lead)
  return lead
}

/** An object of plain values; undefined members are left out. */
export function flatJson(fields: Readonly<Record<string, string | number | boolean | undefined>>): string {
  let members = ''
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined) continue
    const text = typeof value === 'string' ? jsonString(value) : JSON.stringify(value)
    members += memberLead(name) + text
  }
  return `{${members.slice(1)}}`
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
