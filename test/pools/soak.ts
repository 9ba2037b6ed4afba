// Agents on a pool of three accounts, one of which is limited again and again, one revoked and one slow. Every answer is checked, and
// every change of an account has to have its reason and its note.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { SimAccounts } from '../../sim/accounts.ts'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { peerSecret } from '../cluster-parts.ts'
import { type Body, chat, readTool, startGateway, user } from '../harness.ts'
import { isDuring, type Outage, outagesOf } from './outages.ts'
import { account, keyOf, model } from './pool-bench.ts'

export interface SoakOptions {
  ms: number
  agents: number
  /** For several gateways. */
  redis?: string
  instances: number
}

export interface SoakFigures {
  turns: number
  conversations: number
  /** Answers that are not those of the conversation, or no answers. */
  wrong: string[]
  /** Turns with another account than the conversation's, without a reason or a note. */
  strayed: string[]
  /** Turns that went to another account, each with its note. */
  moves: number
  /** The same as the gateways count them. */
  switches: number
  /** The longest pause of the process, which has everything in it. */
  lagMs: number
  /** How often Redis could not be asked. Each instance goes on by what it knows then, so these turns are not judged. */
  outages: number
  /** Turns that are judged. */
  judged: number
  /** Turns that came for an account which had said until when it takes none. */
  tooEarly: string[]
  byAccount: Record<string, number>
}

interface Answered {
  id: string
  used: string
  notes: string
  startedAt: number
  endedAt: number
  /** Until when each account is in trouble, as the turn ended. */
  troubled: ReadonlyMap<string, number>
}

const [limited, revoked, slow] = ['limited', 'revoked', 'slow'] as const

export async function soak({ ms, agents, redis, instances }: SoakOptions): Promise<SoakFigures> {
  const accounts = new SimAccounts({ graceMs: 1_000 })
  const sim = await startAnthropicSim({ accounts })
  const settings = {
    log: { level: 'info' },
    backends: {
      claude: {
        kind: 'anthropic',
        baseUrl: sim.url,
        accounts: [limited, revoked, slow].map((name) => account(name)),
        pool: { maxWaitMs: 1_000 },
      },
    },
    ...(redis === undefined ? {} : { sessions: { redis, peerSecret } }),
  }
  const gateways = await Promise.all(Array.from({ length: instances }, () => startGateway(settings)))
  const run = new Soak(
    accounts,
    gateways.map(({ url }) => url),
    Date.now() + ms,
  )
  accounts.slow(keyOf(slow), 150)
  const lag = monitorEventLoopDelay({ resolution: 10 })
  lag.enable()
  const trouble = run.makeTrouble(ms)
  await Promise.all(Array.from({ length: agents }, (_, at) => run.agent(at)))
  await trouble
  const switches = await switchesOf(gateways.map(({ url }) => url))
  const outages = gateways.flatMap(({ logs }) => outagesOf(logs, Date.now()))
  lag.disable()
  // One process has everything, so a turn may be on its way for as long as that is busy.
  const graceMs = accounts.graceMs + (4 * lag.max) / 1e6
  const late = accounts.tooEarly.filter(
    ({ lateMs, at }) => lateMs > graceMs && !isDuring(outages, at - lateMs, at),
  )
  await Promise.all(gateways.map(({ gateway }) => gateway.close()))
  await sim.close()
  return {
    ...run.figures,
    ...run.judge(outages),
    switches,
    outages: outages.length,
    lagMs: Math.round(lag.max / 1e6),
    tooEarly: late.map(({ key, lateMs }) => `${key}: ${lateMs} ms after`),
  }
}

class Soak {
  readonly figures: Pick<SoakFigures, 'turns' | 'conversations' | 'wrong' | 'moves' | 'byAccount'> = {
    ...{ turns: 0, conversations: 0, wrong: [], moves: 0, byAccount: {} },
  }
  readonly #answered: Answered[] = []
  readonly #accounts: SimAccounts
  readonly #urls: readonly string[]
  readonly #until: number
  /** When each account was in trouble last. */
  readonly #troubled = new Map<string, number>()

  constructor(accounts: SimAccounts, urls: readonly string[], until: number) {
    this.#accounts = accounts
    this.#urls = urls
    this.#until = until
  }

  /** The limit comes and goes; the key is revoked for good after a third of the time. */
  async makeTrouble(ms: number): Promise<void> {
    const revokeAt = this.#until - (2 * ms) / 3
    await sleep(500)
    while (Date.now() < this.#until) {
      if (Date.now() > revokeAt && !this.#troubled.has(revoked)) {
        this.#troubled.set(revoked, Number.POSITIVE_INFINITY)
        this.#accounts.revoke(keyOf(revoked))
      }
      this.#troubled.set(limited, Date.now() + 5_000)
      this.#accounts.limit(keyOf(limited), 2_500)
      await sleep(Math.min(7_000, Math.max(0, this.#until - Date.now()), ms / 3))
    }
  }

  async agent(at: number): Promise<void> {
    // Not all at once: each begins its conversations at another time.
    await sleep(at * 10)
    for (let number = 0; Date.now() < this.#until; number++) await this.#conversation(`${at}-${number}`, at)
  }

  /** Some turns with two calls each, as an agent has them. */
  async #conversation(id: string, at: number): Promise<void> {
    this.figures.conversations++
    const headers = headersOf(id, at)
    const messages: Body[] = []
    for (let turn = 0; turn < 4 && Date.now() < this.#until; turn++) {
      const file = `file-${id}-${turn}.txt`
      messages.push(user(`Read ${file}`))
      const called = await this.#turn(messages, headers, id)
      const call = called?.tool_calls?.[0]
      if (!called || !call || JSON.parse(call.function.arguments).path !== file)
        return void this.figures.wrong.push(`${id}: no call for ${file}: ${JSON.stringify(called)}`)
      messages.push(called, {
        role: 'tool',
        tool_call_id: call.id,
        content: `secret of ${id} in turn ${turn}`,
      })
      const answered = await this.#turn(messages, headers, id)
      if (!answered?.content?.includes(`secret of ${id} in turn ${turn}`))
        return void this.figures.wrong.push(`${id}: not its answer: ${JSON.stringify(answered)}`)
      messages.push(answered)
    }
  }

  async #turn(messages: Body[], headers: Record<string, string>, id: string) {
    // A tool takes its time.
    await sleep(50)
    const url = this.#urls[this.figures.turns++ % this.#urls.length] ?? ''
    const asked = { model, messages: [...messages], tools: [readTool] }
    const startedAt = Date.now()
    const { status, headers: answered, json } = await chat(url, asked, headers)
    if (status !== 200) return void this.figures.wrong.push(`${id}: ${status} ${json.error?.message}`)
    const used = answered.get('x-dragoman-account') ?? ''
    const notes = answered.get('x-dragoman-notes') ?? ''
    this.#note({ id, used, notes, startedAt, endedAt: Date.now(), troubled: new Map(this.#troubled) })
    return json.choices[0].message
  }

  #note(answered: Answered): void {
    const { used, notes } = answered
    const { byAccount } = this.figures
    byAccount[used] = (byAccount[used] ?? 0) + 1
    this.figures.moves += [...notes.matchAll(/account "\w+" could not be used/g)].length
    this.#answered.push(answered)
  }

  /** Each turn by those of its conversation before it, from the last outage on. */
  judge(outages: readonly Outage[]): Pick<SoakFigures, 'strayed' | 'judged'> {
    const strayed: string[] = []
    const homes = new Map<string, string>()
    let judged = 0
    for (const { id, used, notes, startedAt, endedAt, troubled } of this.#answered) {
      if (isDuring(outages, startedAt, endedAt)) {
        homes.delete(id)
        continue
      }
      judged++
      const home = homes.get(id) ?? used
      homes.set(id, home)
      if (used === home) continue
      const hadReason = startedAt < (troubled.get(home) ?? 0)
      if (!hadReason || !notes.includes(`account "${home}" could not be used`))
        strayed.push(`${id}: ${home} → ${used}, ${notes || 'without a note'}`)
      // It will not be back.
      if (home === revoked) homes.set(id, used)
    }
    return { strayed, judged }
  }
}

/** Clients that name their conversations, each in its way, and some that do not. */
function headersOf(id: string, at: number): Record<string, string> {
  const ways = [{ 'x-claude-code-session-id': id }, { 'x-session-id': id }, { 'thread-id': id }, {}]
  return (ways[at % ways.length] ?? {}) as Record<string, string>
}

async function switchesOf(urls: readonly string[]): Promise<number> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()))
  const counts = texts.flatMap((text) => [
    ...text.matchAll(/^dragoman_account_switches_total\{.*\} (\d+)$/gm),
  ])
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}
