// A conformance case: one promise of the wire protocol and its check.

import {
  type Answer,
  type Ask,
  type DialectClient,
  type DoorName,
  doorNames,
  type Form,
  forms,
} from '../clients/answer.ts'
import type { Reply } from '../clients/http.ts'
import type { Client } from './noticed.ts'
import type { Play, UpstreamKind } from './upstream/played.ts'
import type { Expected } from './upstream/server.ts'

export interface Case {
  /** T-numbers are those of docs/wire-cases.md; a letter after the number marks a variant. */
  id: string
  group: string
  title: string
  /** What users see if the promise is broken. */
  why: string
  /** Known clients that break, unless the failure itself tells (`Unmet`). Empty: strictness only. */
  noticedBy: readonly Client[]
  /** A report of the defect in some gateway. */
  link?: string
  needs: 'nothing' | 'tools' | 'scripted'
  doors: readonly DoorName[]
  forms: readonly Form[]
  /** Scripted cases: the upstreams that can misbehave in this way. */
  upstreams?: readonly UpstreamKind[]
  /** Only if door and upstream speak one dialect. */
  sameDialect?: boolean
  play?: Play
  /** The upstream fails in this case. A success follows it, because a gateway may count failures. */
  failing?: boolean
  /** Requests that reach a model, without the shared ones. */
  cost?: number
  run(context: Context): Promise<void>
}

type PartialAsk = Partial<Omit<Ask, 'form' | 'model'>>

export interface Wire {
  method?: string
  /** In place of the door's own. */
  path?: string
  /** In place of the case's own, for doors that have it in their path. */
  model?: string
  body?: string
  headers?: Record<string, string>
}

export interface Context {
  door: DialectClient
  form: Form
  upstream: UpstreamKind | undefined
  /** The upstream's side of a scripted case. */
  expected: Expected
  model: string
  /** Tells the upstream which case this is: part of the first user message. Empty without a scripted upstream. */
  mark: string
  keyed: boolean
  ask(ask?: PartialAsk, options?: AskOptions): Promise<Answer>
  /** Sends a request that the case writes itself; by default to the door's path. */
  send(wire: Wire): Promise<Reply>
  /** Answers that several cases check, requested once. */
  shared(name: SharedName): Promise<Answer>
  /** The gateway did more than the promise asks. */
  credit(credit: Credit): void
}

/** mended: a call that did not fit its tool was repaired. announced: the gateway says that it changed something. */
export type Credit = 'mended' | 'announced'

interface AskOptions {
  onText?(soFar: string): boolean | undefined
}

/** hello: plain text. counted: the same with usage. call: a forced tool call. */
export type SharedName = 'hello' | 'counted' | 'call'

/** A broken promise. */
export class Unmet extends Error {
  override readonly name = 'Unmet'
  readonly expected: string
  readonly came: string
  /** In place of the case's own list. */
  readonly noticedBy: readonly Client[] | undefined

  constructor(expected: string, came: string, noticedBy?: readonly Client[]) {
    super(`expected ${expected}; came ${came}`)
    this.expected = expected
    this.came = came
    this.noticedBy = noticedBy
  }
}

/** The case cannot be judged here; the message says why. */
export class NotJudged extends Error {
  override readonly name = 'NotJudged'
}

type Optional = 'doors' | 'forms'
type Given<T> = Omit<T, Optional | 'needs' | 'group'> & Partial<Pick<Case, Optional>>

/** Cases of one group, with the defaults that most of them share. */
export const plainCases = (
  group: string,
  needs: 'nothing' | 'tools',
  cases: readonly Given<Case>[],
): Case[] => cases.map((given) => ({ doors: doorNames, forms, ...given, group, needs }))

interface ScriptedCase extends Omit<Given<Case>, 'run' | 'play'> {
  upstreams: readonly UpstreamKind[]
  play: Play
  ask?: PartialAsk | ((context: Context) => PartialAsk)
  judge(answer: Answer, context: Context): void
}

export const scriptedCases = (group: string, cases: readonly ScriptedCase[]): Case[] =>
  cases.map(({ ask = {}, judge, ...given }) => ({
    doors: doorNames,
    forms,
    ...given,
    group,
    needs: 'scripted',
    run: async (context) => judge(await context.ask(typeof ask === 'function' ? ask(context) : ask), context),
  }))
