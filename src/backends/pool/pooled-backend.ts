// Several accounts of one service as one backend. Each account is a backend of its own, with its own connections, runs and kept
// reasoning: nothing of one reaches another. The pool says which of them takes a turn.

import type { Backend, Finding, Model, SessionHost, ToolFacts, TurnContext } from '../../core/backend.ts'
import { asMade } from '../../core/call-check.ts'
import { callKey } from '../../core/call-key.ts'
import { callerId } from '../../core/caller.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { AccountPool } from '../../core/pool/account-pool.ts'
import type { AskedTurn, Taken } from '../../core/pool/pool-parts.ts'
import type { ToolCallPart, TurnRequest } from '../../core/request.ts'
import { sessionOfResults } from '../../core/session-id.ts'
import { AccountTurn } from './account-turn.ts'
import { pooledSessions } from './pooled-sessions.ts'

interface PooledBackendOptions {
  name: string
  pool: AccountPool
  /** By the name of the account, in the order of the configuration. */
  accounts: ReadonlyMap<string, Backend>
}

export function createPooledBackend({ name, pool, accounts }: PooledBackendOptions): Backend {
  const all = [...accounts.values()]
  const [first] = all
  if (!first) throw new Error('a pool needs an account')
  const { kind, dialects } = first
  const backendOf = (account: string) => accounts.get(account) ?? first

  const watched = (
    request: TurnRequest,
    context: TurnContext,
    choose: () => Promise<Taken>,
    run: (account: string) => AsyncIterable<TurnEvent[]>,
  ) =>
    new AccountTurn({
      pool,
      choose,
      run,
      keyOf: (call) => keyOf(name, request.model, context, asMade(call)),
      isAborted: () => context.signal.aborted,
    })

  function run(request: TurnRequest, context: TurnContext): AsyncIterable<TurnEvent[]> {
    const turn = context.accounts ?? pool.begin({})
    const asked: AskedTurn = {
      model: request.model,
      call: lastCall(name, request, context),
      run: accountOfRun(accounts, request),
      mayLoseReasoning: !carriesReasoning(request, dialects),
    }
    const onAccount = (account: string): TurnContext => ({
      ...context,
      onAnswerHeaders(form, headers) {
        pool.limited(account, request.model, form, headers)
        context.onAnswerHeaders?.(form, headers)
      },
    })
    return watched(
      request,
      context,
      () => pool.choose(turn, asked, context.signal),
      (account) => backendOf(account).run(request, onAccount(account)),
    )
  }

  const hosts = new Map(
    [...accounts].flatMap(([account, { sessions }]): [string, SessionHost][] =>
      sessions ? [[account, sessions]] : [],
    ),
  )
  const sessions =
    hosts.size === 0
      ? undefined
      : pooledSessions(hosts, (account, request, context, batches) => {
          const turn = context.accounts ?? pool.begin({})
          const taken = () => Promise.resolve(pool.reserve(account, request.model, turn))
          return watched(request, context, taken, () => batches)
        })

  return {
    kind,
    pool,
    run,
    ...(dialects ? { dialects } : {}),
    ...(first.toolFacts ? { toolFacts: (request) => toolFactsOf(all, request) } : {}),
    ...(first.countTokens
      ? { countTokens: (request, context) => backendOf(usable(pool)).countTokens?.(request, context) ?? none }
      : {}),
    ...(sessions ? { sessions } : {}),
    models: (signal) => listed(pool, accounts, signal),
    describe: (signal) => described(accounts, signal),
    close: async () => {
      await Promise.all(all.map((one) => one.close()))
    },
  }
}

const none = Promise.resolve(undefined)

/** What one account has learned of the service holds for all. */
function toolFactsOf(all: readonly Backend[], request: TurnRequest): ToolFacts {
  const facts = all.map((one) => one.toolFacts?.(request) ?? {})
  const learned = facts.flatMap(({ learnedLimit }) => learnedLimit ?? [])
  return { ...facts[0], ...(learned.length > 0 ? { learnedLimit: Math.min(...learned) } : {}) }
}

/** One that can be asked for something that costs nothing. */
const usable = (pool: AccountPool): string =>
  pool.views().find(({ state }) => state === 'ready')?.account ?? pool.names[0] ?? ''

const keyOf = (
  name: string,
  model: string,
  { caller }: TurnContext,
  call: ToolCallPart | CallFacts,
): string => callKey(`${name} ${callerId(caller)}`, model, call)

interface CallFacts {
  callId: string
  name: string
  input: string
}

/** The first call whose results the request brings; finished turns do not bind. */
function lastCall(name: string, { messages, model }: TurnRequest, context: TurnContext): string | undefined {
  const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  const before = messages[last - 1]
  if (messages[last]?.role !== 'tool' || before?.role !== 'assistant') return undefined
  const call = before.content.find((part) => part.type === 'tool-call')
  return call && keyOf(name, model, context, call)
}

function accountOfRun(accounts: ReadonlyMap<string, Backend>, { messages }: TurnRequest): string | undefined {
  const sessionId = sessionOfResults(messages)
  if (sessionId === undefined) return undefined
  for (const [account, { sessions }] of accounts) if (sessions?.has(sessionId)) return account
  return undefined
}

/**
 * The client itself sends the proofs of the reasoning back, to whichever account. OpenAI's are told apart by their backend, and Gemini's
 * backend replaces those that are refused.
 */
const carriesReasoning = ({ origin, messages }: TurnRequest, dialects: readonly string[] = []) =>
  origin.dialect === 'anthropic-messages' &&
  dialects.includes(origin.dialect) &&
  messages.some(
    (message) => message.role === 'assistant' && message.content.some(({ type }) => type === 'reasoning'),
  )

/** Of the first account that answers; those that are out are asked last. */
async function listed(
  pool: AccountPool,
  accounts: ReadonlyMap<string, Backend>,
  signal: AbortSignal,
): Promise<Model[]> {
  const views = pool.views()
  const inOrder = [...views.filter(isReady), ...views.filter((view) => !isReady(view))]
  let failure: unknown
  for (const { account } of inOrder) {
    try {
      return (await accounts.get(account)?.models(signal)) ?? []
    } catch (error) {
      failure ??= error
      if (signal.aborted) break
    }
  }
  throw failure
}

const isReady = ({ state }: { state: string }) => state === 'ready'

async function described(accounts: ReadonlyMap<string, Backend>, signal: AbortSignal): Promise<Finding[]> {
  const found = await Promise.all(
    [...accounts].map(async ([account, backend]) =>
      ((await backend.describe?.(signal)) ?? []).map(
        ({ status, message }): Finding => ({
          status,
          message: `account ${account}: ${message}`,
        }),
      ),
    ),
  )
  return found.flat()
}
