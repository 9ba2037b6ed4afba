// The gateway as a library.

import { createGateway as create, type Gateway, type GatewayOptions } from './gateway.ts'

export { version } from './base/version.ts'
export { type Environment, readEnvironment } from './config/environment.ts'
export { parseConfig } from './config/load.ts'
export { type Config, configJsonSchema } from './config/schema.ts'
export { GatewayError } from './core/errors.ts'
export type { Gateway, GatewayOptions } from './gateway.ts'

/** Without the options that only other parts of this package use. */
export const createGateway: (options: GatewayOptions) => Promise<Gateway> = create
