// Sampling, decided once per trace: by its root, or by its id.

import type { SamplerName } from '../../config/telemetry.ts'
import type { RemoteParent } from './trace-context.ts'

export type Sampler = (traceId: string, parent: RemoteParent | undefined) => boolean

export function createSampler(name: SamplerName, ratio: number): Sampler {
  const root = rootSampler(name.replace('parentbased_', ''), ratio)
  if (!name.startsWith('parentbased_')) return root
  return (traceId, parent) => parent?.isSampled ?? root(traceId)
}

function rootSampler(name: string, ratio: number): (traceId: string) => boolean {
  if (name === 'always_off') return () => false
  if (name === 'always_on') return () => true
  const threshold = (1 - ratio) * 2 ** ratioBits
  return (traceId) => Number.parseInt(traceId.slice(-ratioBits / 4), 16) >= threshold
}

/** The low bits of an id are the random ones; a number holds this many exactly. */
const ratioBits = 52
