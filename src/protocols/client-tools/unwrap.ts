// What some clients put around every result of their tools.

import { isObject, parseJson } from '../../base/json.ts'
import type { ClientResult } from './job.ts'

/** Cline's CLI: `[{"query":…,"result":…,"success":true}]`, an entry for each element of the call's list. */
export function unwrapCline(given: ClientResult): ClientResult {
  const value = /^[[{]/.test(given.text) ? parseJson(given.text) : undefined
  const [entry, ...others] = Array.isArray(value) ? value : [value]
  if (!isObject(entry) || others.length > 0 || typeof entry.success !== 'boolean') return given
  const { result, error } = entry
  // A failed command has both: its output, and that it failed.
  if (typeof result === 'string' && (entry.success || result !== '')) return { text: result, isError: false }
  return { text: typeof error === 'string' ? error : given.text, isError: true }
}

/** Kimi: the time that it took, and a mark of failure, are lines before the text. */
export function unwrapKimi({ text, isError }: ClientResult): ClientResult {
  const head = /^(?:Wall time: [\d.]+ seconds?\n)?(<system>ERROR: Tool execution failed\.<\/system>\n)?/.exec(
    text,
  )
  return { text: text.slice(head?.[0].length ?? 0), isError: isError || head?.[1] !== undefined }
}

/** Grok Build's grep: tags around the matches of each workspace. */
export function unwrapGrokBuildGrep({ text, isError }: ClientResult): ClientResult {
  const wrapped = /^<workspace_result workspace_path="[^"\n]*">\n([\s\S]*?)\n?<\/workspace_result>\s*$/.exec(
    text,
  )
  return { text: wrapped?.[1] ?? text, isError }
}

/** Grok CLI's search: `  /w/a.ts (2 matches)`. */
export function unwrapGrokCliSearch({ text, isError }: ClientResult): ClientResult {
  const head = /^Search results for "[^\n]*":\n/.exec(text)
  if (head === null) return { text, isError: isError || text.startsWith('Search error: ') }
  const lines = text
    .slice(head[0].length)
    .split('\n')
    .map((line) => line.replace(/^ {2}(\S.*) \((\d+) matches\)$/, '$1:$2'))
  return { text: lines.join('\n'), isError }
}

/** Continue's CLI: a sentence before the matches. */
export function unwrapContinueSearch({ text, isError }: ClientResult): ClientResult {
  const head = /^Search results for pattern "[^\n]*":\n\n/.exec(text)
  return { text: text.slice(head?.[0].length ?? 0), isError: isError || failedInContinue(text) }
}

/** Continue's CLI: `src (directory)`, `a.ts (file, 12 bytes)`. */
export function unwrapContinueList({ text, isError }: ClientResult): ClientResult {
  const head = /^Files in [^\n]*:\n/.exec(text)
  if (head === null) return { text, isError: isError || failedInContinue(text) }
  const lines = text
    .slice(head[0].length)
    .split('\n')
    .map((line) => {
      const [, name = line, kind] = /^(.*) \((directory|file, \d+ bytes)\)$/.exec(line) ?? []
      return kind === 'directory' ? `[DIR] ${name}` : `[FILE] ${name}`
    })
  return { text: lines.join('\n'), isError }
}

const failedInContinue = (text: string) => text.startsWith('Error executing tool ')

/** Continue's CLI does not mark an error otherwise; a file that begins like one is shown after a line of its own. */
export const unwrapContinue = ({ text, isError }: ClientResult): ClientResult => ({
  text,
  isError: isError || failedInContinue(text),
})

/** Gemini CLI: tags around what comes from outside, and a line before a text that was shortened. */
export function unwrapGemini({ text, isError }: ClientResult): ClientResult {
  const open = '<untrusted_context>\n'
  const close = '\n</untrusted_context>'
  const cut = geminiCut.exec(text)?.[0] ?? ''
  if (!text.startsWith(open, cut.length) || !text.endsWith(close)) return { text, isError }
  const inside = text.slice(cut.length + open.length, -close.length)
  return { text: cut + inside.replaceAll('&lt;/untrusted_context&gt;', '</untrusted_context>'), isError }
}

export const geminiCut = /^Output too large\. Showing first [\d,.]+ and last [\d,.]+ characters\.[^\n]*\n/

/** Gemini CLI's list: each file is followed by its size. */
export function unwrapGeminiList({ text, isError }: ClientResult): ClientResult {
  if (!text.startsWith('Directory listing for ')) return { text, isError }
  const lines = text.split('\n').map((line) => (line.endsWith(' bytes)') ? withoutSize(line) : line))
  return { text: lines.join('\n'), isError }
}

const withoutSize = (line: string) => line.slice(0, line.lastIndexOf(' ('))
