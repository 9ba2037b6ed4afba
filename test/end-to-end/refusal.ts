// A refused request: its status, and an error in OpenAI's whole shape.

import { expect } from 'vitest'
import { post } from '../harness.ts'

export interface Refusal {
  status: number
  error: { message: string; type: string; param: string | null; code: string | null }
  text: string
}

export async function refusalOf(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Refusal> {
  const answer = await post(url, body, headers)
  const text = await answer.text()
  expect(answer.headers.get('content-type')).toContain('application/json')
  const { error } = JSON.parse(text)
  expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
  return { status: answer.status, error, text }
}
