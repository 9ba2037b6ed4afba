// Masks secrets in shown configuration files: the lines around a change can hold secrets of other programs.

import { looksSecret } from '../base/secrets/find.ts'
import { isPlaceholder } from '../base/secrets/names.ts'

/** `"apiKey": `, `TOKEN = `, `api_key: `, `"--token", `, and the value after it, quoted or bare. */
const secretName = /(?:key|token(?!s)|secret|passw(?:or)?d|credential|authorization|cookie)[\w.-]{0,40}["']?/
/** A bare value ends at the end of the line or at a comment. */
const value = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?:true|false|null|[\d.]+)\b|[^\s"'{}[\]]\S*(?:[ \t]+[^\s#]\S*)*/
const named = new RegExp(`(${secretName.source}[ \\t]*[:=][ \\t]*)(${value.source})`, 'gi')
const option = new RegExp(
  `(--[\\w-]{0,40}${secretName.source}\\s{0,99},\\s{0,99}(?:[+-] )?\\s{0,99})(${value.source})`,
  'gim',
)
/** Random letters and digits; names have separators between words. */
const opaque = /(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}/g

/** Enough characters for the owner to recognize the key. */
const hidden = (secret: string) => (secret.length < 16 ? '…' : `${secret.slice(0, 4)}…`)

function maskValue(whole: string, lead: string, quoted: string): string {
  const quote = /^["']/.exec(quoted)?.[0] ?? ''
  const text = quote === '' ? quoted : quoted.slice(1, -1)
  if (isPlaceholder(text)) return whole
  const [, scheme = '', secret = ''] = /^((?:Bearer|Basic|Token) )?(.*)$/i.exec(text) ?? []
  return `${lead}${quote}${scheme}${isPlaceholder(secret) ? secret : hidden(secret)}${quote}`
}

export const maskSecrets = (text: string) =>
  withoutForms(text.replace(named, maskValue).replace(option, maskValue)).replace(opaque, hidden)

function withoutForms(text: string): string {
  let clean = ''
  let from = 0
  for (const { start, end } of looksSecret.find(text)) {
    clean += text.slice(from, start) + hidden(text.slice(start, end))
    from = end
  }
  return clean + text.slice(from)
}

/** The key in its file encodings: JSON and YAML, and TOML, which escapes one character differently. */
export function writtenForms(key: string): string[] {
  const inJson = JSON.stringify(key).slice(1, -1)
  return [...new Set([inJson.replaceAll('\u007F', '\\u007F'), inJson, key])]
}

/** The replacement is a function: in a string, a key that begins with `$&` would put itself back. */
export const maskKey = (text: string, key: string) =>
  writtenForms(key).reduce((rest, form) => rest.replaceAll(form, () => hidden(key)), text)
