// `dragoman accounts`: the accounts of the running gateway, why one is not used, and until when; takes one out or in again.

import { isObject } from '../base/json.ts'
import { readEnvironment } from '../config/environment.ts'
import type { AccountView } from '../core/pool/account.ts'
import { CommandError } from '../process/command-error.ts'
import { out, outJson } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import { accountsPath } from '../server/account-routes.ts'
import { askGateway, chosenGateway } from './running-gateway.ts'

interface AccountsFlags {
  config?: string
  port?: number
  json?: boolean
}

type Action = 'list' | 'clear' | 'disable' | 'enable'

const done: Record<Exclude<Action, 'list'>, string> = {
  clear: 'is used again as if nothing had happened',
  disable: 'gets no more turns; those under way go on',
  enable: 'gets turns again',
}

export async function accounts(
  action: Action,
  account: string | undefined,
  flags: AccountsFlags,
): Promise<void> {
  if (action !== 'list' && account === undefined)
    throw new CommandError(`Say which account: dragoman accounts ${action} BACKEND@ACCOUNT`, 2)
  const gateway = chosenGateway(flags, readEnvironment())
  const body = action === 'list' ? undefined : { action, account }
  const { accounts: found } = await withProgress(
    'waiting for the gateway',
    askGateway(gateway, accountsPath, { body }),
  )
  const views = (Array.isArray(found) ? found.filter(isObject) : []) as unknown as AccountView[]
  const wanted = views.filter((view) => account === undefined || isNamed(view, account))
  if (wanted.length === 0 && account !== undefined)
    throw new CommandError(`There is no account "${account}"; \`dragoman accounts\` lists them.`, 2)
  if (flags.json) return outJson(wanted)
  if (action !== 'list') return out(`${account} ${done[action]}.\n`)
  out(`${wanted.map((view) => linesOf(view).join('\n')).join('\n')}\n`)
}

const isNamed = ({ backend, account }: AccountView, name: string) =>
  name === account || name === `${backend}@${account}`

const time = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

const words: Record<AccountView['state'], string> = {
  ready: 'ready',
  paused: 'PAUSED',
  'no-model': 'NO MODEL',
  'no-rights': 'NO RIGHTS',
  'out-of-quota': 'OUT OF QUOTA',
  'needs-login': 'NEEDS LOGIN',
  disabled: 'DISABLED',
}

function linesOf(view: AccountView): string[] {
  const { backend, account, state, reason, since, until, models, windows, lastError } = view
  const figures = [
    `${view.conversations} conversations`,
    `${view.inFlight} in flight`,
    `${view.turns24h} turns and ${view.errors24h} errors in 24 h`,
  ]
  const why = reason === undefined ? '' : `: ${reason}${span({ status: state, since, until })}`
  return [
    `${backend}@${account}  ${words[state]}${why}`,
    ...(view.isAlone ? [] : [`  ${figures.join(', ')}`]),
    ...models.map((one) => `  ${one.model}: ${one.reason}${span(one)}`),
    ...windows.map(
      (one) =>
        `  ${one.model}, ${one.name}: ${one.usedPercent} % of ${one.limit} used, reset ${time(one.reset)}`,
    ),
    ...(lastError
      ? [`  last error ${time(lastError.at)}: ${lastError.code}: ${oneLine(lastError.message)}`]
      : []),
  ]
}

interface Span {
  status: AccountView['state']
  since?: number | undefined
  until?: number | undefined
}

/** A model that an account lacks does not come by itself: the account is asked for it again. */
function span({ status, since, until }: Span): string {
  const ends = status === 'no-model' || status === 'no-rights' ? 'asked again after' : 'until'
  const end = until === undefined ? '' : `, ${ends} ${time(until)}`
  return `${since === undefined ? '' : `, since ${time(since)}`}${end}`
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 300)
