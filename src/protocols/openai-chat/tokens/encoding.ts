// Which public tokenizer a model of OpenAI has, by its name. Other families publish none.

export type Encoding = 'o200k_base' | 'cl100k_base'

const newer =
  /(?:^|\/)(?:gpt-(?:4o|4\.[1-9]|[5-9](?!\d)|oss(?![a-z]))|o[1-9](?![\da-z])|chatgpt-4o|codex-mini|computer-use-preview)/
/** Azure writes `gpt-35`. */
const older = /(?:^|\/)gpt-(?:4|3\.5|35)(?:-|$)/

export function encodingOf(model: string): Encoding | undefined {
  if (newer.test(model)) return 'o200k_base'
  return older.test(model) ? 'cl100k_base' : undefined
}
