// The accounts of all backends: which are used, which not, why and until when. Nothing is shown while every backend has one that works.

import type { FiguresAnswer } from '../api.ts'
import { clock, count } from './format.ts'

type Account = FiguresAnswer['accounts'][number]

const isUsual = ({ account, state, models }: Account) =>
  account === 'default' && state === 'ready' && models.length === 0

export function AccountsTable({ accounts }: { accounts: readonly Account[] }) {
  const shown = accounts.filter((one) => !isUsual(one))
  if (shown.length === 0) return null
  return (
    <div class="tables accounts">
      <section>
        <table>
          <caption>Accounts</caption>
          <thead>
            <tr>
              <th scope="col">Account</th>
              <th scope="col">State</th>
              <th scope="col" class="wide">
                Since
              </th>
              <th scope="col">Until</th>
              <th scope="col">Conversations</th>
              <th scope="col" class="wide">
                In flight
              </th>
              <th scope="col" class="wide">
                Turns, 24 h
              </th>
              <th scope="col" class="wide">
                Errors, 24 h
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <AccountRow key={`${one.backend}@${one.account}`} account={one} />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

function AccountRow({ account: view }: { account: Account }) {
  const { backend, account, state, reason, since, until } = view
  return (
    <tr>
      <th scope="row">
        <bdi>
          {backend}@{account}
        </bdi>
      </th>
      <td class={state === 'ready' ? '' : 'bad'}>
        {state === 'ready' ? 'ready' : `${state}: ${reason}`}
        {detailsOf(view).map((line) => (
          <p key={line} class="muted">
            {line}
          </p>
        ))}
      </td>
      <td class="number wide">{since === undefined ? '–' : clock(since)}</td>
      <td class="number">{until === undefined ? '–' : clock(until)}</td>
      <td class="number">{count(view.conversations)}</td>
      <td class="number wide">{count(view.inFlight)}</td>
      <td class="number wide">{count(view.turns24h)}</td>
      <td class={`number wide ${view.errors24h > 0 ? 'bad' : ''}`}>{count(view.errors24h)}</td>
    </tr>
  )
}

const mostLines = 6

/** A model that an account lacks does not come by itself: the account is asked for it again. */
const endOf = ({ status }: Account['models'][number]) =>
  status === 'no-model' || status === 'no-rights' ? 'asked again after' : 'until'

function detailsOf({ models, windows, lastError }: Account): string[] {
  return [
    ...models.map(
      (one) =>
        `${one.model}: ${one.reason}${one.until === undefined ? '' : `, ${endOf(one)} ${clock(one.until)}`}`,
    ),
    ...windows.map(
      (one) => `${one.model}, ${one.name}: ${one.usedPercent} % used, reset ${clock(one.reset)}`,
    ),
    ...(lastError ? [`last error ${clock(lastError.at)}: ${lastError.message}`] : []),
  ].slice(0, mostLines)
}
