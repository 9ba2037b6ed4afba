// Run for each file of tests, before it.

import { delimiter } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach } from 'vitest'
import { endFile, endTest } from './at-end.ts'
import { findProgram, unpackedPrograms } from './debian-program.ts'
import { fuzz } from './fuzz/settings.ts'
import './pattern-guard.ts'

// Gateways under test find what was unpacked for them as they would what is installed. Files share a process.
const path = process.env.PATH ?? ''
if (!path.split(delimiter).includes(unpackedPrograms)) process.env.PATH = path + delimiter + unpackedPrograms
for (const one of [
  { program: 'bwrap', variable: 'DRAGOMAN_BWRAP' },
  { program: 'rg', variable: 'DRAGOMAN_RG' },
]) {
  const found = findProgram(one)
  if (found !== undefined) process.env[one.variable] ??= found
}

fc.configureGlobal(fuzz)

afterEach(endTest)
afterAll(endFile)
