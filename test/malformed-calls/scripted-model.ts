// A model that says what it is told to, in the dialect of its service.

import { type AskedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'
import { type Dialect, isStreamAsked, type ModelAnswer, render } from './renderings.ts'

/** `fails`: the service answers with a 500. */
export type Reply = ModelAnswer | 'fails'

export interface ScriptedModel {
  url: string
  /** The requests of the last script. */
  asked: AskedUpstream[]
  /** The answers to the next requests, in order; any further request fails. */
  play(dialect: Dialect, replies: readonly Reply[]): void
  stop(): void
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const upstream = await startScriptedUpstream()
  return {
    url: upstream.url,
    asked: upstream.asked,
    play(dialect, replies) {
      upstream.asked.length = 0
      upstream.respond = (request) => {
        const reply = replies[upstream.asked.length - 1]
        if (reply === undefined || reply === 'fails')
          return { status: 500, body: '{"error":{"message":"no more answers","type":"server_error"}}' }
        return render(dialect, reply, isStreamAsked(request))
      }
    },
    stop: () => upstream.close(),
  }
}
