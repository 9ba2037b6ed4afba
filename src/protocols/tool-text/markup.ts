// The markup that a model without native tool calls is asked to use, and in which it is shown earlier calls and results.
// families.ts lists the markups that are accepted besides.

export type ToolTextFormat = 'json' | 'xml'

export interface Markup {
  format: ToolTextFormat
  /** Around one call. */
  callTag: string
  /** Around one result. */
  resultTag: string
}

export const defaultCallTag = 'tool_call'

export interface ToolTextSettings {
  /** json: `{"name": …, "arguments": …}` in the tag; xml: `<function=…><parameter=…>` in it. */
  format: ToolTextFormat
  /** Formats of single models by name; `*` matches anything. The first match counts. */
  formats: Readonly<Record<string, ToolTextFormat>>
  /** The name of the tag around a call. */
  tag: string
  /** Ask once more if a call cannot be read. */
  secondTry: boolean
  /** The service accepts system messages; otherwise their text goes in front of the first user message. */
  systemRole: boolean
}

export function markupFor(settings: ToolTextSettings, model: string): Markup {
  const { tag, formats } = settings
  const own = Object.entries(formats).find(([pattern]) => fits(pattern, model))?.[1]
  return {
    format: own ?? settings.format,
    callTag: tag,
    resultTag: tag === defaultCallTag ? 'tool_response' : `${tag}_result`,
  }
}

function fits(pattern: string, model: string): boolean {
  const name = model.toLowerCase()
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
