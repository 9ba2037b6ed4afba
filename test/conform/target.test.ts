// Which URL was meant, and how words of others are shown.

import { expect, it } from 'vitest'
import { printable } from '../../src/judge/conform/report.ts'
import { candidates } from '../../src/judge/conform/target.ts'

const box = 'http://box:8000'

it.each([
  [box, [`${box}/v1`, box]],
  [`${box}/`, [`${box}/v1`, box]],
  [`${box}/v1`, [`${box}/v1`]],
  [`${box}/v1/`, [`${box}/v1`]],
  [`${box}/v1/chat/completions`, [`${box}/v1`]],
  [`${box}/v1/messages`, [`${box}/v1`]],
  [`${box}/v1/models?x=1`, [`${box}/v1`]],
  [`${box}/openai`, [`${box}/openai/v1`, `${box}/openai`]],
  [`${box}/api/paas/v4`, [`${box}/api/paas/v4`]],
  [`${box}/v1beta/openai`, [`${box}/v1beta/openai/v1`, `${box}/v1beta/openai`]],
  [`${box}/api/chat`, [`${box}/v1`, `${box}/api/v1`]],
  [`${box}/api`, [`${box}/v1`, `${box}/api/v1`]],
])('%s', (given, expected) => {
  expect(candidates(given).bases).toEqual(expected)
})

it('says what it made of it', () => {
  expect(candidates(`${box}/v1/responses`).notes).toHaveLength(1)
  expect(candidates(`${box}/api/chat`).notes.join()).toContain('Ollama')
})

it("control characters in a gateway's texts do not reach the terminal", () => {
  expect(printable('a\u001b[2J\r\nb\u009b')).toBe('a\\u001b[2J\\r\\nb\ufffd')
})
