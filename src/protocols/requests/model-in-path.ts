// The name of a model that goes into the path of an address.

import { GatewayError } from '../../core/errors.ts'

/** A server may decode a path before it looks for its segments, and some take a backslash for a slash. */
const separator = /[/\\]/

const isNoSegment = (part: string) => part === '' || part === '.' || part === '..'

/** Throws if the name could lead to another place, or cannot be written in a path. */
export function checkModelInPath(model: string): void {
  // Half of a surrogate pair has no percent-encoding.
  if (/\p{Surrogate}/u.test(model) || model.split(separator).some(isNoSegment)) throw noSuchModel(model)
}

export const noSuchModel = (model: string) =>
  new GatewayError('not-found', `There is no model ${JSON.stringify(model.slice(0, 100))}.`, {
    detail: 'model_not_found',
  })
