// The change from one configuration to the next in two steps: build all that it needs, then switch. Only the first step can fail,
// so that several workers change together or not at all.

import type { Config } from '../config/schema.ts'
import type { Backend } from '../core/backend.ts'
import type { Breakers } from '../core/breaker.ts'
import type { LogLevel } from '../observe/log.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { budgetOf, buildGeneration, type Generation, type GenerationParts, type Keys } from './generation.ts'
import type { Generations } from './generations.ts'

interface TakeoverParts {
  generations: Generations
  parts: GenerationParts
  scrubber: Scrubber
  breakers: Breakers
  onClose(backend: Backend): Promise<void>
  setLevel(level: LogLevel): void
  /** The key of this name is not valid any more, or has another value. */
  onKeyGone(name: string): void
}

export interface NextConfig extends Keys {
  config: Config
  /** Never shown, whether the configuration is taken over or not. */
  secrets?: readonly string[]
}

export interface Prepared {
  /** Backends that are new, other or gone. */
  readonly replaced: readonly string[]
  /** Requests that come from now on meet the new configuration. */
  commit(): void
  /** As if it had never been prepared. */
  discard(): Promise<void>
}

export type Prepare = (next: NextConfig) => Promise<Prepared>

export function createTakeover(takeover: TakeoverParts): Prepare {
  const { generations, parts, scrubber, onClose } = takeover
  return async ({ config, keys, secrets = [] }) => {
    scrubber.add(...secrets, ...keys.map(({ key }) => key))
    const before = generations.current
    const next = await buildGeneration({ config, keys }, parts, before)
    const names = new Set([...before.backends.keys(), ...next.backends.keys()])
    const replaced = [...names].filter((name) => before.backends.get(name) !== next.backends.get(name))
    return {
      replaced,
      commit() {
        if (generations.current !== before) throw new Error('another configuration was taken over meanwhile')
        parts.budget.setMax(budgetOf(config))
        takeover.setLevel(config.log.level)
        for (const name of replaced) takeover.breakers.forget(name)
        generations.switchTo(next)
        for (const name of lostKeys(before, next)) takeover.onKeyGone(name)
      },
      async discard() {
        const inForce = new Set(generations.current.backends.values())
        const unused = [...next.backends.values()].filter((backend) => !inForce.has(backend))
        await Promise.all(unused.map(onClose))
      },
    }
  }
}

/** A key with another value counts as another key. */
function lostKeys(before: Generation, { keys }: Generation): Set<string> {
  const isKept = (one: { name: string; key: string }) =>
    keys.some(({ name, key }) => name === one.name && key === one.key)
  return new Set(before.keys.filter((one) => !isKept(one)).map(({ name }) => name))
}
