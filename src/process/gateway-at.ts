// Whether a gateway answers at an address, before it is told anything: what else listens there is to get no key.

import { isObject, parseJson } from '../base/json.ts'

const mostAnswerBytes = 4_096

/** The answer of a gateway's health check is like no other server's. */
export async function answersAt(url: string, patienceMs: number): Promise<'gateway' | 'other' | 'nothing'> {
  let answer: Response
  try {
    answer = await fetch(`${url}/healthz`, { redirect: 'manual', signal: AbortSignal.timeout(patienceMs) })
  } catch {
    return 'nothing'
  }
  const length = Number(answer.headers.get('content-length') ?? Number.NaN)
  if (!answer.ok || !(length <= mostAnswerBytes)) {
    await answer.body?.cancel()
    return 'other'
  }
  const body = parseJson(await answer.text().catch(() => ''))
  return isObject(body) && body.gateway === 'dragoman' ? 'gateway' : 'other'
}
