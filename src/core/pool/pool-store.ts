// What several instances know together of their accounts. Each of them goes on alone while the store cannot be asked.

export interface PoolStore {
  /** The records of these accounts and the values of these bindings, each empty if there is none; undefined: it cannot be asked. */
  look(accounts: readonly string[], bindings: readonly string[]): Promise<Looked | undefined>
  /** Writes if the value is still `seen`, or none. The value afterwards; undefined: it cannot be asked. */
  bind(key: string, value: string, seen: string, ms: number): Promise<string | undefined>
  tell(account: string, record: string, ms: number): void
}

export interface Looked {
  readonly accounts: readonly string[]
  readonly bindings: readonly string[]
}
