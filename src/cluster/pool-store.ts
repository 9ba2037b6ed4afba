// What instances know together of their accounts, in the store of the session directory:
//
//     dragoman:pool:acct:ID    the health of an account; ID changes with its credential
//     dragoman:pool:bind:KEY   the account of a conversation or of a call; KEY is a digest
//
// No conversation and no credential is in it.

import { longestRecord } from '../core/pool/health-record.ts'
import type { PoolStore } from '../core/pool/pool-store.ts'
import type { DirectoryLink } from './directory-store.ts'

const accountKey = (id: string) => `dragoman:pool:acct:${id}`
const bindingKey = (key: string) => `dragoman:pool:bind:${key}`
export const isBindingKey = (key: string) => key.startsWith(bindingKey(''))

export function poolStore(link: DirectoryLink): PoolStore {
  const boundTo = async (key: string) => (key === '' ? '' : String(await link.run('owner', bindingKey(key))))
  return {
    look: (accounts, bindings) =>
      link.ask(async () => {
        const [records, values] = await Promise.all([
          Promise.all(accounts.map((id) => link.read(accountKey(id), longestRecord))),
          Promise.all(bindings.map(boundTo)),
        ])
        return { accounts: records, bindings: values }
      }),
    bind: (key, value, seen, ms) =>
      link.ask(async () => String(await link.run('takeOver', bindingKey(key), value, seen, String(ms)))),
    tell: (id, record, ms) => void link.ask(() => link.run('announce', accountKey(id), record, String(ms))),
  }
}
