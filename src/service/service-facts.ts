// What the file of a service is made of.

import type { System } from '../base/platform/system.ts'

export interface ServiceFacts {
  system: System
  home: string
  variable(name: string): string | undefined
  /** The name that Windows knows the user by, such as MACHINE\me. */
  user: string
  /** Node, and the program that it runs. */
  node: string
  program: string
  configFile: string
  /** Variables for the configuration; the file of the service holds none. */
  envFile: string
  /** Running answers have this long to end. */
  stopSeconds: number
}

export const serveArguments = ({ program, configFile, envFile }: ServiceFacts): string[] => [
  ...[program, 'serve'],
  ...['--config', configFile],
  ...['--env-file', envFile],
]
