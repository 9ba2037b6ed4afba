// JSON that stood at the end of a reply without a tag → calls, if all of it is that.

import { parseJson } from '../../base/json.ts'
import type { BareJson } from './bare-json.ts'
import type { Call } from './pieces.ts'
import { isPlainCall, readCalls } from './read-calls.ts'
import type { Toolbox } from './toolbox.ts'

export function bareCalls(
  json: BareJson,
  text: string,
  tools: Toolbox,
  { isEcho }: { isEcho?(text: string): boolean },
): Call[] | undefined {
  if (!json.isComplete) return undefined
  const calls: Call[] = []
  for (const { from, to } of json.values) {
    const source = text.slice(from, to)
    const found = isPlainCall(parseJson(source)) ? readCalls(source, tools) : undefined
    if (!found?.every((call) => tools.fits(call)) || isEcho?.(source)) return undefined
    calls.push(...found)
  }
  return calls
}
