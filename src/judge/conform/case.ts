// One promise of the wire, and how it is judged.

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
import type { Play, UpstreamKind } from './upstream/played.ts'
import type { Expected } from './upstream/server.ts'

export interface Case {
  /** T-numbers are those of docs/wire-cases.md; a letter behind one tells its variants apart. */
  id: string
  group: string
  title: string
  /** What happens to users where it is broken. */
  why: string
  /** Where it happened. */
  link?: string
  needs: 'nothing' | 'tools' | 'scripted'
  doors: readonly DoorName[]
  forms: readonly Form[]
  /** Scripted cases: the upstreams that can misbehave so. */
  upstreams?: readonly UpstreamKind[]
  play?: Play
  /** The upstream fails in it: behind it, a gateway that counts failures is given a success. */
  failing?: boolean
  /** How many requests reach a model, beside those that cases share. */
  cost?: number
  run(context: Context): Promise<void>
}

export type PartialAsk = Partial<Omit<Ask, 'form' | 'model'>>

export interface Wire {
  method?: string
  path?: string
  body?: string
  headers?: Record<string, string>
}

export interface Context {
  door: DialectClient
  form: Form
  upstream: UpstreamKind | undefined
  /** What the upstream saw in this case; only where it is scripted. */
  expected: Expected
  model: string
  /** Names the case to the upstream; to be part of what the user says first. Empty where nothing is scripted. */
  mark: string
  keyed: boolean
  ask(ask?: PartialAsk, options?: AskOptions): Promise<Answer>
  /** A request of the case's own making, to the door unless it says otherwise. */
  send(wire: Wire): Promise<Reply>
  /** Answers that several cases look at, asked for once. */
  shared(name: SharedName): Promise<Answer>
}

export interface AskOptions {
  onText?(soFar: string): boolean | undefined
}

/** hello: some words. call: a call that was insisted on. */
export type SharedName = 'hello' | 'counted' | 'call'

/** A promise that was not kept. */
export class Unmet extends Error {
  override readonly name = 'Unmet'
  readonly expected: string
  readonly came: string

  constructor(expected: string, came: string) {
    super(`expected ${expected}; came ${came}`)
    this.expected = expected
    this.came = came
  }
}

/** It cannot be judged here, and why. */
export class NotJudged extends Error {
  override readonly name = 'NotJudged'
}

type Optional = 'doors' | 'forms'
type Given<T> = Omit<T, Optional | 'needs' | 'group'> & Partial<Pick<Case, Optional>>

/** Cases of one group, with what is the same for most. */
export const plainCases = (
  group: string,
  needs: 'nothing' | 'tools',
  cases: readonly Given<Case>[],
): Case[] => cases.map((given) => ({ doors: doorNames, forms, ...given, group, needs }))

export interface ScriptedCase extends Omit<Given<Case>, 'run' | 'play'> {
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
