// The table of what secrets look like. Each form has the words that announce it, and a reader that finds the secret there. The
// readings of a form may visit the same text once or twice, not more: the search is linear.

import {
  alphanumeric,
  base64Char,
  type CharKind,
  hasDigit,
  isOf,
  keyChar,
  runEnd,
  skipSpace,
  tokenChar,
  upperOrDigit,
} from './chars.ts'
import { readCookies, readNamed, readParameter } from './named-values.ts'
import { secretNames, secretParameters } from './names.ts'
import { readPrivateKey } from './private-keys.ts'
import type { Span } from './spans.ts'

export interface SecretForm {
  /** "something that looks like …" */
  what: string
  words: readonly string[]
  /** `start` and `end` are those of the word, whose case may differ. A number means: no secret of this form before that position. */
  read(text: string, start: number, end: number): Span | number | undefined
}

interface KeyFacts {
  /** Characters after the word. */
  atLeast: number
  chars?: CharKind
  /** Plain names have the same characters: without a digit it is not a key. */
  needsDigit?: boolean
  /** Continuations that belong to another row. */
  but?: string
}

/** Whether the character before cannot belong to the key. */
const isAtStart = (text: string, start: number) => start === 0 || !isOf(keyChar, text, start - 1)

function key(what: string, prefixes: string, facts: KeyFacts): SecretForm {
  const { atLeast, chars = keyChar, needsDigit = false, but } = facts
  const words = prefixes.split(' ')
  return {
    what: `${what} (${words[0]}…)`,
    words,
    read(text, start, end) {
      if (!isAtStart(text, start) || (but !== undefined && text.startsWith(but, end))) return undefined
      const to = runEnd(chars, text, end)
      if (to - end < atLeast || !words.includes(text.slice(start, end))) return undefined
      return needsDigit && !hasDigit(text, start, to) ? undefined : { start, end: to }
    },
  }
}

const keys: readonly SecretForm[] = [
  key('an Anthropic key', 'sk-ant-', { atLeast: 8 }),
  key('an API key', 'sk-', { atLeast: 20, needsDigit: true, but: 'ant-' }),
  key('a Stripe key', 'sk_live_ sk_test_ rk_live_ rk_test_', { atLeast: 10 }),
  key('a Cursor key', 'crsr_', { atLeast: 16 }),
  key("a gateway's key", 'dgm_', { atLeast: 16 }),
  key('a GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', { atLeast: 20, chars: alphanumeric }),
  key('a GitHub token', 'github_pat_', { atLeast: 20 }),
  key('a GitLab token', 'glpat- gldt- glrt- glcbt-', { atLeast: 16 }),
  key('a Hugging Face token', 'hf_', { atLeast: 16, chars: alphanumeric, needsDigit: true }),
  key('a Groq key', 'gsk_', { atLeast: 20, chars: alphanumeric }),
  key('an xAI key', 'xai-', { atLeast: 20, needsDigit: true }),
  key('an NVIDIA key', 'nvapi-', { atLeast: 20 }),
  key('a Perplexity key', 'pplx-', { atLeast: 20, chars: alphanumeric, needsDigit: true }),
  key('a Replicate token', 'r8_', { atLeast: 20, chars: alphanumeric }),
  key('an npm token', 'npm_', { atLeast: 30, chars: alphanumeric }),
  key('a PyPI token', 'pypi-AgE', { atLeast: 16 }),
  key('a Slack token', 'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-', {
    atLeast: 10,
    needsDigit: true,
  }),
  key('a Google key', 'AIza', { atLeast: 35 }),
  key('a Google token', 'ya29.', { atLeast: 20 }),
  {
    what: 'an AWS key (AKIA…)',
    words: ['AKIA', 'ASIA'],
    read(text, start, end) {
      const to = runEnd(upperOrDigit, text, end, 17)
      const isKey = to - end === 16 && !isOf(keyChar, text, to) && /^A[KS]IA$/.test(text.slice(start, end))
      return isKey && isAtStart(text, start) ? { start, end: to } : undefined
    },
  },
]

const schemes: readonly SecretForm[] = [
  {
    what: 'a bearer token',
    words: ['bearer'],
    read(text, start, end) {
      const from = skipSpace(text, text[end] === ':' ? end + 1 : end, 100)
      if (from === end || !isAtStart(text, start)) return undefined
      const to = runEnd(tokenChar, text, from)
      return to - from >= 16 && hasDigit(text, from, to)
        ? { start: from, end: paddedEnd(text, to) }
        : undefined
    },
  },
  {
    what: 'a name and password (Basic …)',
    words: ['basic'],
    read(text, start, end) {
      const from = skipSpace(text, end, 100)
      if (from === end || !isAtStart(text, start)) return undefined
      const to = runEnd(base64Char, text, from)
      if (to - from < 8) return undefined
      const decoded = Buffer.from(text.slice(from, Math.min(to, from + 400)), 'base64').toString('latin1')
      const isPair = decoded.includes(':') && !/\p{Cc}/u.test(decoded)
      return isPair ? { start: from, end: paddedEnd(text, to) } : undefined
    },
  },
  {
    what: 'a JSON web token (eyJ…)',
    words: ['eyJ'],
    read(text, start, end) {
      if (!isAtStart(text, start) || !text.startsWith('eyJ', start)) return undefined
      const first = runEnd(keyChar, text, end)
      // No token begins within this run either.
      if (first - end < 8 || text[first] !== '.') return first
      const second = runEnd(keyChar, text, first + 1)
      const third = runEnd(keyChar, text, second + 1)
      const isWhole = second - first > 8 && text[second] === '.' && third - second > 8
      return isWhole ? { start, end: third } : first
    },
  },
]

const paddedEnd = (text: string, at: number) => (text[at] === '=' ? at + (text[at + 1] === '=' ? 2 : 1) : at)

/** `scheme://name:password@host`, or a long token instead of both. */
const address: SecretForm = {
  what: 'a password in an address',
  words: ['://'],
  read(text, _start, end) {
    let at = end
    while (at < text.length && at - end < 400 && !/[\s/"'`\\@?#<>{}$]/.test(text[at] as string)) at++
    if (text[at] !== '@') return undefined
    const colon = text.indexOf(':', end)
    const from = colon !== -1 && colon < at ? colon + 1 : end
    const isToken = from > end || (at - from >= 20 && hasDigit(text, from, at))
    return isToken && at > from ? { start: from, end: at } : undefined
  },
}

export const secretForms: readonly SecretForm[] = [
  ...keys,
  ...schemes,
  address,
  { what: 'a private key', words: ['-----BEGIN '], read: readPrivateKey },
  { what: 'a value whose name says that it is secret', words: secretNames, read: readNamed },
  { what: 'a cookie', words: ['cookie'], read: readCookies },
  {
    what: 'a secret in an address',
    words: [...secretParameters, ...secretNames].map((name) => `${name}=`),
    read: readParameter,
  },
]
