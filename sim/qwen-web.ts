// A simulator of Qwen's web chat: chats with a tree of messages, one message per request, answers in phases, and every known
// failure of the service. It is modelled on public clients; nothing was compared with the service.

import { checkFailures } from './qwen-web/answer.ts'
import type { QwenChat } from './qwen-web/chats.ts'
import { QwenWebDialect, type QwenWebSimOptions } from './qwen-web/dialect.ts'
import { type FailureChoice, FailureSource } from './qwen-web/failures.ts'
import { type Sim, startSim } from './server.ts'
import { checkManners, type MannerChoice, MannerSource } from './text-chat/speak.ts'

export type { ChatMessage, QwenChat } from './qwen-web/chats.ts'
export type { QwenWebSimOptions } from './qwen-web/dialect.ts'
export { FAILURES, type Failure, type FailureChoice, isFailure, type Place } from './qwen-web/failures.ts'

export interface QwenWebSim extends Sim {
  /** Every mistake of a client, in words; also those that the service accepts. */
  readonly violations: readonly string[]
  /** The stored chats by chat_id; `clear` keeps them. */
  readonly chats: ReadonlyMap<string, QwenChat>
  /** From now on, until `clear` or until its count is used up. */
  fail(failure: FailureChoice): void
  setManner(choice: MannerChoice): void
}

export async function startQwenWebSim(options: QwenWebSimOptions = {}): Promise<QwenWebSim> {
  checkManners(options.script)
  checkFailures(options.script)
  const dialect = new QwenWebDialect(options)
  const sim = await startSim(dialect, options)
  const { clear } = sim
  // Assigned, not spread: `queued` is a getter.
  return Object.assign(sim, {
    violations: dialect.violations,
    chats: dialect.chats.byId,
    fail: (failure: FailureChoice) => dialect.failures.add(failure),
    setManner: (choice: MannerChoice) => {
      dialect.manners = new MannerSource(choice)
    },
    clear: () => {
      clear()
      dialect.violations.length = 0
      dialect.failures = new FailureSource(options.errors)
      dialect.manners = new MannerSource(options.manner)
    },
  })
}
