// The gateway as a library.

export { version } from './base/version.ts'
export { type Environment, readEnvironment } from './config/environment.ts'
export { parseConfig } from './config/load.ts'
export { type Config, configJsonSchema } from './config/schema.ts'
export { GatewayError } from './core/errors.ts'
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
