// Messages beside the answer: notices of the service, the routed model, and fields that no client need know.

import type { UnknownField } from '@bufbuild/protobuf'
import type { AgentRun } from './agent-run.ts'
import type { Scene } from './scene.ts'

const LENGTH_DELIMITED = 2
const empty = (no: number): UnknownField => ({ no, wireType: LENGTH_DELIMITED, data: Uint8Array.of(0) })

/** `ttft_breakdown`, beside any message. */
export const TTFT_BREAKDOWN = empty(8)
/** `response_comparison` and `grok_bot_nudge`. */
const UNKNOWN_UPDATES = [22, 26]

export const NOTICE = 'You are close to your limit.'

/** Which model Auto chose, if the client supports that message; and all the rest, if the options ask for it. */
export async function sayAsides(run: AgentRun, { request, model }: Scene): Promise<void> {
  if (model === 'default' && request.clientSupportsRoutedModelUpdate)
    await run.update({ case: 'routedModel', value: { displayName: 'Composer 2' } })
  if (!run.chatters) return
  for (const no of UNKNOWN_UPDATES) await run.sendUnknownUpdate(empty(no))
  const [first, second] = [NOTICE.slice(0, 12), NOTICE.slice(12)]
  await run.update({ case: 'textDelta', value: { text: first, isServerNotice: true } })
  await run.update({ case: 'textDelta', value: { text: second, isServerNotice: true } })
}
