// The keywords of strings. `format` is an annotation.

import { type Compile, undecided } from '../schema-parts.ts'
import { fits, likely, open } from '../verdict.ts'
import { type Limits, limitsOf } from './limits.ts'

export const compileLength: Compile = (schema) => {
  const limits = limitsOf(schema, 'minLength', 'maxLength', 'characters')
  if (limits === undefined) return undecided
  return (value, walk) => {
    if (typeof value !== 'string') return fits
    const length = lengthOf(value, limits)
    return length < limits.least || length > limits.most ? walk.fail(limits.message, value) : fits
  }
}

/** In characters of Unicode, which are counted only where units of UTF-16 do not decide. */
function lengthOf(text: string, { least, most }: Limits): number {
  const { length } = text
  if (length < least || length > 2 * most || (length <= most && length >= 2 * least)) return length
  let count = length
  for (let at = 1; at < length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00 || (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800) continue
    count--
    at++
  }
  return count
}

const maxShown = 200

export const compilePattern: Compile = ({ pattern: source }, parts) => {
  if (typeof source !== 'string') return undecided
  const pattern = parts.patternOf(source)
  const message = `must match the pattern ${source.slice(0, maxShown)}`
  return (value, walk) => {
    if (typeof value !== 'string') return fits
    const matches = pattern?.matches(value, walk.budget)
    if (matches === undefined) return open
    // Other languages may see it in another way.
    if (pattern?.isDoubtful(value)) return matches ? likely : open
    return matches ? fits : walk.fail(message, value)
  }
}
