// Why the models of a backend could not be listed, for places that have named the backend already. Commands have no log of a gateway.

import type { GatewayError } from '../core/errors.ts'

const pointerToLog = " The gateway's log has "

export function listingReason(backendName: string, { message }: GatewayError): string {
  const name = `${backendName}: `
  const reason = message.startsWith(name) ? message.slice(name.length) : message
  const pointer = reason.lastIndexOf(pointerToLog)
  return pointer < 0 ? reason : reason.slice(0, pointer)
}
