// A value that was changed in places → JSON. What is as it was keeps the text that it had: a number of twenty digits would
// not survive being read and written.

import { isObject } from '../../base/json.ts'
import { elementTexts, topLevelText } from './top-level-text.ts'

/** `text` is the JSON text of `before`. */
export function writeJson(value: unknown, before: unknown, text: string | undefined): string {
  if (text === undefined) return JSON.stringify(value)
  if (value === before) return text
  if (Array.isArray(value) && Array.isArray(before)) {
    const texts = elementTexts(text)
    return `[${value.map((one, at) => writeJson(one, before[at], texts[at])).join(',')}]`
  }
  if (!isObject(value) || !isObject(before)) return JSON.stringify(value)
  const texts = topLevelText(text)
  return writeMembers(Object.keys(value), (key) => writeJson(value[key], before[key], texts.get(key)))
}

export function writeMembers(keys: readonly string[], write: (key: string) => string): string {
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(key)}`).join(',')}}`
}
