// Several accounts of one backend: docs/pools.md. A backend with a plain key or login has one account, called `default`.

import { z } from 'zod'
import { headerName, headerText, milliseconds, name } from './values.ts'

/** Instances share the name in a store with short values. */
const accountName = name.max(40, 'must have at most 40 characters')

const shared = {
  name: accountName.describe('Unique within the backend; never a secret or an e-mail address.'),
  headers: z
    .record(headerName, headerText.or(z.literal('')))
    .optional()
    .describe('Extra request headers for this account, over those of the backend.'),
  priority: z.int().min(-1000).max(1000).default(0).describe('Accounts with a higher one are used first.'),
  weight: z
    .number()
    .min(0.01)
    .max(1_000_000)
    .default(1)
    .describe('Its share of new conversations among accounts of the same priority.'),
  maxConcurrent: z.int().min(1).optional().describe('The most turns at the same time.'),
  models: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("The models that this account may be asked for, by the service's names. Default: all."),
}

const listOf = <Account extends z.ZodType<{ name: string }>>(account: Account) =>
  z
    .array(account)
    .min(1)
    .max(64)
    .refine((accounts) => new Set(accounts.map((one) => one.name)).size === accounts.length, {
      error: 'must have different names',
    })
    .optional()
    .describe('Several accounts in place of one credential: docs/pools.md.')

export const keyAccounts = listOf(z.strictObject({ ...shared, apiKey: headerText }))

export const cursorAccounts = listOf(
  z.strictObject({
    ...shared,
    apiKey: headerText.optional().describe('Instead of the login of this name: a key of the dashboard.'),
    accessToken: headerText
      .optional()
      .describe('Instead of login and key: an access token, used until it expires.'),
  }),
)

export const poolSchema = (failover: 'auto' | 'never') =>
  z
    .strictObject({
      policy: z
        .enum(['stick', 'fill', 'spread'])
        .default('stick')
        .describe(
          'Which account a new conversation gets. stick: the one with the fewest; fill: one until it is nearly used up; spread: each turn by load, for keys of one organisation only.',
        ),
      affinityMs: milliseconds
        .default(3_600_000)
        .describe('How long a conversation stays with its account after its last turn.'),
      failover: z
        .enum(['auto', 'never'])
        .default(failover)
        .describe('Whether a conversation may go on with another account if its own cannot be used.'),
      maxWaitMs: milliseconds
        .max(60_000)
        .default(10_000)
        .describe('How long a turn may wait for its paused account, before anything is sent.'),
    })
    .prefault({})
    .describe('How several accounts are used.')

interface WithAccounts {
  kind: string
  accounts?: readonly { name: string }[] | undefined
}

/** The names of a backend's accounts. */
export const accountNames = ({ accounts }: WithAccounts): string[] =>
  accounts?.map((account) => account.name) ?? ['default']
