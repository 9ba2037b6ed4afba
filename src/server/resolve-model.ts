// The backends for the model of a request, or for the model that stands in for a name which only another service has.

import { GatewayError } from '../core/errors.ts'
import type { Notes } from '../core/notes.ts'
import type { DoorRequest } from '../doors/door.ts'
import type { Catalog, Target } from './catalog.ts'

export async function resolveModel(
  catalog: Catalog,
  { model, standIn }: Pick<DoorRequest, 'model' | 'standIn'>,
  notes: Notes,
): Promise<Target[]> {
  try {
    return await catalog.resolve(model)
  } catch (error) {
    if (standIn === undefined || GatewayError.from(error).code !== 'not-found') throw error
    const targets = await catalog.resolve(standIn)
    notes.add(`there is no model ${JSON.stringify(model)} here: ${JSON.stringify(standIn)} was asked instead`)
    return targets
  }
}
