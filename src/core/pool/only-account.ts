// The one account of a backend, which is the normal case: nothing is chosen, and it is asked whatever is known of it. The rest of the
// code for accounts is loaded when it fails for the first time, for the operator's view.

import type { GatewayError } from '../errors.ts'
import type { AccountView } from './account.ts'
import type { AccountPool } from './account-pool.ts'
import type { AccountAction } from './health.ts'

interface OnlyAccountOptions {
  backend: string
  account: string
  /** Makes a pool of this account alone. */
  load(): Promise<AccountPool>
}

export class OnlyAccount {
  readonly isSingle = true
  readonly #options: OnlyAccountOptions
  #known: AccountPool | undefined
  #loading: Promise<AccountPool | undefined> | undefined

  constructor(options: OnlyAccountOptions) {
    this.#options = options
  }

  get names(): string[] {
    return [this.#options.account]
  }

  has(name: string): boolean {
    return name === this.#options.account
  }

  /** A turn has failed. */
  async saw(error: GatewayError, model: string): Promise<void> {
    const startedAt = Date.now()
    // Without it the operator sees less, and nothing else is lost.
    this.#loading ??= this.#options.load().catch(() => undefined)
    this.#known = await this.#loading
    this.#known?.saw(this.#options.account, error, { model, startedAt })
  }

  /** Nothing is loaded any more. */
  async settled(): Promise<void> {
    await this.#loading
  }

  /** A turn has begun to answer. */
  worked(model: string): void {
    this.#known?.worked(model)
  }

  act(account: string, action: AccountAction): boolean {
    this.#known?.act(account, action)
    return this.has(account)
  }

  async refresh(): Promise<void> {
    return undefined
  }

  views(): AccountView[] {
    const { backend, account } = this.#options
    const idle = { conversations: 0, inFlight: 0, turns24h: 0, errors24h: 0, isAlone: true }
    const [view] = this.#known?.views() ?? []
    return [
      view
        ? { ...view, isAlone: true }
        : { backend, account, state: 'ready', models: [], windows: [], ...idle },
    ]
  }
}

export type Accounts = AccountPool | OnlyAccount
