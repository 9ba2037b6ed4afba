// Optional peer dependencies: libraries of clouds and the tokenizer, which only those who use them install.

import { ConfigError } from '../config/config-error.ts'

interface Peer {
  backend: string
  /** Why the configuration needs it. */
  why: string
  name: string
  /** The range that works. */
  version: string
}

/** Fails with the command that installs it. */
export async function loadPeer<Module>(load: () => Promise<Module>, peer: Peer): Promise<Module> {
  try {
    return await load()
  } catch {
    const { backend, why, name, version } = peer
    throw new ConfigError(undefined, [
      `backends.${backend}: ${why} need the package ${name}, which is not installed beside the gateway. Install it: npm install ${name}@${version} (with -g if the gateway is installed so).`,
    ])
  }
}
