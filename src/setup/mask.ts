// What a person may see of a configuration file: the lines around a change can hold secrets of other programs.

/** `"apiKey": `, `TOKEN = `, `api_key: `, `"--token", `, and the value behind it, in quotes or bare. */
const secretName = /(?:key|token(?!s)|secret|passw(?:or)?d|credential|authorization|cookie)[\w.-]{0,40}["']?/
/** Bare words go on to the end of the line, or to a comment. */
const value = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?:true|false|null|[\d.]+)\b|[^\s"'{}[\]]\S*(?:[ \t]+[^\s#]\S*)*/
const named = new RegExp(`(${secretName.source}[ \\t]*[:=][ \\t]*)(${value.source})`, 'gi')
const option = new RegExp(
  `(--[\\w-]{0,40}${secretName.source}\\s*,\\s*(?:[+-] )?\\s*)(${value.source})`,
  'gim',
)
/** By how they begin: those of the services that people have keys of. */
const known =
  /\b(?:sk[-_]|dgm_|crsr_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AIza|AKIA|hf_|gsk_|xai-|npm_|eyJ)[\w.-]{8,}/g
/** Letters and digits at random: names have their words apart. */
const opaque = /(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,}/g
const inAddress = /(:\/\/[^\s/:@"']{0,200}:)[^\s/@"']{1,200}@/g

/** So much that its owner knows it again. */
const hidden = (secret: string) => (secret.length < 16 ? '…' : `${secret.slice(0, 4)}…`)

/** What only says where the secret is: `{env:NAME}`, `$NAME`, NAME_OF_IT, a path, a command that reads one; and yes, no, 1. */
const isHarmless = (text: string) =>
  /^(?:[{$~/.]|cat )|^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$|^(?:true|false|null|any|\d{0,7})$/.test(text)

function maskValue(whole: string, lead: string, quoted: string): string {
  const quote = /^["']/.exec(quoted)?.[0] ?? ''
  const text = quote === '' ? quoted : quoted.slice(1, -1)
  if (isHarmless(text)) return whole
  const [, scheme = '', secret = ''] = /^((?:Bearer|Basic|Token) )?(.*)$/i.exec(text) ?? []
  return `${lead}${quote}${scheme}${isHarmless(secret) ? secret : hidden(secret)}${quote}`
}

export const maskSecrets = (text: string) =>
  text
    .replace(named, maskValue)
    .replace(option, maskValue)
    .replace(inAddress, '$1…@')
    .replace(known, hidden)
    .replace(opaque, hidden)

/** As it stands in a file: in JSON and YAML, and in TOML, which writes one character otherwise. */
export function writtenForms(key: string): string[] {
  const inJson = JSON.stringify(key).slice(1, -1)
  return [...new Set([inJson.replaceAll('\u007F', '\\u007F'), inJson, key])]
}

export const maskKey = (text: string, key: string) =>
  writtenForms(key).reduce((rest, form) => rest.replaceAll(form, hidden(key)), text)
